import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Gateway } from "../gateway.ts";
import { tooMuchUnread } from "../unread-answers.ts";
import type { NodeExchange } from "./node-exchange.ts";

/** An answer that has not left yet. */
interface Delivery {
  readonly gateway: Gateway;
  readonly res: ServerResponse;
  readonly network: string;
  /** The bytes that count as waiting. */
  readonly held: number;
  progressMs: number;
}

/**
 * An answer that is longer counts among the bytes that wait for their readers, and leaves in
 * pieces.
 */
const largeBytes = 64 * 1024;
/** The longest piece that is handed to the connection in one turn of the event loop. */
const pieceBytes = 256 * 1024;
/** Where memory is short, a reader that has taken nothing for this long gives way. */
const yieldAfterMs = 1_000;

const open = new Set<Delivery>();
let timer: NodeJS.Timeout | undefined;

const cut = (delivery: Delivery, reason: "stalled" | "memory"): void => {
  delivery.gateway.settings.telemetry.count("http_readers_cut_total", { reason });
  end(delivery);
  delivery.res.destroy();
};

const end = (delivery: Delivery): void => {
  if (!open.delete(delivery)) return;
  if (delivery.held > 0) delivery.gateway.waiting.release(delivery.network, delivery.held);
  if (open.size > 0) return;
  clearInterval(timer);
  timer = undefined;
};

const begin = (delivery: Delivery): Delivery => {
  open.add(delivery);
  delivery.res.once("close", () => end(delivery));
  timer ??= setInterval(() => {
    const nowMs = performance.now();
    for (const one of open) {
      if (nowMs - one.progressMs > one.gateway.settings.stalledReaderMs) cut(one, "stalled");
    }
  }, 1_000).unref();
  return delivery;
};

/** Watches a small answer: it must leave in time, too. Almost every answer has left at once. */
export const watchReader = (gateway: Gateway, res: ServerResponse): void => {
  if (res.writableFinished || res.destroyed || (res.socket?.writableLength ?? 0) === 0) return;
  for (const { res: known } of open) if (known === res) return;
  begin({ gateway, res, network: "", held: 0, progressMs: performance.now() });
};

export const isLarge = (body: string | Uint8Array): boolean =>
  typeof body === "string"
    ? body.length > largeBytes / 3 && Buffer.byteLength(body) > largeBytes
    : body.length > largeBytes;

/**
 * The body of a large answer: pieces of at most 256 KiB, one in each turn of the event loop, the
 * next one when the connection has taken the last. Its reader is cut when it takes nothing for
 * 30 s, or for 1 s while others need the memory.
 * @throws AppError `overloaded` when the share of the address or the whole is used up, and no
 * reader has stalled.
 */
export const largeBody = (gateway: Gateway, { exchange, res }: NodeExchange, body: string | Uint8Array): Readable => {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const { network } = exchange;
  const held = Math.min(bytes.length, gateway.settings.waitingLimitBytesPerAddress, gateway.settings.waitingLimitBytes);
  while (!gateway.waiting.take(network, held)) {
    const stalled = mostStalled(gateway, network, held);
    if (stalled === undefined) throw tooMuchUnread();
    cut(stalled, "memory");
  }
  const delivery = begin({ gateway, res, network, held, progressMs: performance.now() });
  let at = 0;
  return new Readable({
    highWaterMark: 1,
    read() {
      delivery.progressMs = performance.now();
      setImmediate(() => {
        if (this.destroyed) return;
        this.push(bytes.subarray(at, at + pieceBytes));
        at += pieceBytes;
        if (at >= bytes.length) this.push(null);
      });
    },
  });
};

/**
 * The delivery that stands still for longest: of the same network where its own share is used up,
 * else of any.
 */
const mostStalled = (gateway: Gateway, network: string, needed: number): Delivery | undefined => {
  const ownShareIsUsedUp = gateway.waiting.heldBy(network) + needed > gateway.settings.waitingLimitBytesPerAddress;
  let found: Delivery | undefined;
  for (const one of open) {
    if (one.gateway !== gateway || one.held === 0 || (ownShareIsUsedUp && one.network !== network)) continue;
    if (found === undefined || one.progressMs < found.progressMs) found = one;
  }
  return found !== undefined && performance.now() - found.progressMs >= yieldAfterMs ? found : undefined;
};
