import {
  type App,
  AppError,
  createApp,
  defineProvider,
  type InboxHandler,
  on,
  Permanent,
  RetryAt,
} from "@postern/core";
import { type MemoryPorts, memoryFetcher, memoryPorts } from "@postern/core/memory";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { describe, expect, test } from "vitest";
import { forwardHandler } from "../src/inbox/forward-handler.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const encoder = new TextEncoder();

interface Scene {
  readonly app: App;
  readonly ports: MemoryPorts;
  /** Signs and delivers; answers status and body. */
  deliver(
    body: string | Uint8Array,
    changes?: { id?: string; tamper?: boolean; provider?: string },
  ): Promise<{ status: number; body: unknown }>;
  /** Claims what is ready and waits until it has ended. */
  work(): Promise<number>;
  states(): Promise<string[]>;
}

const scene = async (handlers: readonly InboxHandler[], instead: Partial<MemoryPorts> = {}): Promise<Scene> => {
  const ports = memoryPorts(instead);
  const verifier = createVerifier(standardWebhooks, { keys: secret, now: () => ports.clock.now() });
  const app = createApp({ ports, providers: [defineProvider({ name: "acme", verifier })], handlers });
  const worker = app.worker({ name: "test", concurrency: 10 });
  await worker.start();
  return {
    app,
    ports,
    deliver: async (body, { id = "msg_1", tamper = false, provider = "acme" } = {}) => {
      const bytes = typeof body === "string" ? encoder.encode(body) : body;
      const headers = await sign(standardWebhooks, { keys: secret, body: bytes, id, timestamp: ports.clock.now() });
      const sent = tamper ? bytes.with(bytes.length - 1, (bytes.at(-1) ?? 0) ^ 1) : bytes;
      const webhook = {
        provider,
        method: "POST",
        url: `http://test/api/webhooks/${provider}`,
        headers,
        body: sent,
        requestId: "r",
      };
      const { status, body: answer } = await app.receive(webhook);
      return { status, body: answer };
    },
    work: async () => {
      const started = await worker.runDue();
      await ports.clock.advance(0);
      return started;
    },
    states: async () => (await ports.storage.events.list({ limit: 100 })).map(({ state }) => state).toReversed(),
  };
};

const paid = '{"type":"invoice.paid","data":{"amount": 12345678901234567890}}';
const noop = on("acme", "*", async () => undefined);

describe("receiving a webhook", () => {
  test("stores the event and its job, then hands it to the handler as it came", async () => {
    const seen: { type: string | undefined; text: string; attempt: number }[] = [];
    const handler = on("acme", "invoice.*", async (event, context) => {
      seen.push({ type: event.type, text: new TextDecoder().decode(event.body), attempt: context.attempt });
    });
    const { deliver, work, states } = await scene([handler]);
    expect(await deliver(paid)).toEqual({ status: 200, body: { id: expect.any(String), status: "accepted" } });
    expect(await states()).toEqual(["received"]);
    await work();
    expect(await states()).toEqual(["processed"]);
    expect(seen).toEqual([{ type: "invoice.paid", text: paid, attempt: 1 }]);
  });

  test("drops repeats and says so", async () => {
    let runs = 0;
    const { deliver, work, ports } = await scene([
      on("acme", "*", async () => {
        runs += 1;
      }),
    ]);
    const first = await deliver(paid);
    await work();
    for (let repeat = 0; repeat < 5; repeat += 1) {
      expect(await deliver(paid)).toEqual({ status: 200, body: { ...(first.body as object), status: "duplicate" } });
    }
    await work();
    expect(runs).toBe(1);
    expect((await ports.storage.events.list({ limit: 5 }))[0]?.repeats).toBe(5);
  });

  test("refuses one changed byte, and stores nothing", async () => {
    const { deliver, states, ports } = await scene([noop]);
    const { status, body } = await deliver(paid, { tamper: true });
    expect([status, body]).toEqual([401, expect.objectContaining({ code: "invalid_signature" })]);
    expect(JSON.stringify(body)).not.toContain("mismatch");
    expect(await states()).toEqual([]);
    expect(ports.telemetry.counted("webhooks_refused", { provider: "acme", reason: "signature_mismatch" })).toBe(1);
  });

  test("knows nothing of a provider that is not configured", async () => {
    const { deliver } = await scene([noop]);
    expect(await deliver(paid, { provider: "nobody" })).toMatchObject({
      status: 404,
      body: { code: "unknown_provider" },
    });
  });

  test("takes nothing by GET but a handshake", async () => {
    const { app } = await scene([noop]);
    const answer = await app.receive({
      provider: "acme",
      method: "GET",
      url: "http://test/api/webhooks/acme",
      headers: {},
      body: new Uint8Array(),
      requestId: "r",
    });
    expect([answer.status, answer.headers?.allow]).toEqual([405, "POST"]);
  });

  test("keeps an event that no handler wants", async () => {
    const { deliver, work, states } = await scene([on("acme", "customer.*", async () => undefined)]);
    expect((await deliver(paid)).body).toMatchObject({ status: "ignored" });
    expect(await work()).toBe(0);
    expect(await states()).toEqual(["ignored"]);
  });

  test.each([
    ["no type", '{"data":{}}'],
    ["a type that is no text", '{"type":{"name":"x"}}'],
    ["no JSON", "type=invoice.paid"],
    ["a type that no column holds", `{"type":"${"x".repeat(129)}"}`],
    ["a type with a NUL", '{"type":"a\\u0000b"}'],
    ["bytes that are not UTF-8", Uint8Array.of(0xff, 0xfe)],
  ])("quarantines an authentic event with %s, answers 200 and alerts", async (_what, body) => {
    const { deliver, work, states, ports } = await scene([noop]);
    expect(await deliver(body)).toMatchObject({ status: 200, body: { status: "quarantined" } });
    expect(await work()).toBe(0);
    expect(await states()).toEqual(["quarantined"]);
    expect(ports.alerts.raised).toEqual([expect.objectContaining({ kind: "event.quarantined" })]);
  });

  test("answers 503 while the storage cannot take it, and takes it afterwards", async () => {
    const memory = memoryPorts();
    let broken = true;
    const events = {
      ...memory.storage.events,
      accept: (...args: Parameters<typeof memory.storage.events.accept>) =>
        broken ? Promise.reject(new AppError("unavailable")) : memory.storage.events.accept(...args),
    };
    const { deliver, states } = await scene([noop], { ...memory, storage: { ...memory.storage, events } });
    expect((await deliver(paid)).status).toBe(503);
    broken = false;
    expect((await deliver(paid)).status).toBe(200);
    expect(await states()).toEqual(["received"]);
  });

  test("answers many copies at once with one event", async () => {
    const { deliver, states } = await scene([noop]);
    const replies = await Promise.all(Array.from({ length: 200 }, () => deliver(paid)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await states()).toEqual(["received"]);
  });
});

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
        await commit(async ({ jobs }) => jobs.enqueue([{ kind: "mail", maxAttempts: 1, dueAt: 9e12 }], 0));
        throw new Error("too late to matter");
      }),
    ]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["processed"]);
    expect(await ports.storage.jobs.list({ kind: "mail", limit: 5 })).toHaveLength(1);
  });

  test("writes no effect when the commit fails", async () => {
    const { deliver, work, states, ports } = await scene([
      on("acme", "*", async (_event, { commit }) => {
        await commit(async ({ jobs }) => {
          await jobs.enqueue([{ kind: "mail", maxAttempts: 1 }], 0);
          throw new Error("constraint");
        });
      }),
    ]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["retrying"]);
    expect(await ports.storage.jobs.list({ kind: "mail", limit: 5 })).toHaveLength(0);
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
    const forward = forwardHandler({ fetcher, clock: memory.clock }, route);
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
