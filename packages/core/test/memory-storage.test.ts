import { memoryStorage } from "@postern/core/memory";
import { storageContracts } from "@postern/core/testing";
import { describe, test } from "vitest";

for (const [name, contract] of Object.entries(storageContracts)) {
  describe(`memoryStorage keeps the contract of ${name}`, () => {
    for (const [promise, keep] of Object.entries(contract)) test(promise, () => keep(memoryStorage()));
  });
}
