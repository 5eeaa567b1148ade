import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import { expectProblem } from "./support/problem.ts";
import { makeApp, serve } from "./support/serve.ts";

test("beyond the bound requests are refused at once, and served again when others have their answer", async () => {
  const made = makeApp();
  const gate = new EventEmitter();
  let held = 0;
  const app = {
    ...made.app,
    handle: async (request: Parameters<typeof made.app.handle>[0]) => {
      held += 1;
      if (held === 2) gate.emit("full");
      await once(gate, "open");
      return made.app.handle(request);
    },
  };
  const { url } = await serve({ maxInFlight: 2 }, { ...made, app });
  const full = once(gate, "full");
  const waiting = [fetch(`${url}/api`), fetch(`${url}/api`)];
  await full;
  const refused = await fetch(`${url}/api/v2/users`);
  await expectProblem(refused, "overloaded");
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  gate.emit("open");
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  const next = fetch(`${url}/api`);
  await expect.poll(() => held).toBe(3);
  gate.emit("open");
  expect((await next).status).toBe(200);
});
