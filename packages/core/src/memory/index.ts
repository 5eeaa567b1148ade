export { type MemoryPorts, memoryPorts } from "./memory-ports.ts";
export { memoryStorage, memoryWriters } from "./memory-storage.ts";
export * from "./small-ports.ts";
