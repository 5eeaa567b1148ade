import type { MemoryPorts } from "@postern/core/memory";
import { on } from "@postern/inbox";
import { defineJob, newJob } from "@postern/jobs";
import { expect, test } from "vitest";
import { encoder, noop, paid, scene } from "./inbox-scene.ts";
import { withJobs } from "./with-jobs.ts";

const lines = ({ telemetry }: MemoryPorts, text: string) =>
  telemetry.entries.filter(({ message }) => message === text).map(({ fields }) => fields);

test("of repeats with other bodies ten a minute have a line, and one more line has the number of the others", async () => {
  const { deliver, ports } = await scene([noop]);
  const repeat = () => deliver(paid.replace("{", "{ "));
  const altered = "a repeat of this event carried another body; the first one stands";
  await deliver(paid);
  for (let n = 0; n < 25; n += 1) expect(await repeat()).toMatchObject({ status: 200, body: { status: "duplicate" } });
  expect(lines(ports, altered).length).toBe(10);
  await ports.clock.advance(60_000);
  expect(lines(ports, "further repeats of events carried other bodies")).toEqual([{ provider: "acme", further: 15 }]);
  await repeat();
  expect(lines(ports, altered).length).toBe(11);
});

test("of quarantined events of a sender ten a minute have a line, and each has its alert", async () => {
  const { deliver, ports } = await scene([noop]);
  for (let n = 0; n < 25; n += 1) await deliver(encoder.encode(`no json ${n}`), { id: `msg_${n}` });
  expect(lines(ports, "webhook quarantined").length).toBe(10);
  expect(ports.alerts.raised.filter(({ kind }) => kind === "event.quarantined").length).toBe(25);
  await ports.clock.advance(60_000);
  expect(lines(ports, "further webhooks were quarantined")).toEqual([{ provider: "acme", further: 15 }]);
});

test("of failed attempts that are alike ten a minute have a line, and one more line has the number of the others", async () => {
  const retry = { delaysMs: [3_600_000] };
  const fails = defineJob("fails", () => Promise.reject(new Error("no answer")), { retry });
  const other = defineJob("other", () => Promise.reject(new Error("no answer")), { retry });
  const { app, ports, work } = await withJobs([fails, other], { options: { concurrency: 50 } });
  await app.enqueue(...Array.from({ length: 25 }, () => newJob(fails, null)), newJob(other, null));
  await work(1_000);
  const failed = lines(ports, "job attempt failed").map((fields) => fields?.kind);
  expect(failed.filter((kind) => kind === "fails").length).toBe(10);
  expect(failed.filter((kind) => kind === "other").length).toBe(1);
  await ports.clock.advance(60_000);
  expect(lines(ports, "further job attempts failed in the same way")).toEqual([{ kind: "fails", further: 15 }]);
});

test("handlers that fail after they have committed do not fill the log either", async () => {
  const handler = on("acme", "*", async (_event, { commit }) => {
    await commit(async () => undefined);
    throw new Error("too late");
  });
  const { deliver, work, ports } = await scene([handler]);
  for (let n = 0; n < 25; n += 1) await deliver(paid, { id: `msg_${n}` });
  for (let n = 0; n < 5; n += 1) await work();
  expect(lines(ports, "a handler failed after it had committed; its job is done").length).toBe(10);
});
