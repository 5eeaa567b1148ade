import {
  deprecatedUseStoreContract,
  livenessContract,
  migrationsContract,
  rateLimitStoreContract,
  storageContracts,
  takenNumbersContract,
} from "@postern/core/testing";
import { test } from "vitest";
import { onEachDatabase, onEachDatabaseItself, openStorage, withKnex } from "./databases.ts";

for (const [port, contract] of Object.entries(storageContracts)) {
  onEachDatabase(`knexStorage keeps the contract of ${port}`, ({ fresh }) => {
    for (const [promise, keep] of Object.entries(contract)) {
      test(promise, async () => {
        const { storage, close } = await fresh();
        await keep(storage);
        await close();
      });
    }
  });
}

onEachDatabase("knexStorage keeps the contract of DeprecatedUseStore", ({ fresh }) => {
  for (const [promise, keep] of Object.entries(deprecatedUseStoreContract)) {
    test(promise, async () => {
      const { deprecatedUses, close } = await fresh();
      await keep(deprecatedUses);
      await close();
    });
  }
});

onEachDatabase("knexStorage keeps the contract of RateLimitStore", ({ fresh }) => {
  for (const [promise, keep] of Object.entries(rateLimitStoreContract)) {
    test(promise, async () => {
      const { rateLimits, close } = await fresh();
      await keep(rateLimits);
      await close();
    });
  }
});

onEachDatabaseItself("knexStorage keeps the contract of Liveness", (databases) => {
  for (const [promise, keep] of Object.entries(livenessContract)) {
    test(promise, async () => {
      const url = databases.url();
      const here = await databases.fresh({ url });
      const there = openStorage({ url });
      await keep({ here: here.liveness, there: there.liveness, endThere: there.close, canTell: true });
      await here.close();
      await there.close();
    });
  }
});

onEachDatabase("knexStorage keeps the contract of migrations", (databases) => {
  for (const [promise, keep] of Object.entries(migrationsContract)) {
    test(promise, () => {
      const url = databases.url();
      return keep({ open: (resources = []) => openStorage({ url, resources }) });
    });
  }
});

onEachDatabase("knexStorage keeps the contract of taken numbers", (databases) => {
  for (const [promise, keep] of Object.entries(takenNumbersContract)) {
    test(promise, async () => {
      const before = await databases.fresh();
      const url = databases.urlOf(before);
      const after = openStorage({ url });
      await keep({
        before: before.storage,
        after: after.storage,
        fresh: () => openStorage({ url }).storage,
        forgetNumbers: () => withKnex(url, (db) => db("id_block").update({ next: 1 })),
      });
      await before.close();
      await after.close();
    });
  }
});
