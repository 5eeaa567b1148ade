import { user } from "@postern/app";
import { userRow } from "@postern/core/testing";
import { createKnexStorage } from "../../src/index.ts";

/**
 * Writes a row and keeps the answer for it under a key, once to the end and once until just before
 * the commit, and dies.
 */
const { storage } = createKnexStorage({ url: process.argv[2] ?? "" });
const write = (n: number, before: () => Promise<void>) =>
  storage.transaction(async ({ resources, answers, audit }) => {
    const key = `key-${n}`;
    await answers.claim(key, 1);
    await resources.insert(user, userRow(n));
    await audit.append({
      at: 1,
      actor: { kind: "anonymous" },
      action: "users.create",
      result: "done",
      requestId: key,
      address: "192.0.2.1",
      fields: [],
    });
    await answers.keep({ key, sealed: `answer ${n}`, expiresAt: 1_000_000 });
    await before();
  });
await write(1, async () => undefined);
await write(2, async () => {
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => undefined);
});
