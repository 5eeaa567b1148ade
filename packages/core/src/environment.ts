import type { LiveSessions } from "./auth/live-sessions.ts";
import type { ChangeLog } from "./changelog/change-log.ts";
import type { Deprecations } from "./deprecations/deprecations.ts";
import type { KeptAnswers } from "./idempotency/kept-answers.ts";
import type { InboxHandler } from "./inbox/handler.ts";
import type { Providers } from "./inbox/provider-registry.ts";
import type { JobHandler } from "./jobs/job-handler.ts";
import type { Schedule } from "./jobs/schedule.ts";
import type { SlotDesk } from "./jobs/slot-desk.ts";
import { defaultRetention, type Retention } from "./maintenance/maintenance.ts";
import type { Turns } from "./operations/turns.ts";
import type { Ports } from "./ports/index.ts";
import { defaultLimits, type RateLimit, type RateLimitPolicy } from "./rate-limit/limits.ts";
import type { Resource } from "./resources/resource.ts";
import type { ApiVersion } from "./versions/index.ts";

export interface Settings {
  /** Who may create users: anyone, or administrators only. */
  readonly signup: "open" | "admin";
  readonly accessTokenSeconds: number;
  /** A session ends when it has not been refreshed for this long. */
  readonly sessionSeconds: number;
  /**
   * For how long a session that was read is relied on, in milliseconds; what this process itself changes holds with the next request all the same.
   * 0, the default, reads it for every request: right wherever other processes end sessions or change roles, too.
   */
  readonly sessionsReliedOnMs: number;
  /** Off for load tests. */
  readonly rateLimits: "on" | "off";
  readonly limits: Readonly<Record<RateLimitPolicy, RateLimit>>;
  /** On: what is past its sunset is answered 410, and so is what is in a planned brown-out. Off: it goes on for as long as it is there. */
  readonly enforceSunsets: "on" | "off";
  readonly retention: Retention;
}

export const defaultSettings: Settings = {
  signup: "open",
  accessTokenSeconds: 600,
  sessionSeconds: 30 * 24 * 3600,
  sessionsReliedOnMs: 0,
  rateLimits: "on",
  limits: defaultLimits,
  enforceSunsets: "off",
  retention: defaultRetention,
};

/** Everything a use case can reach: the ports and what this application declared. */
export interface Environment {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly providers: Providers;
  readonly handlers: readonly InboxHandler[];
  readonly jobs: readonly JobHandler[];
  /** What begins at set times, maintenance included. */
  readonly schedules: readonly Schedule[];
  /** The live versions, oldest first, each with its operation table. */
  readonly versions: readonly ApiVersion[];
  readonly deprecations: Deprecations;
  /** Made when it is first asked for. */
  readonly changeLog: () => ChangeLog;
  readonly keptAnswers: KeptAnswers;
  readonly liveSessions: LiveSessions;
  readonly slotDesk: SlotDesk;
  /** By resource and id: for those who meet at one row. */
  readonly rowTurns: Turns;
}
