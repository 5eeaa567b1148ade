import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { AnswerStream, Share } from "@postern/core";
import { piecesOf } from "@postern/core/internal";
import { tooMuchUnread, unreadOfNetwork } from "../admission/memory.ts";
import type { Gateway } from "../gateway.ts";
import type { HttpAnswer } from "../http-request.ts";
import { connectionOf, type NodeExchange } from "./connections.ts";

interface Delivery {
  readonly gateway: Gateway;
  readonly res: ServerResponse;
  readonly network: string;
  /** The bytes that count as waiting; `undefined` for a small answer. */
  readonly share: Pick<Share, "release"> | undefined;
  progressMs: number;
}

/** The longest piece that is handed to the connection in one turn of the event loop. */
const pieceBytes = 256 * 1024;
/** When memory is short, a reader that has taken nothing for this long gives way. */
const yieldAfterMs = 1_000;
/** A reader that takes nothing for this long has gone, or stalls on purpose. */
const stalledMs = 30_000;

/** For whom the bytes count that several readers share. */
const everybody = "everybody";
/** Documents are made once for all of their readers, so their bytes count once. */
const documents = new Map<Uint8Array, { readonly share: Share; readers: number }>();

const open = new Set<Delivery>();
let timer: NodeJS.Timeout | undefined;

type CutReason = "stalled" | "memory";

/** Makes the cut readers known before there is one. */
export const beginCutReaders = ({ settings: { telemetry } }: Gateway): void => {
  for (const reason of ["stalled", "memory"] satisfies CutReason[]) {
    telemetry.count("http_readers_cut_total", { reason }, 0);
  }
};

const cut = (delivery: Delivery, reason: CutReason): void => {
  delivery.gateway.settings.telemetry.count("http_readers_cut_total", { reason });
  end(delivery);
  delivery.res.destroy();
};

const end = (delivery: Delivery): void => {
  if (!open.delete(delivery)) return;
  delivery.share?.release();
  if (open.size > 0) return;
  clearInterval(timer);
  timer = undefined;
};

const begin = (delivery: Delivery): Delivery => {
  open.add(delivery);
  const { gateway, res } = delivery;
  const { socket } = res;
  res.once("close", () => end(delivery));
  // An answer that began before the server drained did not say that its connection ends.
  res.once("finish", () => {
    if (gateway.draining && socket !== null && connectionOf(socket).waiting === 0) socket.destroySoon();
  });
  timer ??= setInterval(() => {
    const nowMs = performance.now();
    for (const one of open) {
      if (nowMs - one.progressMs > stalledMs) cut(one, "stalled");
    }
  }, 1_000).unref();
  return delivery;
};

/** Watches a small answer that has not left yet: it must leave in time as well. */
export const watchReader = (gateway: Gateway, res: ServerResponse): void => {
  for (const { res: known } of open) if (known === res) return;
  begin({ gateway, res, network: "", share: undefined, progressMs: performance.now() });
};

/** The bytes of a body, of which the first `ready` are there. */
interface BodyBytes {
  readonly bytes: Uint8Array;
  ready: number;
}

/**
 * Encodes a text, one piece in each turn of the event loop. The first piece is there at once, so
 * encoding stays ahead of a stream that sends one piece in each turn.
 */
const encodeInTurns = (text: string, length: number): BodyBytes => {
  const bytes = Buffer.allocUnsafeSlow(length);
  const body = { bytes, ready: 0 };
  const pieces = piecesOf(text, pieceBytes);
  const next = (): void => {
    const { value } = pieces.next();
    if (value === undefined) return;
    body.ready += bytes.write(value, body.ready);
    setImmediate(next);
  };
  next();
  return body;
};

/** A reader's part in a document. `undefined` for a text, and if there is no room for the document. */
const documentShare = (
  { unread }: Gateway,
  body: string | Uint8Array,
  bytes: number,
): Pick<Share, "release"> | undefined => {
  if (typeof body === "string") return undefined;
  let document = documents.get(body);
  if (document === undefined) {
    const share = unread.takeFree(everybody, bytes);
    if (share === undefined) return undefined;
    document = { share, readers: 0 };
    documents.set(body, document);
  }
  const { share } = document;
  document.readers += 1;
  return {
    release: () => {
      document.readers -= 1;
      if (document.readers > 0) return;
      documents.delete(body);
      share.release();
    },
  };
};

/**
 * Makes a stream of a large answer's body. The answer must have a `content-length`. The body leaves
 * in pieces of at most 256 KiB, one in each turn of the event loop, each when the connection has
 * taken the one before. The connection is cut when its reader takes nothing for 30 s, or for 1 s
 * while others need the memory.
 * @throws AppError `overloaded` when the share of the address or the total is used up, and no
 * reader has stalled.
 */
export const largeBody = (
  gateway: Gateway,
  { exchange, res }: NodeExchange,
  { headers, body = "" }: HttpAnswer,
): Readable => {
  const length = Number(headers["content-length"]);
  const { network } = exchange;
  const held = Math.min(length, unreadOfNetwork(gateway.settings));
  const part = documentShare(gateway, body, held);
  let share = part ?? gateway.unread.takeFree(network, held);
  while (share === undefined) {
    const stalled = mostStalled(gateway, network, held);
    if (stalled === undefined) throw tooMuchUnread();
    cut(stalled, "memory");
    share = gateway.unread.takeFree(network, held);
  }
  const holder = part === undefined ? network : everybody;
  const delivery = begin({ gateway, res, network: holder, share, progressMs: performance.now() });
  const encoded = typeof body === "string" ? encodeInTurns(body, length) : { bytes: body, ready: length };
  let at = 0;
  return new Readable({
    highWaterMark: 1,
    read() {
      delivery.progressMs = performance.now();
      setImmediate(() => {
        if (this.destroyed) return;
        const end = Math.min(at + pieceBytes, encoded.ready);
        this.push(encoded.bytes.subarray(at, end));
        at = end;
        if (at >= length) this.push(null);
      });
    },
  });
};

/**
 * Makes a stream of an answer that is made while it is sent. It asks for a piece when the connection
 * has taken the one before, so it holds one piece. The connection is cut when its reader takes nothing
 * for 30 s; the time in which there is nothing to send does not count.
 */
export const streamedBody = (gateway: Gateway, res: ServerResponse, stream: AnswerStream): Readable => {
  const delivery = begin({ gateway, res, network: "", share: undefined, progressMs: Number.POSITIVE_INFINITY });
  res.once("close", () => stream.end());
  return new Readable({
    highWaterMark: 1,
    async read() {
      delivery.progressMs = Number.POSITIVE_INFINITY;
      try {
        const text = await stream.next();
        delivery.progressMs = performance.now();
        this.push(text ?? null);
      } catch (thrown) {
        gateway.settings.telemetry.log("warn", "a stream broke off", {}, thrown);
        // Ended in the usual way, so that the reader comes again from where it is.
        this.push(null);
      }
    },
    destroy(error, done) {
      stream.end();
      done(error);
    },
  });
};

/**
 * Finds the delivery that has stood still the longest. If the share of the network is used up, only
 * its own deliveries count. `undefined` if none has stood still for 1 s.
 */
const mostStalled = (gateway: Gateway, network: string, needed: number): Delivery | undefined => {
  const ownShareIsUsedUp = gateway.unread.heldBy(network) + needed > unreadOfNetwork(gateway.settings);
  let found: Delivery | undefined;
  for (const one of open) {
    if (one.gateway !== gateway || one.share === undefined || (ownShareIsUsedUp && one.network !== network)) continue;
    // To cut one of the readers of a document would free nothing.
    if (one.network === everybody) continue;
    if (found === undefined || one.progressMs < found.progressMs) found = one;
  }
  return found !== undefined && performance.now() - found.progressMs >= yieldAfterMs ? found : undefined;
};
