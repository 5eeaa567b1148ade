/**
 * Loads schemes by a name that comes from a configuration. This is an entry of its own: bundlers
 * without code splitting wrap every module that can be loaded late, in each program that imports
 * this file.
 * @packageDocumentation
 */

import { loaders } from "./generated/loaders.ts";
import type { Scheme } from "./scheme.ts";
import { unknownScheme } from "./unknown-scheme.ts";

/** The names of all schemes in alphabetical order. It loads none of them. */
export const schemeNames: readonly string[] = /* @__PURE__ */ Object.keys(loaders);

/**
 * Loads the scheme of a name that comes from a configuration. It loads only the module of that
 * scheme, so it costs a fraction of `findScheme`.
 * @throws WebhookConfigError `scheme_unknown`; its message suggests the nearest name.
 */
export const loadScheme = async (name: string): Promise<Scheme> =>
  // The line above has shown that the name is in the table.
  Object.hasOwn(loaders, name) ? loaders[name as keyof typeof loaders]() : unknownScheme(name, schemeNames);
