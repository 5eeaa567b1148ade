/**
 * The table of all schemes. To import it takes four times as long as the rest of the package.
 * @packageDocumentation
 */

import { all, type Schemes } from "./generated/schemes.ts";
import type { Scheme } from "./scheme.ts";
import { unknownScheme } from "./unknown-scheme.ts";

/**
 * Every scheme by name, in an object without a prototype: `name in schemes` is true for schemes
 * only. Import a single scheme from `@postern/webhook-verifier/schemes/<name>` to ship nothing
 * else.
 */
export const schemes: Schemes = /* @__PURE__ */ Object.assign(/* @__PURE__ */ Object.create(null), all);

/**
 * Finds the scheme of a name that comes from a configuration. It loads all schemes; `loadScheme`
 * loads only one.
 * @throws WebhookConfigError `scheme_unknown`; its message suggests the nearest name.
 */
export const findScheme = (name: string): Scheme =>
  (schemes as Readonly<Record<string, Scheme | undefined>>)[name] ?? unknownScheme(name, Object.keys(schemes));
