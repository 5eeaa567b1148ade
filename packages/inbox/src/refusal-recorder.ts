import type { Ports } from "@postern/core";
import { gcra } from "@postern/core/internal";
import type { RefusedDelivery } from "@postern/core/ports";
import type { VerificationTrace, WebhookRequest, WebhookVerificationError } from "@postern/webhook-verifier";
import type { IncomingWebhook } from "./incoming-webhook.ts";
import type { Provider } from "./provider.ts";
import type { Providers } from "./provider-registry.ts";

/** Keeps refused deliveries with how they were verified, for people who look into them. */
export interface RefusalRecorder {
  /**
   * Notes a refusal; never waits and never fails. Of a flood it keeps a few. How each was verified is
   * found out later, so that the answer does not wait for it.
   */
  note(provider: Provider, webhook: IncomingWebhook, refusal: WebhookVerificationError): void;
  /** Stores what was noted. What cannot be stored is lost. */
  flush(): Promise<void>;
}

/** So many refusals are kept, and for so long. */
export const refusalsKept = 1_000;
export const refusalsKeptMs = 24 * 60 * 60_000;

const flushMs = 1_000;
/** Of each sender and reason, ten at once and then one a second are kept. */
const keptOfEach = { limit: 10, windowMs: 10_000 };
/** What waits for the next flush, which is once a second. */
const mostWaiting = 20;
const mostWaitingBytes = 4 * 1024 * 1024;
const longestBodyKept = 64 * 1024;
/** The verifier's own traces are far shorter. */
const longestTrace = 16_384;
/** So many other senders of the same scheme are asked whether a key of theirs fits. */
const mostOthers = 10;

interface Waiting {
  readonly provider: Provider;
  /** Without the body if too much waits. */
  readonly request: WebhookRequest | undefined;
  readonly refusal: WebhookVerificationError;
  readonly found: Omit<RefusedDelivery, "trace" | "body">;
}

type RecorderPorts = Pick<Ports, "storage" | "clock" | "ids" | "telemetry">;

/** What is known without verifying once more. */
const shortTrace = ({ provider, refusal }: Waiting): VerificationTrace => ({
  scheme: provider.verifier.scheme.name,
  valid: false,
  code: refusal.code,
  message: refusal.message.slice(0, 1_000),
  headers: [],
  covered: provider.verifier.scheme.covered,
});

/** The name of another sender of the same scheme whose key fits. */
const ownerOfKey = async (
  providers: Pick<Providers, "known">,
  provider: Provider,
  request: WebhookRequest,
  at: number,
): Promise<string | undefined> => {
  const { scheme } = provider.verifier;
  const others = providers
    .known()
    .filter(({ name, verifier }) => name !== provider.name && verifier.scheme.name === scheme.name);
  for (const { name, trace } of others.slice(0, mostOthers)) if ((await trace?.(request, at))?.valid) return name;
  return undefined;
};

const createTracer =
  ({ telemetry }: Pick<RecorderPorts, "telemetry">, providers: Pick<Providers, "known">) =>
  async (waiting: Waiting): Promise<VerificationTrace> => {
    const { provider, request, found } = waiting;
    if (request === undefined || provider.trace === undefined) return shortTrace(waiting);
    try {
      const trace = await provider.trace(request, found.at);
      // The keys may have changed meanwhile, and then it says nothing about this refusal.
      if (trace.code !== found.reason || JSON.stringify(trace).length > longestTrace) return shortTrace(waiting);
      if (trace.code !== "signature_mismatch") return trace;
      const owner = await ownerOfKey(providers, provider, request, found.at);
      if (owner === undefined) return trace;
      const hint = `It is signed with the key of the provider ${owner}: the sender calls the wrong address, or this provider has the key of another endpoint.`;
      return { ...trace, hint };
    } catch (thrown) {
      telemetry.log("warn", "how a delivery was refused cannot be told", { provider: provider.name }, thrown);
      return shortTrace(waiting);
    }
  };

export const createRefusalRecorder = (ports: RecorderPorts, providers: Pick<Providers, "known">): RefusalRecorder => {
  const { storage, clock, ids, telemetry } = ports;
  const traceOf = createTracer(ports, providers);
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let isScheduled = false;
  let flushing: Promise<void> = Promise.resolve();
  /** By sender and reason. Both are few: senders are configured, and reasons are the verifier's codes. */
  const states = new Map<string, { tat: number | undefined; unkept: number }>();

  const store = async (batch: readonly Waiting[]): Promise<void> => {
    const refusals: RefusedDelivery[] = [];
    for (const one of batch) {
      const { body } = one.request ?? {};
      const isKept = one.provider.keepRefusedBodies === true && body instanceof Uint8Array;
      refusals.push({
        ...one.found,
        trace: await traceOf(one),
        body: isKept ? body.slice(0, longestBodyKept) : undefined,
      });
    }
    try {
      await storage.refusals.add(refusals, refusalsKept);
    } catch (thrown) {
      telemetry.log("warn", "refused deliveries could not be kept", { refusals: batch.length }, thrown);
    }
  };

  const flush = (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    waitingBytes = 0;
    if (batch.length > 0) flushing = flushing.then(() => store(batch));
    return flushing;
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    clock.after(flushMs, () => {
      isScheduled = false;
      void flush();
    });
  };

  return {
    flush,
    note: (provider, webhook, refusal) => {
      const key = `${provider.name} ${refusal.code}`;
      const state = states.get(key) ?? { tat: undefined, unkept: 0 };
      states.set(key, state);
      const { decision, tat } = gcra(state.tat, { ...keptOfEach, key, now: clock.monotonic() });
      if (!decision.allowed || waiting.length >= mostWaiting) {
        state.unkept += 1;
        return;
      }
      state.tat = tat;
      const { method, url, headers, trailers, body } = webhook;
      const isTooMuch = waitingBytes + body.length > mostWaitingBytes;
      waitingBytes += isTooMuch ? 0 : body.length;
      waiting.push({
        provider,
        refusal,
        request: isTooMuch ? undefined : { method, url, headers, trailers, body },
        found: {
          id: ids.uuid(),
          at: clock.now(),
          provider: provider.name,
          reason: refusal.code,
          requestId: webhook.requestId,
          address: webhook.address,
          bytes: body.length,
          unkept: state.unkept,
        },
      });
      state.unkept = 0;
      schedule();
    },
  };
};
