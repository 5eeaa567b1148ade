export * from "./errors/index.ts";
export * from "./ports/index.ts";
export * from "./resources/index.ts";
