export * from "./api-versions.ts";
export { builtInVersions } from "./built-in-versions.ts";
export * from "./primitives/index.ts";
export type * from "./version.ts";
