import type { Scheme } from "./scheme.ts";
import { schemes } from "./schemes/index.ts";
import { unknownScheme } from "./unknown-scheme.ts";

/**
 * The scheme of that name, for names that come from a configuration. All schemes are loaded with it; `loadScheme` loads
 * one.
 * @throws WebhookConfigError `scheme_unknown`; its message suggests the nearest name.
 */
export const findScheme = (name: string): Scheme =>
  (schemes as Readonly<Record<string, Scheme | undefined>>)[name] ?? unknownScheme(name, Object.keys(schemes));
