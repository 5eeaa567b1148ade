import type { Dedupe } from "@postern/webhook-verifier";

/** A provider from `WEBHOOK_<NAME>_…` variables. */
export interface ProviderEnvironment {
  /** From the variable's name: `WEBHOOK_MY_SHOP_SECRET` is the provider `my-shop`. */
  readonly name: string;
  readonly scheme: string | undefined;
  readonly secrets: readonly string[];
  readonly publicKeys: readonly string[];
  readonly jwksUrl: string | undefined;
  /** Whether secrets under 16 bytes are accepted. */
  readonly allowShort: boolean;
  /** What makes a delivery a repeat; `undefined` if the scheme decides. */
  readonly dedupe: Dedupe | undefined;
  /** Headers that are kept beside those of its scheme. */
  readonly headers: readonly string[];
  /** Whether a dead event runs again when it is sent again. */
  readonly replayOnResend: boolean;
}

const pattern =
  /^WEBHOOK_([A-Z0-9]+(?:_[A-Z0-9]+)*)_(SCHEME|SECRET|PUBLIC_KEY|JWKS_URL|ALLOW_SHORT|HEADERS|DEDUPE|DEDUPE_WINDOW|REPLAY_ON_RESEND)$/;

/** Several keys, separated by commas, while one replaces another. A PEM contains no comma. */
const listed = (text: string | undefined): readonly string[] =>
  text === undefined
    ? []
    : // `docker --env-file` keeps quotes. The whole is passed on, and the verifier names them.
      /^\s*(["']).*\1\s*$/s.test(text)
      ? [text.trim()]
      : text
          // Supabase shows its secrets with the version in front; that comma does not separate keys.
          .replaceAll("v1,whsec_", "whsec_")
          .split(",")
          .map((part) => part.trim())
          .filter((part) => part !== "");

const isOn = (variable: string, value: string | undefined, faults: string[]): boolean => {
  if (value !== undefined && value !== "1" && value !== "0") faults.push(`${variable} must be 1 or 0.`);
  return value === "1";
};

const unitSeconds: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds, or a whole number with `s`, `m`, `h` or `d`; `undefined` for anything else. */
const secondsOf = (text: string): number | undefined => {
  const [, digits = "", unit = ""] = /^([1-9]\d{0,7})([smhd]?)$/.exec(text) ?? [];
  return digits === "" ? undefined : Number(digits) * (unitSeconds[unit] ?? 1);
};

const dedupeOf = (
  variable: string,
  by: string | undefined,
  window: string | undefined,
  faults: string[],
): Dedupe | undefined => {
  const seconds = window === undefined ? undefined : secondsOf(window);
  if (window !== undefined && seconds === undefined)
    faults.push(`${variable}_WINDOW must be seconds above 0, or a number with s, m, h or d, such as 10m.`);
  if (window !== undefined && by !== "body") faults.push(`${variable}_WINDOW needs ${variable}=body.`);
  if (by === "body") return { by, windowSeconds: seconds };
  if (by === "id" || by === "none") return { by };
  if (by !== undefined) faults.push(`${variable} must be id, body or none.`);
  return undefined;
};

/** Reads every provider in the environment, and adds what is invalid to `faults`. */
export const readProviderEnvironment = (
  variables: Readonly<Record<string, string | undefined>>,
  faults: string[],
): readonly ProviderEnvironment[] => {
  const names = new Map<string, Map<string, string>>();
  for (const [variable, value] of Object.entries(variables)) {
    if (!variable.startsWith("WEBHOOK_") || value === undefined) continue;
    const match = pattern.exec(variable);
    if (match === null) {
      faults.push(
        `${variable} is not a setting: use WEBHOOK_<NAME>_SECRET, _PUBLIC_KEY, _JWKS_URL, _SCHEME, _ALLOW_SHORT, _HEADERS, _DEDUPE, _DEDUPE_WINDOW or _REPLAY_ON_RESEND.`,
      );
      continue;
    }
    const [, name = "", setting = ""] = match;
    const settings = names.get(name) ?? new Map<string, string>();
    names.set(name, settings.set(setting, value));
  }
  return [...names].map(([name, settings]) => {
    if (!["SECRET", "PUBLIC_KEY", "JWKS_URL"].some((setting) => settings.has(setting))) {
      faults.push(
        `WEBHOOK_${name}_${[...settings.keys()][0]} is set, but no key: set WEBHOOK_${name}_SECRET or WEBHOOK_${name}_PUBLIC_KEY.`,
      );
    }
    return {
      name: name.toLowerCase().replaceAll("_", "-"),
      scheme: settings.get("SCHEME"),
      secrets: listed(settings.get("SECRET")),
      publicKeys: listed(settings.get("PUBLIC_KEY")),
      jwksUrl: settings.get("JWKS_URL"),
      dedupe: dedupeOf(`WEBHOOK_${name}_DEDUPE`, settings.get("DEDUPE"), settings.get("DEDUPE_WINDOW"), faults),
      allowShort: isOn(`WEBHOOK_${name}_ALLOW_SHORT`, settings.get("ALLOW_SHORT"), faults),
      headers: listed(settings.get("HEADERS")).map((header) => header.toLowerCase()),
      replayOnResend: isOn(`WEBHOOK_${name}_REPLAY_ON_RESEND`, settings.get("REPLAY_ON_RESEND"), faults),
    };
  });
};
