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
}

const pattern = /^WEBHOOK_([A-Z0-9]+(?:_[A-Z0-9]+)*)_(SCHEME|SECRET|PUBLIC_KEY|JWKS_URL|ALLOW_SHORT)$/;

/** Several keys, separated by commas, while one replaces another. A PEM contains no comma. */
const listed = (text: string | undefined): readonly string[] =>
  text === undefined
    ? []
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
        `${variable} is not a setting: use WEBHOOK_<NAME>_SECRET, _PUBLIC_KEY, _JWKS_URL, _SCHEME or _ALLOW_SHORT.`,
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
        `WEBHOOK_${name}_${settings.has("SCHEME") ? "SCHEME" : "ALLOW_SHORT"} is set, but no key: set WEBHOOK_${name}_SECRET or WEBHOOK_${name}_PUBLIC_KEY.`,
      );
    }
    return {
      name: name.toLowerCase().replaceAll("_", "-"),
      scheme: settings.get("SCHEME"),
      secrets: listed(settings.get("SECRET")),
      publicKeys: listed(settings.get("PUBLIC_KEY")),
      jwksUrl: settings.get("JWKS_URL"),
      allowShort: isOn(`WEBHOOK_${name}_ALLOW_SHORT`, settings.get("ALLOW_SHORT"), faults),
    };
  });
};
