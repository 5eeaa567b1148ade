import { memoryFetcher, memoryPorts } from "@postern/core/memory";
import { on } from "@postern/inbox";
import { forwardHandler } from "@postern/inbox/internal";
import { Permanent, RetryAt } from "@postern/jobs";
import { createVerifier } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { describe, expect, test } from "vitest";
import { noop, paid, scene, secret } from "./inbox-scene.ts";

describe("running a handler", () => {
  test("tries again as senders do, and gives up after the last time", async () => {
    const attempts: number[] = [];
    const retry = { delaysMs: [5_000, 30_000] };
    const failing = on(
      "acme",
      "*",
      async (_event, { attempt }) => {
        attempts.push(attempt);
        throw new Error("no use");
      },
      { retry },
    );
    const { deliver, work, states, ports } = await scene([failing]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["retrying"]);
    await ports.clock.advance(2_000);
    expect(await work()).toBe(0);
    await ports.clock.advance(3_000);
    expect(await work()).toBe(1);
    await ports.clock.advance(30_000);
    await work();
    expect(attempts).toEqual([1, 2, 3]);
    expect(await states()).toEqual(["dead"]);
    expect(ports.alerts.raised).toEqual([expect.objectContaining({ kind: "job.dead" })]);
  });

  test("gives up at once on what is permanent", async () => {
    const { deliver, work, states } = await scene([
      on("acme", "*", async () => {
        throw new Permanent("customer was deleted");
      }),
    ]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["dead"]);
  });

  test("waits as long as the handler says", async () => {
    const ports = memoryPorts();
    const at = ports.clock.now() + 77_000;
    const { deliver, work } = await scene(
      [
        on("acme", "*", async () => {
          throw new RetryAt(at, "busy");
        }),
      ],
      ports,
    );
    await deliver(paid);
    await work();
    expect(await ports.storage.jobs.nextDueAt()).toBe(at);
  });

  test("writes the effect and the end of the job together", async () => {
    const { deliver, work, states, ports } = await scene([
      on("acme", "*", async (_event, { commit }) => {
        await commit(async (_rows, { jobs }) => jobs.enqueue([{ kind: "mail", maxAttempts: 1, dueAt: 9e12 }], 0));
        throw new Error("too late to matter");
      }),
    ]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["processed"]);
    expect(await ports.storage.jobRecords.list({ kind: "mail", limit: 5 })).toHaveLength(1);
  });

  test("writes no effect when the commit fails", async () => {
    const { deliver, work, states, ports } = await scene([
      on("acme", "*", async (_event, { commit }) => {
        await commit(async (_rows, { jobs }) => {
          await jobs.enqueue([{ kind: "mail", maxAttempts: 1 }], 0);
          throw new Error("constraint");
        });
      }),
    ]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["retrying"]);
    expect(await ports.storage.jobRecords.list({ kind: "mail", limit: 5 })).toHaveLength(0);
  });

  test("tells a slow handler to stop, and goes on without one that does not listen", async () => {
    const reasons: unknown[] = [];
    const deaf = on(
      "acme",
      "*",
      (_event, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
        }),
      { timeoutMs: 1_000 },
    );
    const { deliver, work, states, ports } = await scene([deaf]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["processing"]);
    await ports.clock.advance(1_000);
    expect(reasons).toEqual(["timeout"]);
    await ports.clock.advance(10_000);
    expect(await states()).toEqual(["retrying"]);
  });

  test("runs each handler that wants the event by itself", async () => {
    let flaky = 0;
    const { deliver, work, states } = await scene([
      noop,
      on(
        "*",
        "invoice.*",
        async () => {
          flaky += 1;
          if (flaky === 1) throw new Error("once");
        },
        { name: "flaky", retry: { delaysMs: [0] } },
      ),
    ]);
    await deliver(paid);
    await work();
    await work();
    expect(flaky).toBe(2);
    expect(await states()).toEqual(["processed"]);
  });
});

describe("forwarding", () => {
  const route = { provider: "*", type: "*", url: "https://app.example.com/hooks", secret };

  const forwarding = async (answer: { status: number; headers?: Record<string, string> }) => {
    const memory = memoryPorts();
    const fetcher = memoryFetcher({ [route.url]: () => answer });
    const forward = forwardHandler({ ...memory, fetcher }, route);
    return { ...(await scene([forward], { ...memory, fetcher })), fetcher };
  };

  test("sends the same bytes on, signed anew", async () => {
    const { deliver, work, states, fetcher, ports } = await forwarding({ status: 204 });
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["processed"]);
    const [sent] = fetcher.requests;
    if (sent?.body === undefined) throw new Error("nothing was sent");
    const verifier = createVerifier(standardWebhooks, { keys: secret, now: () => ports.clock.now() });
    const delivery = await verifier.verify({ headers: { ...sent.headers }, body: sent.body });
    expect(new TextDecoder().decode(delivery.body)).toBe(paid);
    expect(sent.headers).toMatchObject({ "postern-provider": "acme", "postern-event-type": "invoice.paid" });
  });

  test.each([
    [{ status: 500 }, "retrying"],
    [{ status: 302 }, "retrying"],
    [{ status: 410 }, "dead"],
  ])("treats %o as %s", async (answer, state) => {
    const { deliver, work, states } = await forwarding(answer);
    await deliver(paid);
    await work();
    expect(await states()).toEqual([state]);
  });

  test("waits as long as the target asks for", async () => {
    const { deliver, work, ports } = await forwarding({ status: 429, headers: { "retry-after": "120" } });
    await deliver(paid);
    const before = ports.clock.now();
    await work();
    expect(await ports.storage.jobs.nextDueAt()).toBe(before + 120_000);
  });
});
