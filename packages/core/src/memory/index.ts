export { memoryStorage } from "./memory-storage.ts";
export * from "./small-ports.ts";
