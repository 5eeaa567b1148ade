import type { Resource } from "@postern/core";

const ofOurs: Readonly<Record<string, string>> = {
  account: "Passwords, addresses and second factors of accounts.",
  about: "What the API says about itself.",
  admin: "For the people who operate this server.",
  webhooks: "Where other services deliver their events.",
};

const first = ["users", "sessions"];
const last = ["account", "api-keys", "webhooks", "admin", "about"];

/** The position of a group in documents: groups come in the order in which people learn them. */
export const tagPlace = (tag: string): number => {
  if (first.includes(tag)) return first.indexOf(tag) - first.length;
  return last.includes(tag) ? last.indexOf(tag) + 1 : 0;
};

/** The description of a group of operations. */
export const tagDescriptions = (tag: string, resources: readonly Resource[]): string =>
  ofOurs[tag] ?? resources.find(({ plural }) => plural === tag)?.description ?? `Operations on ${tag}.`;
