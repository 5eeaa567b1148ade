import { isIP } from "node:net";
import type { Ports } from "@postern/core";
import { type InboxHandler, logHandler } from "@postern/inbox";
import { createCircuits, forwardHandler } from "@postern/inbox/internal";
import { blockedAddresses, isPublicAddress } from "@postern/platform-node";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig } from "./config-file.ts";
import type { ForwardTarget, RouteDeclaration } from "./settings/routes.ts";

type Tools = Pick<Ports, "fetcher" | "clock" | "storage" | "telemetry">;

/**
 * The fetcher would refuse such an address for every event. It is better to report it at the start.
 */
const checkTarget = (
  what: string,
  { url, allowPrivate }: ForwardTarget,
  isBlocked: (address: string) => boolean,
): void => {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (isBlocked(host)) {
    throw new ConfigError([
      `${what} leads to ${host}, which is never called: it is a cloud's metadata service or stands in \`blockAddresses\`.`,
    ]);
  }
  const isPrivate = host === "localhost" || (isIP(host) !== 0 && !isPublicAddress(host));
  if (!isPrivate || allowPrivate === true) return;
  throw new ConfigError([
    `${what} leads to ${host}, which is not a public address: say \`allowPrivate: true\` beside the URL if it is meant.`,
  ]);
};

const isTarget = ({ url, secret }: Partial<ForwardTarget>): boolean =>
  typeof url === "string" &&
  /^https?:\/\/[^/\s]/.test(url) &&
  URL.canParse(url) &&
  (typeof secret === "string" || (Array.isArray(secret) && secret.length > 0));

const handlerOf = (
  tools: Tools,
  circuits: ReturnType<typeof createCircuits>,
  isBlocked: (address: string) => boolean,
  route: RouteDeclaration,
): InboxHandler => {
  const wanted = {
    provider: route.provider ?? "*",
    type: route.type ?? "*",
    ...(route.where === undefined ? {} : { where: route.where }),
    ...(route.queue === undefined ? {} : { queue: route.queue }),
  };
  if (route.to === "log") return logHandler(wanted);
  const what = `The route for ${wanted.provider} ${wanted.type}`;
  if (!isTarget(route.to ?? {})) {
    throw new ConfigError([`${what} says neither \`to: "log"\` nor \`to: { url: "https://…", secret: "whsec_…" }\`.`]);
  }
  checkTarget(what, route.to, isBlocked);
  const { name, retry } = route;
  const named = { ...(name === undefined ? {} : { name }), ...(retry === undefined ? {} : { retry }) };
  try {
    return forwardHandler(tools, { ...wanted, ...route.to, ...named }, circuits);
  } catch (thrown) {
    // The verifier knows what is wrong with a key, but not which route it belongs to.
    throw thrown instanceof TypeError ? new ConfigError([`${what}: ${thrown.message}`]) : thrown;
  }
};

/**
 * The handlers in code and the routes of the configuration. If there are none, every event is
 * logged.
 */
export const configuredHandlers = (
  tools: Tools,
  { handlers = [], routes = [], blockAddresses = [] }: PosternConfig,
): readonly InboxHandler[] => {
  const circuits = createCircuits(tools);
  const isBlocked = blockedAddresses(blockAddresses);
  const all = [...handlers, ...routes.map((route) => handlerOf(tools, circuits, isBlocked, route))];
  return all.length === 0 ? [logHandler({ provider: "*", type: "*" })] : all;
};
