import { defaultRetention, type Retention } from "@postern/core";
import { type ApiSettings, defaultApiSettings } from "@postern/rest";

export interface Settings extends ApiSettings {
  /** Who may create users: anyone, or administrators only. */
  readonly signup: "open" | "admin";
  readonly accessTokenSeconds: number;
  /** A session ends when it has not been refreshed for this long. */
  readonly sessionSeconds: number;
  /**
   * For how long a session that was read is relied on, in milliseconds. What this process itself changes
   * holds with the next request all the same. 0, the default, reads it for every request: right wherever
   * other processes end sessions or change roles, too.
   */
  readonly sessionsReliedOnMs: number;
  readonly retention: Retention;
}

export const defaultSettings: Settings = {
  ...defaultApiSettings,
  signup: "open",
  accessTokenSeconds: 600,
  sessionSeconds: 30 * 24 * 3600,
  sessionsReliedOnMs: 0,
  retention: defaultRetention,
};
