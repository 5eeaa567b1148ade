export { type AesSecretBoxOptions, aesSecretBox } from "./aes-secret-box.ts";
export { type ArgonOptions, argonPasswordHasher } from "./argon-password-hasher.ts";
export {
  type EventLoopDelay,
  type EventLoopDelayOptions,
  eventLoopDelay,
  type LongLoopTurn,
} from "./event-loop-delay.ts";
export { joseJwtVerifier } from "./jose-jwt-verifier.ts";
export { type JoseSignerOptions, joseSigner } from "./jose-signer.ts";
export { logAlerts } from "./log-alerts.ts";
export type { LogStream } from "./log-line.ts";
export { type NodeFetcherOptions, nodeFetcher } from "./node-fetcher.ts";
export { nodeIds } from "./node-ids.ts";
export { nodeOneTimeCodes } from "./node-one-time-codes.ts";
export { type NodePorts, type NodePortsOptions, nodePorts } from "./node-ports.ts";
export { nodeRandomness } from "./node-randomness.ts";
export { type OpenTelemetryMeter, withOpenTelemetry } from "./open-telemetry.ts";
export { type PinoTelemetry, type PinoTelemetryOptions, pinoTelemetry } from "./pino-telemetry.ts";
export { addressesIn, blockedAddresses, isPublicAddress } from "./public-address.ts";
export { type SmtpMailerOptions, smtpMailer } from "./smtp-mailer.ts";
export { systemClock } from "./system-clock.ts";
export {
  type AlertReceiver,
  alertJob,
  alertJobName,
  type WebhookAlerts,
  type WebhookAlertsOptions,
  webhookAlerts,
} from "./webhook-alerts.ts";
export { zxcvbnCommonPasswords } from "./zxcvbn-common-passwords.ts";
