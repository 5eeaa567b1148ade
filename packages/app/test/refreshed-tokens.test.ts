import { memoryStorage } from "@postern/core/memory";
import { describe, test } from "vitest";
import { refreshContract, refreshed } from "./refresh-contract.ts";

for (const [what, open] of Object.entries(refreshed)) {
  describe(`the refresh token of ${what} in memory`, () => {
    for (const [promise, run] of Object.entries(refreshContract)) {
      test(promise, async () => {
        const storage = memoryStorage();
        await run(await open([storage, storage]));
      });
    }
  });
}
