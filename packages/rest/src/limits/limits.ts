import { AppError, type Ports } from "@postern/core";
import type { RateLimitDecision, RateLimitRequest } from "@postern/core/ports";
import type { Principal } from "../access/principal.ts";

/** How many uses fit into one window. All of them may come in one burst. */
export interface RateLimit {
  readonly limit: number;
  readonly windowMs: number;
}

const minute = 60_000;

/**
 * The limits. `address` and `default` apply to every request, by network address and by principal.
 * The others apply to what strangers may do: sign-ins by address and, if they fail, by account and
 * by account and address; sign-ups by address. `sign-in-alert` bounds the alerts about attacks on
 * one account, and `address-change` the mails that one account can have sent to other addresses.
 * `admin-refusal` bounds the entries of the audit log about one user who is no administrator.
 */
export const defaultLimits = {
  address: { limit: 3000, windowMs: minute },
  default: { limit: 600, windowMs: minute },
  "sign-in": { limit: 20, windowMs: minute },
  "sign-in-account": { limit: 20, windowMs: 15 * minute },
  "sign-in-newcomer": { limit: 3, windowMs: 15 * minute },
  // The wait between two failures of one address at one account grows from 12 s over 90 s to 18
  // min.
  "sign-in-pair": { limit: 5, windowMs: minute },
  "sign-in-pair-slower": { limit: 10, windowMs: 15 * minute },
  "sign-in-pair-slowest": { limit: 40, windowMs: 12 * 60 * minute },
  "sign-in-alert": { limit: 1, windowMs: 15 * minute },
  "sign-up": { limit: 20, windowMs: minute },
  "address-change": { limit: 5, windowMs: 30 * minute },
  "admin-refusal": { limit: 20, windowMs: 15 * minute },
} satisfies Readonly<Record<string, RateLimit>>;

/** The name of a limit. */
export type RateLimitPolicy = keyof typeof defaultLimits;

/**
 * Policies that need not hold over all nodes together. If the state of any other cannot be read, the
 * request is refused.
 */
const lenient: ReadonlySet<RateLimitPolicy> = new Set(["address", "default", "sign-in-alert", "admin-refusal"]);

/** Policies that bound what is told about requests, and no request. So no answer names them. */
const untold: ReadonlySet<RateLimitPolicy> = new Set(["sign-in-alert", "admin-refusal"]);

type KeyedPolicy = readonly [policy: RateLimitPolicy, key: string];

/** Uses that can be given back together, as if they had never happened. */
export interface Use {
  /** True if the first of two policies had no use left, so a use of the second was taken. */
  readonly instead?: true;
  giveBack(): Promise<void>;
}

/** The limits that one request has met so far. */
export interface RequestLimits {
  /**
   * Takes one use.
   * @throws AppError `rate_limited`; `unavailable` when the state of a policy cannot be read that
   *   must hold over all nodes together.
   */
  take(policy: RateLimitPolicy, key: string): Promise<Use>;
  /**
   * Takes a use of each of the policies `always` and, after them, of the first of the `either`
   * policies or, if it has none left, of the second. Takes all of these uses or none, in one step.
   * @throws AppError as `take`.
   */
  takeEach(always: readonly KeyedPolicy[], either: readonly [KeyedPolicy, KeyedPolicy]): Promise<Use>;
  /** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
  headers(): Readonly<Record<string, string>>;
}

interface Refusal {
  readonly refusedBy: RateLimitPolicy;
  readonly decision: RateLimitDecision;
}

const nothingTaken: Use = { giveBack: async () => undefined };
const unlimited: RequestLimits = {
  take: async () => nothingTaken,
  takeEach: async () => nothingTaken,
  headers: () => ({}),
};

/** Whole seconds, rounded up, so that it is never 0 for a time in the future. */
const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000);

/** The limits, and whether they are enforced. */
export interface LimitSettings {
  /** Off for load tests. */
  readonly rateLimits: "on" | "off";
  readonly limits: Readonly<Record<RateLimitPolicy, RateLimit>>;
  /** How many requests of one user are answered at once. No bound if `rateLimits` is off. */
  readonly requestsAtOnce: number;
}

/** Makes the limits of each request. A caller who is already known (the command line) has none. */
export const limitsOf = (
  ports: Pick<Ports, "rateLimits" | "clock" | "telemetry">,
  settings: LimitSettings,
): ((request: { readonly principal?: Principal }) => RequestLimits) => {
  const policyTexts = new Map(
    Object.entries(settings.limits).map(([policy, { limit, windowMs }]) => [
      policy,
      `"${policy}";q=${limit};w=${seconds(windowMs)}`,
    ]),
  );

  const noteFaults = (keyed: readonly KeyedPolicy[]): void => {
    for (const [policy] of keyed) ports.telemetry.count("rate_limit_faults_total", { policy });
  };

  return ({ principal }) => {
    if (settings.rateLimits === "off" || principal !== undefined) return unlimited;
    const met = new Map<RateLimitPolicy, RateLimitDecision>();

    /** Takes a use of each policy, or of none. */
    const tryTo = async (keyed: readonly KeyedPolicy[]): Promise<Use | Refusal> => {
      const now = ports.clock.now();
      const requests: RateLimitRequest[] = [];
      for (const [policy, key] of keyed) {
        requests.push({ key: `${policy}:${key}`, ...settings.limits[policy], now, exact: !lenient.has(policy) });
      }
      try {
        const decisions = await ports.rateLimits.takeEach(requests);
        for (const [index, decision] of decisions.entries()) {
          const policy = keyed[index]?.[0];
          if (policy === undefined) continue;
          if (!untold.has(policy)) met.set(policy, decision);
          if (!decision.allowed) return { refusedBy: policy, decision };
        }
      } catch (cause) {
        noteFaults(keyed);
        if (keyed.every(([policy]) => lenient.has(policy))) return nothingTaken;
        throw new AppError("unavailable", {
          detail: "This cannot be checked against its limits at the moment.",
          headers: { "retry-after": "1" },
          cause,
        });
      }
      return {
        giveBack: async () => {
          // If uses cannot be given back, they count until their windows have passed.
          await ports.rateLimits.giveBackEach(requests).catch(() => noteFaults(keyed));
        },
      };
    };

    return {
      take: async (policy, key) => {
        const taken = await tryTo([[policy, key]]);
        if ("giveBack" in taken) return taken;
        throw refusal([policy], taken.decision);
      },
      takeEach: async (always, [first, second]) => {
        const taken = await tryTo([...always, first]);
        if ("giveBack" in taken) return taken;
        if (taken.refusedBy !== first[0]) throw refusal([taken.refusedBy], taken.decision);
        const instead = await tryTo([...always, second]);
        if ("giveBack" in instead) return { ...instead, instead: true };
        if (instead.refusedBy !== second[0]) throw refusal([instead.refusedBy], instead.decision);
        const sooner = taken.decision.retryAfterMs < instead.decision.retryAfterMs ? taken : instead;
        throw refusal([first[0], second[0]], sooner.decision);
      },
      headers: () => {
        if (met.size === 0) return {};
        const left: string[] = [];
        const policies: (string | undefined)[] = [];
        for (const [policy, { remaining, resetMs }] of met) {
          left.push(`"${policy}";r=${remaining};t=${seconds(resetMs)}`);
          policies.push(policyTexts.get(policy));
        }
        return { ratelimit: left.join(", "), "ratelimit-policy": policies.join(", ") };
      },
    };
  };
};

const refusal = (policies: readonly RateLimitPolicy[], { retryAfterMs }: RateLimitDecision): AppError =>
  new AppError("rate_limited", {
    detail: `Too many requests; wait ${seconds(retryAfterMs)} s.`,
    headers: { "retry-after": String(seconds(retryAfterMs)) },
    extra: { type: "https://iana.org/assignments/http-problem-types#quota-exceeded", "violated-policies": policies },
  });

/** The first half of an IPv6 address; its holder can choose the other half. */
const networkGroups = 4;

/**
 * The address that a limit counts: an IPv4 address itself, and of an IPv6 address its /64, because
 * a subscriber gets all 2^64 addresses of it (RFC 6177, section 2). A text that is not an address
 * stays as it is.
 */
export const networkOf = (address: string): string => {
  if (!address.includes(":")) return address;
  const [text = ""] = address.split("%", 1);
  const [head = [], tail = []] = text.split("::").map((part) => (part === "" ? [] : part.split(":")));
  // An IPv4 address at the end takes the place of two groups.
  const written = head.length + tail.length + (text.includes(".") ? 1 : 0);
  const groups = [...head, ...Array.from({ length: Math.max(0, 8 - written) }, () => "0"), ...tail];
  const network = groups.slice(0, networkGroups).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
};
