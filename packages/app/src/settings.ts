import { type ApiSettings, defaultApiSettings } from "@postern/rest";
import type { ProductInForce } from "@postern/rest/internal";
import type { ConsoleFile } from "./console/console-files.ts";
import type { NamedIssuer } from "./outside/outside-issuer.ts";
import { defaultRetention, type Retention } from "./retention.ts";

export interface Settings extends ApiSettings {
  /**
   * The longest body of a webhook in bytes, as the OpenAPI document states it. HTTP enforces it, so
   * give the same value there (`webhookLimitBytes` of `@postern/http`).
   */
  readonly webhookLimitBytes: number;
  /** Who may create users: anyone, or administrators only. */
  readonly signup: "open" | "admin";
  /**
   * The URL of this server with its base path, which access tokens name as their issuer. Absent
   * where the server has none: tokens then name `postern`, and there is no OAuth 2.
   */
  readonly issuer?: string;
  /**
   * An issuer of OpenID Connect whose access tokens are accepted in addition to our own. Default:
   * none. It needs the part `users`.
   */
  readonly outsideIssuer?: NamedIssuer;
  /** For how long the tokens of a key stay valid after another one has taken its place. */
  readonly signingKeyOverlapSeconds: number;
  /** A session ends if it is not refreshed for this long. */
  readonly sessionSeconds: number;
  /** A session ends this long after its sign-in, however often it is refreshed. */
  readonly sessionMostSeconds: number;
  /**
   * The longest archive of a user's data, in bytes of JSON. It is in memory while it is made and
   * sent.
   */
  readonly exportBytes: number;
  /**
   * How many milliseconds a session is used again after it was read. Changes by this process itself
   * always take effect with the next request. With 0 (the default), the session is read for every
   * request. Keep 0 if other processes also end sessions or change roles.
   */
  readonly sessionsReliedOnMs: number;
  /**
   * The URL of the page that links in mails lead to: `https://api.example.com/api/account`. Without
   * it no mails about accounts are sent.
   */
  readonly accountPage: string | undefined;
  /**
   * True if a sign-up and a change of address take effect when the owner of the address opens a
   * mailed link, so that nobody learns which addresses have accounts. Needs mail.
   */
  readonly confirmAddresses: boolean;
  /** `required`: a role above `user` has effect only for users with a second factor. */
  readonly adminMfa: "optional" | "required";
  /** True if a sign-in needs a verified address. Needs mail. */
  readonly requireVerified: boolean;
  readonly retention: Retention;
  /** The console, which needs the part `users`. Default: none. */
  readonly console?: {
    /** The built files. */
    readonly files: readonly ConsoleFile[];
    /** The name of this installation, which the console shows. */
    readonly environment: string;
  };
}

/** The settings with what the application says beside them. */
export interface SettingsInForce extends Settings {
  readonly product: ProductInForce;
}

export const defaultSettings: Settings = {
  ...defaultApiSettings,
  webhookLimitBytes: 5 * 1024 * 1024,
  signup: "open",
  signingKeyOverlapSeconds: 3600,
  sessionSeconds: 14 * 24 * 3600,
  sessionMostSeconds: 90 * 24 * 3600,
  exportBytes: 8 * 1024 * 1024,
  sessionsReliedOnMs: 0,
  accountPage: undefined,
  confirmAddresses: false,
  adminMfa: "optional",
  requireVerified: false,
  retention: defaultRetention,
};
