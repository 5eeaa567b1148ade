import { AppError } from "@postern/core";
import type { Share } from "@postern/core/parts";
import { type BodyMemory, smallBytes } from "../admission/memory.ts";
import { turns } from "../admission/turns.ts";
import { announcedLength } from "../head/headers.ts";
import type { BodyReader, HttpRequest } from "../http-request.ts";

export interface ByteLimits {
  readonly limit: number;
  /** The network whose share of the memory the bytes use. */
  readonly network: string;
  readonly bodies: BodyMemory;
  /**
   * Looks at the body when a further piece of it has come, and throws to refuse it before the rest
   * comes.
   */
  readonly look?: ((piece: Uint8Array, soFar: BodyPieces) => void) | undefined;
}

/** A body in memory. */
export interface HeldBody {
  readonly bytes: Uint8Array;
  /**
   * Takes memory until there is enough for `total` bytes, as for a body that is unpacked.
   * @throws AppError `overloaded`, at once or from the promise.
   */
  reserve(total: number): Promise<void> | undefined;
  /** Gives the memory back. Until then it counts. */
  release(): void;
}

/**
 * The bytes of the body, untouched.
 * @throws AppError `content_too_large`, at once if the length is announced; `overloaded` when it has
 * waited too long for a part of the memory; `internal_error` for a body that something else has read
 * before; whatever `look` throws.
 * @throws CallerGone
 */
export const readBytes = async (request: HttpRequest, limits: ByteLimits): Promise<HeldBody> => {
  const announced = announcedLength(request);
  if (announced !== undefined && announced > limits.limit) throw tooLarge(limits.limit);
  const collector = new Collector(limits, announced);
  try {
    await request.body.read(collector);
    collector.bytes = collector.whole();
    return collector;
  } catch (thrown) {
    collector.release();
    throw thrown;
  }
};

/** A piece of this length or more is kept as it came; shorter ones are put together. */
const keptBytes = 16 * 1024;
/** Memory for short pieces begins with this length and doubles as it fills. */
const leastBytes = 1024;
/** Short pieces are put together up to this length. */
const mostBytes = 64 * 1024;
const nothing = new Uint8Array();

/**
 * Keeps the pieces of a body as they come, and puts them together at the end. Memory that doubled
 * as it filled would hold up to twice the body, and leave as much again to the garbage collector. A
 * list of all pieces would not work either: for chunks of one byte it would keep an object of some
 * hundred bytes each, and the memory for bodies would not count those. So short pieces are copied
 * together. A body that comes in one piece, as most do, is not copied.
 */
export class BodyPieces {
  /** The first piece; most bodies have one, and a list of one is as large as one of 17. */
  #first: Uint8Array | undefined;
  /** The pieces behind the first one. */
  #others: Uint8Array[] | undefined;
  /** Collects short pieces; its first `#filled` bytes are in use. */
  #open: Uint8Array = nothing;
  #filled = 0;
  /** The bytes that came so far. */
  length = 0;

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    if (this.#first === undefined) this.#first = piece;
    else if (piece.length < keptBytes) this.#copy(piece);
    else {
      this.#close();
      this.#others ??= [];
      this.#others.push(piece);
    }
    this.length += piece.length;
  }

  /** All bytes that came so far, in one piece. */
  whole(): Uint8Array {
    const first = this.#first ?? nothing;
    if (this.length === first.length) return first;
    this.#close();
    const others = this.#others ?? [];
    const whole = new Uint8Array(this.length);
    whole.set(first);
    let at = first.length;
    for (const piece of others) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.#first = whole;
    this.#others = undefined;
    return whole;
  }

  #copy(piece: Uint8Array): void {
    const needed = this.#filled + piece.length;
    if (needed > mostBytes) this.#close();
    else if (needed > this.#open.length) {
      const larger = new Uint8Array(Math.max(2 * this.#open.length, needed, leastBytes));
      larger.set(this.#open.subarray(0, this.#filled));
      this.#open = larger;
    }
    if (this.#open.length === 0) this.#open = new Uint8Array(Math.max(piece.length, leastBytes));
    this.#open.set(piece, this.#filled);
    this.#filled += piece.length;
  }

  #close(): void {
    if (this.#filled === 0) return;
    this.#others ??= [];
    this.#others.push(this.#open.subarray(0, this.#filled));
    this.#open = nothing;
    this.#filled = 0;
  }
}

/** Collects the bytes of one body and counts them. */
class Collector extends BodyPieces implements BodyReader, HeldBody {
  bytes: Uint8Array = nothing;
  readonly #limits: ByteLimits;
  readonly #announced: number;
  #share: Share | undefined;
  #reserved = 0;
  #isOver = false;

  constructor(limits: ByteLimits, announced = 0) {
    super();
    this.#limits = limits;
    this.#announced = announced;
  }

  take(piece: Uint8Array): Promise<void> | undefined {
    const { limit, network } = this.#limits;
    // Before the look at it: to find out that a body holds too much is most of its work.
    turns.charge(network, piece.length);
    const length = this.length + piece.length;
    if (length > limit) throw tooLarge(limit);
    const room = this.reserve(length <= this.#announced ? this.#announced : this.#expected(length));
    if (room === undefined) return this.#keep(piece);
    return room.then(() => this.#keep(piece));
  }

  /** Gives back what it holds before it takes more, so bodies never wait for each other. */
  reserve(total: number): Promise<void> | undefined {
    const { bodies, network } = this.#limits;
    if (total <= this.#reserved) return undefined;
    this.#share?.release();
    this.#share = undefined;
    this.#reserved = total;
    const share = bodies.take(network, total);
    if (!(share instanceof Promise)) {
      this.#share = share;
      return undefined;
    }
    return share.then((taken) => {
      if (this.#isOver) taken.release();
      else this.#share = taken;
    });
  }

  release(): void {
    this.#isOver = true;
    this.#share?.release();
    this.#share = undefined;
  }

  /** Memory for all of a body that was not announced, as soon as it is known that it is not small. */
  #expected(length: number): number {
    const { limit, bodies } = this.#limits;
    return length <= smallBytes ? length : Math.max(length, Math.min(limit, bodies.most));
  }

  #keep(piece: Uint8Array): undefined {
    this.add(piece);
    this.#limits.look?.(piece, this);
  }
}

/**
 * Refuses a body whose announced length is too long, before any other check.
 * @throws AppError `content_too_large`.
 */
export const checkAnnouncedLength = (request: Pick<HttpRequest, "headers">, limit: number): void => {
  if ((announcedLength(request) ?? 0) > limit) throw tooLarge(limit);
};

/** The fault of a body that is too long. */
export const tooLarge = (limit: number): AppError =>
  new AppError("content_too_large", { detail: `The body is longer than ${limit} bytes.` });

/** For adapters: the fault if the host let a body parser read the request first. */
export const bodyWasRead = (): AppError =>
  new AppError("internal_error", {
    detail: "The request body was read before it came to Postern. Mount Postern in front of any body parser.",
    cause: new TypeError("the request body was consumed before Postern saw it; mount Postern in front of body parsers"),
  });
