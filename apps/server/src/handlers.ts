import { type Clock, type Fetcher, forwardHandler, type InboxHandler, logHandler } from "@postern/core";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig, RouteDeclaration } from "./config-file.ts";

const handlerOf = (
  tools: { readonly fetcher: Fetcher; readonly clock: Clock },
  route: RouteDeclaration,
): InboxHandler => {
  const wanted = { provider: route.provider ?? "*", type: route.type ?? "*" };
  if (route.to === "log") return logHandler(wanted);
  if (!/^https?:\/\/[^/\s]/.test(route.to?.url ?? "") || typeof route.to.secret !== "string") {
    throw new ConfigError([
      `A route says \`to: "log"\` or \`to: { url: "https://…", secret: "whsec_…" }\`; the one for ${wanted.provider} ${wanted.type} says neither.`,
    ]);
  }
  return forwardHandler(tools, {
    ...wanted,
    ...route.to,
    ...(route.name === undefined ? {} : { name: route.name }),
    ...(route.retry === undefined ? {} : { retry: route.retry }),
  });
};

/** The handlers in code and the routes of the configuration; a line in the log for every event when there are none. */
export const configuredHandlers = (
  tools: { readonly fetcher: Fetcher; readonly clock: Clock },
  { handlers = [], routes = [] }: PosternConfig,
): readonly InboxHandler[] => {
  const all = [...handlers, ...routes.map((route) => handlerOf(tools, route))];
  return all.length === 0 ? [logHandler({ provider: "*", type: "*" })] : all;
};
