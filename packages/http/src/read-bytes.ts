import { AppError } from "@postern/core";
import { BodyPieces } from "./body-pieces.ts";
import { type BodyBytes, type ByteBudget, smallBytes } from "./byte-budget.ts";
import type { BodyReader, HttpRequest } from "./http-request.ts";
import type { Upload, Uploads } from "./uploads.ts";

type Sent = Pick<HttpRequest, "headers">;

/** The announced length of the body; `undefined` when it comes in chunks or there is none. */
export const announcedLength = ({ headers }: Sent): number | undefined =>
  headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);

/** Whether a body comes with the request. An announced length of 0 is none. */
export const hasBody = (request: Sent): boolean =>
  request.headers["transfer-encoding"] !== undefined || (announcedLength(request) ?? 0) > 0;

export interface ByteLimits {
  readonly limit: number;
  /** The network whose share of the budget the bytes use. */
  readonly network: string;
  readonly budget: ByteBudget;
  readonly uploads: Uploads;
  /**
   * Notes bytes as work of the network: an announced length before the body comes, otherwise each
   * piece before anything looks at it.
   */
  readonly noteBytes: (network: string, bytes: number) => void;
  /**
   * Looks at the body when a further piece of it has come, and throws to refuse it before the rest
   * comes.
   */
  readonly look?: ((piece: Uint8Array, soFar: BodyPieces) => void) | undefined;
}

/** A body in memory. Its bytes count against the budget until they are released. */
export interface HeldBody {
  readonly bytes: Uint8Array;
  readonly memory: BodyBytes;
}

/**
 * The bytes of the body, untouched.
 * @throws AppError `content_too_large`, at once if the length is announced; `overloaded` when it has
 * waited too long for a part of the budget; `request_timeout` for an upload that is too slow;
 * `internal_error` for a body that something else has read before; whatever `look` throws.
 * @throws CallerGone
 *
 * What the head tells is thrown before there is a promise.
 */
export const readBytes = (request: HttpRequest, limits: ByteLimits): Promise<HeldBody> =>
  withBytes(request, limits, (held) => held);

/**
 * The same, and hands the body to `use` in the step in which it is complete: a `then` of its own
 * would take 0.3 kB.
 */
export const withBytes = <Result>(
  request: HttpRequest,
  limits: ByteLimits,
  use: (held: HeldBody) => Result | Promise<Result>,
): Promise<Result> => {
  const { network, uploads } = limits;
  checkAnnouncedLength(request, limits.limit);
  const announced = announcedLength(request);
  if (announced !== undefined) limits.noteBytes(network, announced);
  const memory = limits.budget.open(network);
  const collector = new Collector(limits, memory, announced);
  const upload = uploads.begin(collector);
  collector.upload = upload;
  return request.body.read(collector).then(
    () => {
      uploads.end(upload);
      return use({ bytes: collector.whole(), memory });
    },
    (thrown: unknown) => {
      uploads.end(upload);
      memory.release();
      throw thrown;
    },
  );
};

/** What the runtime may still take in of a connection of which nothing more is to be read. */
const takenInBytes = 64 * 1024;

/** Collects the bytes of one body and counts them. */
class Collector extends BodyPieces implements BodyReader {
  stop?: (fault: Error) => void;
  upload: Upload | undefined;
  readonly network: string;
  readonly #limits: ByteLimits;
  readonly #memory: BodyBytes;
  /** If the length was announced, its bytes have been noted already. */
  readonly #announced: number | undefined;
  #reserved = 0;

  constructor(limits: ByteLimits, memory: BodyBytes, announced: number | undefined) {
    super();
    this.network = limits.network;
    this.#limits = limits;
    this.#memory = memory;
    this.#announced = announced;
  }

  take(piece: Uint8Array): Promise<void> | undefined {
    const { limit, noteBytes } = this.#limits;
    if (this.#announced === undefined) noteBytes(this.network, piece.length);
    const length = this.length + piece.length;
    if (length > limit) throw tooLarge(limit);
    const room = length > this.#reserved ? this.#reserve(length) : undefined;
    if (room === undefined) return this.#keep(piece);
    return room.then(() => {
      if (this.upload !== undefined) this.#limits.uploads.goOn(this.upload);
      this.#keep(piece);
    });
  }

  /** Takes memory for all of the body, as soon as it is known that it is not small. */
  #reserve(length: number): Promise<void> | undefined {
    const { limit, budget, uploads } = this.#limits;
    const announced = this.#announced ?? 0;
    const rest = length <= smallBytes ? length : Math.max(length, Math.min(limit, budget.mostOf(this.network)));
    this.#reserved = length <= announced ? announced : rest;
    const room = this.#memory.take(this.#reserved, Math.min(this.#reserved, length + takenInBytes));
    if (this.upload !== undefined) uploads.reserve(this.upload, this.#reserved, room !== undefined);
    return room;
  }

  #keep(piece: Uint8Array): undefined {
    if (this.upload !== undefined) this.upload.bytes += piece.length;
    this.add(piece);
    this.#limits.look?.(piece, this);
  }
}

/**
 * Refuses a body whose announced length is too long, before any other check.
 * @throws AppError `content_too_large`.
 */
export const checkAnnouncedLength = (request: Sent, limit: number): void => {
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
