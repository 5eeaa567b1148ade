import type { OptionRule, OptionRules } from "@postern/core";
import { option, optionFaults, refuseFaults, textsOf, wholeNumber } from "@postern/core/internal";
import { isBasePath } from "./head/request-head.ts";
import type { HttpOptions } from "./options.ts";

/** An origin in the one spelling that browsers use, so that it can be compared as text. */
const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** With a label in place of the wildcard, it must be an origin below a domain of its own. */
const isCorsOrigin = (text: string): boolean => isOrigin(text.replace(/^(https?:\/\/)\*(?=\.[^.]+\.[^.])/, "$1any"));

/** What each option must be. Complete by its type. */
export const httpOptionRules = {
  defaultVersion: {
    is: (value) => typeof value === "string" && /^v[1-9]\d*$/.test(value),
    says: "a version like v1",
  },
  basePath: {
    is: (value) => typeof value === "string" && isBasePath(value),
    says: "a path such as /postern, with a slash in front and none at the end",
  },
  jsonLimitBytes: wholeNumber(1),
  webhookLimitBytes: wholeNumber(1),
  memoryLimitBytes: wholeNumber(1),
  compressor: option.anything,
  eventLoopDelayMs: option.aFunction,
  maxEventLoopDelayMs: wholeNumber(0),
  publicUrl: {
    is: (value) => typeof value === "string" && isOrigin(value.replace(/\/$/, "")),
    says: "an origin such as https://api.example.com, in lower case, with no path and no default port",
  },
  trustProxy: wholeNumber(0),
  corsOrigins: textsOf(isCorsOrigin, "origins such as https://app.example.com or https://*.example.com"),
  corsHeaders: textsOf((name) => /^[!#$%&'+.^_`|~\w-]+$/.test(name), "names of headers such as X-My-App"),
  securityContacts: textsOf(
    (contact) => /^(?:mailto:|https:\/\/|tel:)[\x21-\x7e]+$/.test(contact),
    "URIs such as mailto:security@example.com",
  ),
  requestId: option.aFunction,
  telemetry: option.anything,
} as const satisfies Readonly<Record<keyof HttpOptions, OptionRule>>;

/**
 * The options of `createHttpServer` besides those of HTTP. You may give a gateway the same object
 * as the server that it gets.
 */
export const connectionOptionRules = {
  tls: option.anObject,
  requestTimeoutMs: wholeNumber(1),
  keepAliveTimeoutMs: wholeNumber(1),
  maxConnections: wholeNumber(1),
  maxConnectionsPerAddress: wholeNumber(1),
  listener: option.aFunction,
} as const satisfies OptionRules;

const rules = { ...httpOptionRules, ...connectionOptionRules };

/**
 * A caller without types can misspell an option, and would get its default without a word.
 * @throws DeclarationError that names each option that does not exist or cannot work, and what would be right.
 */
export const checkOptions = (options: HttpOptions): void => refuseFaults(optionFaults("HTTP options", options, rules));
