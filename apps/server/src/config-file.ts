import type { InboxHandler, Resource, RetryPolicy } from "@postern/core";
import type { Scheme, Settings } from "@postern/webhook-verifier";

/** A sender of webhooks, as the configuration names it. At least one kind of key. */
export interface ProviderDeclaration {
  /** A scheme's name (`stripe`, `github`, `standard-webhooks`, …) or a scheme of your own; the provider's own name unless given. */
  readonly scheme?: string | Scheme;
  /** Shared secret in the sender's notation; several while one is being replaced. */
  readonly secret?: string | readonly string[];
  /** Public key in the sender's notation, for senders that sign with a private one. */
  readonly publicKey?: string | readonly string[];
  /** Where the sender publishes its public keys (RFC 7517); instead of the keys themselves. */
  readonly jwksUrl?: string;
  /** What the scheme needs besides keys, e.g. the audience of a token; the scheme's page lists it. */
  readonly settings?: Settings;
  /** Window for the signed time, both ways; the scheme's own unless given. */
  readonly toleranceSeconds?: number;
}

/** What is done with events without writing code. */
export interface RouteDeclaration {
  /** A provider's name; `*` (every provider) unless given. */
  readonly provider?: string;
  /** An event type with `*` for any run of characters; `*` unless given. */
  readonly type?: string;
  /** `log` writes a line for each event; otherwise the event is sent on, signed as Standard Webhooks with `secret` (`whsec_…`). */
  readonly to: "log" | { readonly url: string; readonly secret: string };
  /** Needed to tell two routes to the same URL apart. */
  readonly name?: string;
  readonly retry?: RetryPolicy;
}

/** What `postern.config.{js,mjs,ts}` exports as its default. */
export interface PosternConfig {
  readonly providers?: Readonly<Record<string, ProviderDeclaration>>;
  readonly routes?: readonly RouteDeclaration[];
  /** Handlers in code, made with `on`. */
  readonly handlers?: readonly InboxHandler[];
  readonly resources?: readonly Resource[];
}

/** Says nothing at run time; gives the configuration file its types. */
export const defineConfig = (config: PosternConfig): PosternConfig => config;
