import { defineConfig } from "@postern/server";
import { memoryAdapter } from "./memory-adapter.ts";
import { timedStorage } from "./timed-storage.ts";

export default defineConfig({
  storage: timedStorage(memoryAdapter(), {
    slowMs: 100,
    tell: (ms) => console.warn(`a transaction took ${Math.round(ms)} ms`),
  }),
});
