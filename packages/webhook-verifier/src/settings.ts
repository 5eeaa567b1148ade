import { misconfigured } from "./errors.ts";
import type { Credential, Scheme, Settings } from "./scheme.ts";

/**
 * Checks the settings against what the scheme needs, and returns them. @throws WebhookConfigError
 * `setting_invalid`
 */
export const checkSettings = (scheme: Scheme, given: Settings = {}): Settings => {
  const wanted = scheme.settings ?? {};
  for (const name in given)
    if (!Object.hasOwn(wanted, name)) misconfigured("setting_invalid", `${scheme.name} needs no setting ${name}.`);
  for (const [name, { about, required, list }] of Object.entries(wanted)) {
    const value = given[name];
    // Texts and lists have a length; nothing else is accepted.
    if (
      value === undefined
        ? required
        : !(value.length > 0 && (typeof value === "string" || (list && Array.isArray(value))))
    )
      misconfigured("setting_invalid", `${scheme.name} needs the setting ${name}: ${about}.`);
  }
  return given;
};

/** A setting with one value; `undefined` if it is not set. */
export const settingOf = (settings: Settings, name: string): string | undefined => {
  const value = settings[name];
  return typeof value === "string" ? value : value?.[0];
};

/** A setting as a list; empty if it is not set. */
export const settingsOf = (settings: Settings, name: string): readonly string[] => {
  const value = settings[name];
  return value === undefined ? [] : typeof value === "string" ? [value] : value;
};

/**
 * Every place outside the body where this receiver's sender can show a signature or a secret: the
 * scheme's own, and those that settings name.
 */
export const credentialsOf = (scheme: Scheme, settings: Settings): readonly Credential[] => [
  ...scheme.credentials,
  ...Object.entries(scheme.settings ?? {}).flatMap(([name, { credential }]) =>
    credential === undefined
      ? []
      : settingsOf(settings, name).map(
          (value): Credential => (credential === "query" ? `query:${value}` : `header:${value.toLowerCase()}`),
        ),
  ),
];
