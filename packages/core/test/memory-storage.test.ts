import { memoryStorage } from "@postern/core/memory";
import { storageContracts, takenNumbersContract } from "@postern/core/testing";
import { describe, test } from "vitest";
import { memoryProcesses } from "../src/memory/memory-storage.ts";

for (const [name, contract] of Object.entries(storageContracts)) {
  describe(`memoryStorage keeps the contract of ${name}`, () => {
    for (const [promise, keep] of Object.entries(contract)) test(promise, () => keep(memoryStorage()));
  });
}

describe("memoryProcesses keep the contract of taken numbers", () => {
  for (const [promise, keep] of Object.entries(takenNumbersContract)) {
    test(promise, async () => {
      const { storages, forgetNumbers } = memoryProcesses(8);
      const [before, after, ...others] = storages;
      if (before === undefined || after === undefined) throw new Error("two were asked for");
      await keep({ before, after, fresh: () => others.pop() ?? before, forgetNumbers: async () => forgetNumbers() });
    });
  }
});
