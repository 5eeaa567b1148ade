import type { ApiVersion } from "@postern/core";
import type { Route } from "./routes.ts";

export interface WebhookPath {
  readonly route: Route;
  readonly version: ApiVersion;
  /** As it stands in the path. */
  readonly provider: string;
}

export type FindWebhook = (path: string) => WebhookPath | undefined;

/**
 * Recognises the paths of webhooks by their beginning, before any routing: that is the whole cost of it. The routes are those of the operation table
 * whose body is `raw`; their last segment is the provider.
 */
export const webhookFinder = (routes: readonly Route[]): FindWebhook => {
  const places = routes
    .filter((route) => route.inbox)
    .map((route) => ({ route, version: route.version, prefix: beforeProvider(route.path) }));
  return (path) => {
    for (const { route, version, prefix } of places) {
      if (!path.startsWith(prefix)) continue;
      const provider = path.slice(prefix.length);
      if (provider !== "" && !provider.includes("/")) return { route, version, provider };
    }
    return undefined;
  };
};

const beforeProvider = (path: string): string => {
  const [prefix, rest] = path.split("{provider}");
  if (prefix !== undefined && rest === "") return prefix;
  throw new TypeError(`${path}: the path of a raw operation ends in {provider}`);
};
