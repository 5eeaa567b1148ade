import type { Alerts } from "./alerts.ts";
import type { Clock } from "./clock.ts";
import type { CommonPasswords } from "./common-passwords.ts";
import type { CronPlan } from "./cron-plan.ts";
import type { DeprecatedUseStore } from "./deprecated-use-store.ts";
import type { Fetcher } from "./fetcher.ts";
import type { Ids } from "./ids.ts";
import type { JwtVerifier } from "./jwt-verifier.ts";
import type { Liveness } from "./liveness.ts";
import type { Mailer } from "./mailer.ts";
import type { OneTimeCodes } from "./one-time-codes.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import type { Randomness } from "./randomness.ts";
import type { RateLimitStore } from "./rate-limit-store.ts";
import type { SecretBox } from "./secret-box.ts";
import type { Signer } from "./signer.ts";
import type { Storage } from "./storage.ts";
import type { Telemetry } from "./telemetry.ts";
import type { Wakeup } from "./wakeup.ts";

/**
 * Everything that core needs from outside. Each port has an in-memory adapter in
 * `@postern/core/memory` and a contract suite in `@postern/core/testing`.
 */
export interface Ports {
  readonly storage: Storage;
  readonly signer: Signer;
  readonly jwtVerifier: JwtVerifier;
  readonly passwordHasher: PasswordHasher;
  readonly oneTimeCodes: OneTimeCodes;
  readonly commonPasswords: CommonPasswords;
  readonly clock: Clock;
  readonly cronPlan: CronPlan;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly rateLimits: RateLimitStore;
  readonly secretBox: SecretBox;
  readonly fetcher: Fetcher;
  readonly alerts: Alerts;
  readonly mailer: Mailer;
  readonly telemetry: Telemetry;
  readonly liveness: Liveness;
  readonly wakeup: Wakeup;
  readonly deprecatedUses: DeprecatedUseStore;
}
