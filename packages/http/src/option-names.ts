import { option, optionFaults, refuseFaults } from "@postern/core/parts";
import type { HttpOptions } from "./options.ts";

/** Complete by its type. The values say nothing: each option is checked where it is read. */
const names: Readonly<Record<keyof HttpOptions, true>> = {
  defaultVersion: true,
  basePath: true,
  jsonLimitBytes: true,
  webhookLimitBytes: true,
  urlLimitBytes: true,
  jsonLimitValues: true,
  webhookLimitValues: true,
  memoryLimitBytes: true,
  memoryLimitBytesPerAddress: true,
  maxBodyWaitMs: true,
  leastUploadRate: true,
  maxInFlight: true,
  maxInFlightPerAddress: true,
  maxSlotWaitMs: true,
  waitingLimitBytes: true,
  waitingLimitBytesPerAddress: true,
  stalledReaderMs: true,
  compressor: true,
  maxRequestsPerConnection: true,
  maxHeaders: true,
  maxRefusalLinesPerMinute: true,
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
  headersLimitBytes: true,
  headersTimeoutMs: true,
  requestTimeoutMs: true,
  keepAliveTimeoutMs: true,
  handshakeTimeoutMs: true,
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
