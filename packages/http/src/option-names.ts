import { option, optionFaults, refuseFaults } from "@postern/core/parts";
import type { HttpOptions } from "./options.ts";

/** Complete by its type. The values say nothing: each option is checked where it is read. */
const names: Readonly<Record<keyof HttpOptions, true>> = {
  defaultVersion: true,
  basePath: true,
  jsonLimitBytes: true,
  webhookLimitBytes: true,
  memoryLimitBytes: true,
  maxInFlight: true,
  compressor: true,
  eventLoopDelayMs: true,
  maxEventLoopDelayMs: true,
  publicUrl: true,
  trustProxy: true,
  corsOrigins: true,
  corsHeaders: true,
  securityContacts: true,
  requestId: true,
  telemetry: true,
};

/**
 * The options of `createHttpServer` besides those of HTTP. You may give a gateway the same object
 * as the server that it gets.
 */
export const connectionOptionNames = {
  tls: true,
  requestTimeoutMs: true,
  keepAliveTimeoutMs: true,
  maxConnections: true,
  maxConnectionsPerAddress: true,
  listener: true,
} as const;

const known = [...Object.keys(names), ...Object.keys(connectionOptionNames)];
const rules = Object.fromEntries(known.map((name) => [name, option.anything]));

/**
 * A caller without types can misspell an option, and would get its default without a word.
 * @throws DeclarationError that names each option that does not exist, and the nearest that does.
 */
export const checkOptionNames = (options: HttpOptions): void =>
  refuseFaults(optionFaults("HTTP options", options, rules));
