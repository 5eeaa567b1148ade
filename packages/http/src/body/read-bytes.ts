import type { Share } from "@postern/core";
import { AppError } from "@postern/core";
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
export type HeldBody = Pick<Collector, "bytes" | "reserve" | "release">;

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

/** Memory for a body that did not say its length begins with this, and doubles as it fills. */
const leastBytes = 1024;
const nothing = new Uint8Array();

/**
 * The bytes of a body as they come, in one place. A list of pieces would not do: for chunks of one
 * byte it would keep an object of some hundred bytes each, and the memory for bodies would not count
 * those. A body that comes in one piece, as most do, is not copied.
 */
export class BodyPieces {
  #bytes: Uint8Array = nothing;
  /** The bytes that came so far. */
  length = 0;

  /** `announced` is the length that the body will have, if it is known. */
  add(piece: Uint8Array, announced = 0): void {
    const before = this.length;
    this.length += piece.length;
    if (before === 0) this.#bytes = piece;
    else if (piece.length > 0) {
      if (this.length > this.#bytes.length) this.#grow(before, announced);
      this.#bytes.set(piece, before);
    }
  }

  /** All bytes that came so far. */
  whole(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #grow(filled: number, announced: number): void {
    const larger = new Uint8Array(Math.max(announced, 2 * this.length, leastBytes));
    larger.set(this.#bytes.subarray(0, filled));
    this.#bytes = larger;
  }
}

/** Collects the bytes of one body and counts them. */
class Collector extends BodyPieces implements BodyReader {
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

  /**
   * Takes memory until there is enough for `total` bytes, as for a body that is unpacked. Gives back
   * what it holds before it takes more, so bodies never wait for each other.
   * @throws AppError `overloaded`, at once or from the promise.
   */
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

  /** Gives the memory back. Until then it counts. */
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
    this.add(piece, this.#announced);
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
    detail: "The request body was read before it came to this API. Mount the API in front of any body parser.",
    cause: new TypeError("the request body was consumed before Postern saw it; mount Postern in front of body parsers"),
  });
