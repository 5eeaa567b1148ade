import type { OptionRules, Ports } from "@postern/core";
import { option, optionFaults, refuseFaults, required } from "@postern/core/internal";
import { inProcessWakeup, memoryMailer } from "@postern/core/memory";
import type { Mailer, Telemetry } from "@postern/core/ports";
import { type AesSecretBoxOptions, aesSecretBox } from "./aes-secret-box.ts";
import { type ArgonOptions, argonPasswordHasher } from "./argon-password-hasher.ts";
import { joseJwtVerifier } from "./jose-jwt-verifier.ts";
import { joseSigner } from "./jose-signer.ts";
import { logAlerts } from "./log-alerts.ts";
import { nodeFetcher } from "./node-fetcher.ts";
import { nodeIds } from "./node-ids.ts";
import { nodeOneTimeCodes } from "./node-one-time-codes.ts";
import { nodeRandomness } from "./node-randomness.ts";
import { pinoTelemetry } from "./pino-telemetry.ts";
import { systemClock } from "./system-clock.ts";
import { zxcvbnCommonPasswords } from "./zxcvbn-common-passwords.ts";

export interface NodePortsOptions extends AesSecretBoxOptions {
  /** Default: JSON lines on stdout from level `info`. */
  readonly telemetry?: Telemetry;
  /**
   * Addresses and ranges that `fetcher` never calls; see `NodeFetcherOptions`. Default: none but
   * those of cloud metadata services.
   */
  readonly blockAddresses?: readonly string[];
  /** How passwords are hashed, and how many at once. Default: those of `argonPasswordHasher`. */
  readonly passwords?: ArgonOptions;
  /** Default: none; no mail is sent. */
  readonly mailer?: Mailer;
}

type NodePorts = Omit<Ports, "storage" | "rateLimits" | "liveness" | "deprecatedUses" | "cronPlan">;

const rules: OptionRules = {
  secretKey: required({
    is: (value) => value instanceof Uint8Array,
    says: '32 bytes in a Uint8Array, such as Buffer.from(text, "base64")',
  }),
  previousSecretKeys: option.aList,
  telemetry: option.anObject,
  blockAddresses: option.aList,
  passwords: option.anObject,
  mailer: option.anObject,
} satisfies Readonly<Record<keyof NodePortsOptions, unknown>>;

const passwordRules: OptionRules = {
  concurrency: option.anything,
  memoryCost: option.anything,
  timeCost: option.anything,
  parallelism: option.anything,
} satisfies Readonly<Record<keyof ArgonOptions, unknown>>;

/** A caller without types can leave options out or misspell them. */
const checkOptions = (options: NodePortsOptions): void => {
  refuseFaults(optionFaults("nodePorts", options, rules));
  refuseFaults(optionFaults("nodePorts, passwords", options.passwords ?? {}, passwordRules));
};

/**
 * Makes every port that Node and its libraries can provide, with the usual settings. Together with
 * the ports of a storage adapter and of `@postern/jobs/node-cron`, these are all that `createApp` needs.
 * To replace one, put yours after the spread.
 * @throws DeclarationError for options that are missing, wrong or unknown; TypeError for a key that
 * is not 32 bytes long, and for an entry of `blockAddresses` that
 * is neither an address nor a range.
 */
export const nodePorts = (options: NodePortsOptions): NodePorts => {
  checkOptions(options);
  return portsOf(options);
};

const portsOf = ({
  telemetry = pinoTelemetry({ level: "info", format: "json" }),
  blockAddresses = [],
  passwords = {},
  mailer = memoryMailer({ target: "none" }),
  ...keys
}: NodePortsOptions): NodePorts => ({
  clock: systemClock(),
  ids: nodeIds(),
  randomness: nodeRandomness(),
  signer: joseSigner(keys),
  jwtVerifier: joseJwtVerifier(),
  passwordHasher: argonPasswordHasher(passwords),
  oneTimeCodes: nodeOneTimeCodes(),
  commonPasswords: zxcvbnCommonPasswords(),
  secretBox: aesSecretBox(keys),
  fetcher: nodeFetcher({ blockAddresses }),
  alerts: logAlerts(telemetry),
  mailer,
  telemetry,
  wakeup: inProcessWakeup(),
});
