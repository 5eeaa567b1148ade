/**
 * The table of all schemes. To import it takes four times as long as the rest of the package.
 * @packageDocumentation
 */

export { findScheme } from "./find-scheme.ts";
export { schemes } from "./schemes/index.ts";
