import type { Scheme } from "./scheme.ts";
import { schemes } from "./schemes/index.ts";
import { unknownScheme } from "./unknown-scheme.ts";

/**
 * Finds the scheme of a name that comes from a configuration. It loads all schemes; `loadScheme`
 * loads only one.
 * @throws WebhookConfigError `scheme_unknown`; its message suggests the nearest name.
 */
export const findScheme = (name: string): Scheme =>
  (schemes as Readonly<Record<string, Scheme | undefined>>)[name] ?? unknownScheme(name, Object.keys(schemes));
