import type { Ports } from "../ports/ports.ts";
import { inProcessWakeup } from "./in-process-wakeup.ts";
import { type MemoryAlerts, memoryAlerts } from "./memory-alerts.ts";
import { type VirtualClock, virtualClock } from "./memory-clock.ts";
import { memoryCommonPasswords } from "./memory-common-passwords.ts";
import { memoryCronPlan } from "./memory-cron-plan.ts";
import { memoryDeprecatedUses } from "./memory-deprecated-uses.ts";
import { memoryFetcher } from "./memory-fetcher.ts";
import { memoryIds } from "./memory-ids.ts";
import { type MemoryJwts, memoryJwts } from "./memory-jwts.ts";
import { memoryLiveness } from "./memory-liveness.ts";
import { type MemoryMailer, memoryMailer } from "./memory-mailer.ts";
import { memoryOneTimeCodes } from "./memory-one-time-codes.ts";
import { memoryPasswordHasher } from "./memory-password-hasher.ts";
import { seededRandomness } from "./memory-randomness.ts";
import { memoryRateLimitStore } from "./memory-rate-limit-store.ts";
import { memorySecretBox } from "./memory-secret-box.ts";
import { memorySigner } from "./memory-signer.ts";
import { memoryStorage } from "./memory-storage.ts";
import { type MemoryTelemetry, memoryTelemetry } from "./memory-telemetry.ts";

/** Every port in memory, with the parts that a test looks at or controls. */
export interface MemoryPorts extends Ports {
  readonly clock: VirtualClock;
  readonly telemetry: MemoryTelemetry;
  readonly alerts: MemoryAlerts;
  readonly mailer: MemoryMailer;
  readonly jwtVerifier: MemoryJwts;
}

/**
 * All in-memory adapters, sharing one virtual time. Adapters in `instead` replace those of the same
 * name.
 */
export const memoryPorts = (instead: Partial<MemoryPorts> = {}): MemoryPorts => {
  const clock = instead.clock ?? virtualClock();
  const randomness = instead.randomness ?? seededRandomness(1);
  return {
    storage: memoryStorage(),
    signer: memorySigner(randomness),
    jwtVerifier: memoryJwts(),
    commonPasswords: memoryCommonPasswords(),
    passwordHasher: memoryPasswordHasher(randomness),
    oneTimeCodes: memoryOneTimeCodes(),
    clock,
    ids: memoryIds({ clock, randomness }),
    randomness,
    rateLimits: memoryRateLimitStore(),
    secretBox: memorySecretBox(),
    fetcher: memoryFetcher({}),
    alerts: memoryAlerts(),
    mailer: memoryMailer(),
    telemetry: memoryTelemetry(),
    liveness: memoryLiveness(),
    cronPlan: memoryCronPlan(),
    wakeup: inProcessWakeup(),
    deprecatedUses: memoryDeprecatedUses(),
    ...instead,
  };
};
