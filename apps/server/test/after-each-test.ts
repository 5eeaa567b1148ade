import { afterEach } from "vitest";
import { endAll } from "./databases.ts";
import { killAll } from "./server-process.ts";

// A setup file runs before each file of tests, also where they share a process and its modules.
afterEach(async () => {
  // A database may only be dropped when what ends first has ended; its folder goes last.
  await endAll();
  await killAll();
});
