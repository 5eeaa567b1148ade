import type { InboxHandler } from "./inbox/handler.ts";
import type { Provider } from "./inbox/provider.ts";
import type { Operation } from "./operations/operation.ts";
import type { Ports } from "./ports/index.ts";
import type { Resource } from "./resources/resource.ts";

export interface Settings {
  /** Who may create users: anyone, or administrators only. */
  readonly signup: "open" | "admin";
  readonly accessTokenSeconds: number;
  /** A session ends when it has not been refreshed for this long. */
  readonly sessionSeconds: number;
  /** Off for load tests. */
  readonly rateLimits: "on" | "off";
}

export const defaultSettings: Settings = {
  signup: "open",
  accessTokenSeconds: 600,
  sessionSeconds: 30 * 24 * 3600,
  rateLimits: "on",
};

/** Everything a use case can reach: the ports and what this application declared. */
export interface Environment {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly handlers: readonly InboxHandler[];
  readonly operations: readonly Operation[];
}
