import type { Resource } from "@postern/core";

const ofOurs: Readonly<Record<string, string>> = {
  about: "What the API says about itself.",
  admin: "For whoever operates this server.",
  webhooks: "Where other services deliver their events.",
};

/** What a group of operations is about. */
export const tagDescriptions = (tag: string, resources: readonly Resource[]): string =>
  ofOurs[tag] ?? resources.find(({ plural }) => plural === tag)?.description ?? `Operations on ${tag}.`;
