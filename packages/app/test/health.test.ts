import { expect, test } from "vitest";
import { noop, paid, scene } from "./inbox-scene.ts";

const operator = { kind: "operator", name: "ada" } as const;

test("health counts what came since the last write, and names a sender that is refused", async () => {
  const { app, ports, deliver, work } = await scene([noop]);
  const health = async () => (await app.run({ operation: "admin.health", principal: operator })).body;
  await deliver(paid);
  await deliver(paid);
  await deliver(paid, { id: "msg_2" });
  expect(await health()).toMatchObject({
    level: "ok",
    sentence: "Webhooks flow: 3 in the last hour, none late.",
    facts: expect.arrayContaining([
      {
        kind: "deliveries",
        level: "ok",
        text: "acme in the last hour: 2 accepted, 1 duplicate.",
        mend: null,
        page: "/senders/acme",
      },
    ]),
  });
  await work();
  await ports.clock.advance(120_000);
  for (const id of ["msg_3", "msg_4", "msg_5"]) await deliver(paid, { id, tamper: true });
  await ports.clock.advance(14 * 60_000);
  expect(await health()).toMatchObject({
    level: "stopped",
    sentence: "acme has been refused for 14 minutes: the signature does not match.",
    facts: expect.arrayContaining([
      {
        kind: "deliveries",
        level: "ok",
        text: "acme in the last hour: 2 accepted, 1 duplicate, 3 refused.",
        mend: null,
        page: "/senders/acme",
      },
    ]),
  });
});
