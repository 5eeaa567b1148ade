import { AppError } from "@postern/core";
import { tooLarge } from "./read-bytes.ts";

/** The last four bytes: how many the body has when it is unpacked (RFC 1952, section 2.3.1). */
const announcedLength = (packed: Uint8Array): number =>
  packed.length < 18 || packed[0] !== 0x1f || packed[1] !== 0x8b
    ? 0
    : new DataView(packed.buffer, packed.byteOffset + packed.length - 4, 4).getUint32(0, true);

const notWhole = (cause?: unknown): AppError =>
  new AppError("bad_request", { detail: "The body is not whole gzip, although Content-Encoding says so.", cause });

/**
 * Unpacks a body. `reserve` takes memory for both forms of it before anything is unpacked, and what
 * unpacks to more than it announced is refused at once. So a short body can never become a long one
 * that nobody counted.
 * @throws AppError `content_too_large`, `bad_request`; what `reserve` throws.
 */
export const unpackGzip = async (
  packed: Uint8Array,
  limit: number,
  reserve: (bytes: number) => Promise<void> | undefined,
): Promise<Uint8Array> => {
  const length = announcedLength(packed);
  if (length > limit) throw tooLarge(limit);
  await reserve(packed.length + length);
  const body = new Uint8Array(length);
  let filled = 0;
  try {
    const unpacked = new Blob([packed as Uint8Array<ArrayBuffer>])
      .stream()
      .pipeThrough(new DecompressionStream("gzip"));
    for await (const piece of unpacked) {
      if (filled + piece.length > length) throw new RangeError("it is longer than it announces");
      body.set(piece, filled);
      filled += piece.length;
    }
  } catch (thrown) {
    throw notWhole(thrown);
  }
  if (filled < length || length === 0) throw notWhole();
  return body;
};
