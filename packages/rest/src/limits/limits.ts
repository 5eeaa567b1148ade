import type { Ports, RateLimitDecision, RateLimitRequest } from "@postern/core";
import { AppError } from "@postern/core";
import type { Principal } from "../access/principal.ts";
import type { AtOnceLimit } from "./requests-at-once.ts";

/** How many uses fit into one window; also the burst. */
export interface RateLimit {
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * What is limited. `address` and `default` hold for every request, by network address and by principal; the others for what strangers may do: sign-ins by
 * address and, where they fail, by account, and sign-ups by address.
 */
export type RateLimitPolicy = "address" | "default" | "sign-in" | "sign-in-account" | "sign-in-pair" | "sign-up";

const minute = 60_000;

export const defaultLimits: Readonly<Record<RateLimitPolicy, RateLimit>> = {
  address: { limit: 3000, windowMs: minute },
  default: { limit: 600, windowMs: minute },
  "sign-in": { limit: 20, windowMs: minute },
  "sign-in-account": { limit: 10, windowMs: 15 * minute },
  "sign-in-pair": { limit: 5, windowMs: 15 * minute },
  "sign-up": { limit: 20, windowMs: minute },
};

/** Policies that hold only if every node keeps to them together, and that stay shut when nobody can say how much was used. */
const strict: ReadonlySet<RateLimitPolicy> = new Set(["sign-in", "sign-in-account", "sign-in-pair", "sign-up"]);

/** A use that can be given back, as if it had not been. */
export interface Use {
  giveBack(): Promise<void>;
}

/** The limits that one request has met so far. */
export interface RequestLimits {
  /** @throws AppError `rate_limited`; `unavailable` when a strict policy's state cannot be had. */
  take(policy: RateLimitPolicy, key: string): Promise<Use>;
  /** Takes a use of the first policy or, where there is none left, of the second. @throws AppError as `take`. */
  takeEither(first: readonly [RateLimitPolicy, string], second: readonly [RateLimitPolicy, string]): Promise<Use>;
  /** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
  headers(): Readonly<Record<string, string>>;
}

const nothingTaken: Use = { giveBack: async () => undefined };
const unlimited: RequestLimits = {
  take: async () => nothingTaken,
  takeEither: async () => nothingTaken,
  headers: () => ({}),
};

/** Seconds, never 0 for something that is still to come. */
const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000);

/** Which limits there are, and whether they are kept. */
export interface LimitSettings {
  /** Off for load tests. */
  readonly rateLimits: "on" | "off";
  readonly limits: Readonly<Record<RateLimitPolicy, RateLimit>>;
  /** How many requests of one user are answered at once; not bounded where `rateLimits` is off. */
  readonly atOnce: AtOnceLimit;
}

/**
 * The state of the limits for one request. A caller who is known already (the command line) has none.
 */
export const limitsOf = (
  ports: Pick<Ports, "rateLimits" | "clock" | "telemetry">,
  settings: LimitSettings,
  credential: Principal | (() => string | undefined),
): RequestLimits => {
  if (settings.rateLimits === "off" || typeof credential !== "function") return unlimited;
  const met = new Map<RateLimitPolicy, RateLimitDecision>();

  const tryTo = async (policy: RateLimitPolicy, key: string): Promise<Use | RateLimitDecision> => {
    const request: RateLimitRequest = {
      key: `${policy}:${key}`,
      ...settings.limits[policy],
      now: ports.clock.now(),
      exact: strict.has(policy),
    };
    try {
      const decision = await ports.rateLimits.take(request);
      met.set(policy, decision);
      if (!decision.allowed) return decision;
    } catch (cause) {
      ports.telemetry.count("rate_limit_faults_total", { policy });
      if (!strict.has(policy)) return nothingTaken;
      throw new AppError("unavailable", {
        detail: "This cannot be checked against its limits at the moment.",
        headers: { "retry-after": "1" },
        cause,
      });
    }
    return {
      giveBack: async () => {
        // What cannot be given back is missed for a while, and no more.
        await ports.rateLimits
          .giveBack(request)
          .catch(() => ports.telemetry.count("rate_limit_faults_total", { policy }));
      },
    };
  };

  const refusal = (policies: readonly RateLimitPolicy[], { retryAfterMs }: RateLimitDecision): AppError =>
    new AppError("rate_limited", {
      detail: `Too many requests; wait ${seconds(retryAfterMs)} s.`,
      headers: { "retry-after": String(seconds(retryAfterMs)) },
      extra: { type: "https://iana.org/assignments/http-problem-types#quota-exceeded", "violated-policies": policies },
    });

  return {
    take: async (policy, key) => {
      const taken = await tryTo(policy, key);
      if ("giveBack" in taken) return taken;
      throw refusal([policy], taken);
    },
    takeEither: async (first, second) => {
      const taken = await tryTo(...first);
      if ("giveBack" in taken) return taken;
      const instead = await tryTo(...second);
      if ("giveBack" in instead) return instead;
      throw refusal([first[0], second[0]], taken.retryAfterMs < instead.retryAfterMs ? taken : instead);
    },
    headers: () => {
      if (met.size === 0) return {};
      const entries = [...met];
      return {
        ratelimit: entries
          .map(([policy, { remaining, resetMs }]) => `"${policy}";r=${remaining};t=${seconds(resetMs)}`)
          .join(", "),
        "ratelimit-policy": entries
          .map(([policy]) => {
            const { limit, windowMs } = settings.limits[policy];
            return `"${policy}";q=${limit};w=${seconds(windowMs)}`;
          })
          .join(", "),
      };
    },
  };
};
