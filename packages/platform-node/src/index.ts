export { type AesSecretBoxOptions, aesSecretBox } from "./aes-secret-box.ts";
export { argonPasswordHasher } from "./argon-password-hasher.ts";
export {
  eventLoopDelay,
  type LongLoopTurn,
} from "./event-loop-delay.ts";
export { joseJwtVerifier } from "./jose-jwt-verifier.ts";
export { joseSigner } from "./jose-signer.ts";
export { logAlerts } from "./log-alerts.ts";
export { nodeFetcher } from "./node-fetcher.ts";
export { nodeIds } from "./node-ids.ts";
export { nodeOneTimeCodes } from "./node-one-time-codes.ts";
export { type NodePortsOptions, nodePorts } from "./node-ports.ts";
export { nodeRandomness } from "./node-randomness.ts";
export { type OpenTelemetryMeter, withOpenTelemetry } from "./open-telemetry.ts";
export { type PinoTelemetry, pinoTelemetry } from "./pino-telemetry.ts";
export { addressesIn, blockedAddresses, isPublicAddress } from "./public-address.ts";
export { smtpMailer } from "./smtp-mailer.ts";
export { systemClock } from "./system-clock.ts";
export {
  alertJob,
  alertJobName,
  webhookAlerts,
} from "./webhook-alerts.ts";
export { zxcvbnCommonPasswords } from "./zxcvbn-common-passwords.ts";
