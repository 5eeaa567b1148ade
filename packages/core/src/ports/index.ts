import type { Alerts } from "./alerts.ts";
import type { Clock } from "./clock.ts";
import type { Fetcher } from "./fetcher.ts";
import type { Ids } from "./ids.ts";
import type { Liveness } from "./liveness.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import type { Randomness } from "./randomness.ts";
import type { RateLimitStore } from "./rate-limit-store.ts";
import type { SecretBox } from "./secret-box.ts";
import type { Signer } from "./signer.ts";
import type { Storage } from "./storage.ts";
import type { Telemetry } from "./telemetry.ts";
import type { Wakeup } from "./wakeup.ts";

/** Everything core needs from outside. Each has an in-memory adapter in `@postern/core/memory` and a contract in `@postern/core/testing`. */
export interface Ports {
  readonly storage: Storage;
  readonly signer: Signer;
  readonly passwordHasher: PasswordHasher;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly rateLimits: RateLimitStore;
  readonly secretBox: SecretBox;
  readonly fetcher: Fetcher;
  readonly alerts: Alerts;
  readonly telemetry: Telemetry;
  readonly liveness: Liveness;
  readonly wakeup: Wakeup;
}

export type * from "./alerts.ts";
export type * from "./clock.ts";
export * from "./condition.ts";
export type * from "./event-store.ts";
export type * from "./fetcher.ts";
export type * from "./ids.ts";
export * from "./job-store.ts";
export type * from "./liveness.ts";
export type * from "./password-hasher.ts";
export type * from "./randomness.ts";
export type * from "./rate-limit-store.ts";
export * from "./resource-repository.ts";
export type * from "./secret-box.ts";
export type * from "./signer.ts";
export type * from "./storage.ts";
export type * from "./telemetry.ts";
export type * from "./wakeup.ts";
