export { builtInDeprecations } from "./built-in-deprecations.ts";
export * from "./deprecation.ts";
