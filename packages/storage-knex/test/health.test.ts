import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { expect, test } from "vitest";
import { onEachDatabase } from "./databases.ts";

onEachDatabase("the health", (databases) => {
  test("tries a write, and leaves nothing of it", async () => {
    const { storage } = await databases.fresh();
    const app = createApp({ ports: { ...memoryPorts(), storage } });
    const principal = { kind: "operator", name: "test" } as const;
    for (let times = 0; times < 3; times += 1) {
      const [first, second] = await Promise.all(
        [1, 2].map(async () => (await app.run({ operation: "admin.health", principal })).body),
      );
      for (const body of [first, second])
        expect(Object(body).facts).not.toContainEqual(expect.objectContaining({ kind: "read_only" }));
      expect(await storage.queues.list()).toEqual([]);
    }
  });
});
