import { type App, createApp } from "@postern/app";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import { defineProvider, type InboxHandler, on, type PayloadSchema } from "@postern/inbox";
import { createVerifier, type Scheme, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";

export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
export const encoder = new TextEncoder();

interface Scene {
  readonly app: App;
  readonly ports: MemoryPorts;
  /** Signs and delivers; answers status and body. */
  deliver(
    body: string | Uint8Array,
    changes?: { id?: string; tamper?: boolean; provider?: string },
  ): Promise<{ status: number; body: unknown }>;
  /** Starts a worker in the same process, unless there is one. */
  hire(): Promise<void>;
  /** Claims what is ready and waits until it has ended. */
  work(): Promise<number>;
  states(): Promise<string[]>;
}

export const scene = async (
  handlers: readonly InboxHandler[],
  instead: Partial<MemoryPorts> = {},
  schemas: Readonly<Record<string, PayloadSchema>> = {},
  /** What the sender promises. */
  promised: Pick<Scheme, "promises" | "needsData"> = {},
): Promise<Scene> => {
  const ports = memoryPorts(instead);
  const verifier = createVerifier({ ...standardWebhooks, ...promised }, { keys: secret, now: () => ports.clock.now() });
  const app = createApp({ ports, providers: [defineProvider({ name: "acme", verifier, schemas })], handlers });
  const worker = app.worker({ name: "test", concurrency: 10 });
  let started: Promise<void> | undefined;
  const hire = (): Promise<void> => {
    started ??= worker.start();
    return started;
  };
  return {
    app,
    hire,
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
      await hire();
      const begun = await worker.runDue();
      await ports.clock.advance(0);
      return begun;
    },
    states: async () => (await ports.storage.events.list({ limit: 100 })).map(({ state }) => state).toReversed(),
  };
};

export const paid = '{"type":"invoice.paid","data":{"amount": 12345678901234567890}}';
export const noop = on("acme", "*", async () => undefined);
