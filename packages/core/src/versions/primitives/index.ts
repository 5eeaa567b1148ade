export * from "./nest-field.ts";
export * from "./remove-endpoint.ts";
export * from "./remove-field.ts";
export * from "./rename-endpoint.ts";
export * from "./rename-field.ts";
export * from "./replace-field.ts";
export * from "./require-header.ts";
export * from "./wrap-lists.ts";
