import { AppError } from "@postern/core";
import type { BodyReader } from "../http-request.ts";

/** A body that is on its way. */
export interface Upload {
  /** The bytes since the last look; the reader of the body adds to them. */
  bytes: number;
  sinceMs: number;
  /** The bytes that memory is taken for. */
  reserved: number;
  /** True while the next bytes are not read, because there is no room for them. */
  waits: boolean;
  readonly reader: BodyReader;
  /** Its index in the list of watched uploads; -1 when it is watched no more. */
  at: number;
}

/** Stops uploads that are too slow. */
export interface Uploads {
  /** Watches an upload until `end`. */
  begin(reader: BodyReader): Upload;
  end(upload: Upload): void;
  /** Notes that the wait is over. */
  goOn(upload: Upload): void;
}

/** Bytes a second. A poor mobile connection sends several times as many. */
const leastRate = 1_024;
/** The rate is measured over this time, so a shorter pause does no harm. */
const windowMs = 5_000;
const lookEveryMs = 1_000;
/** While others wait for memory, an upload must fill its own within this time, as most clients do. */
const fillWithinSeconds = 30;

/**
 * One timer watches all uploads, and only while there are any. `isAwaited` tells whether bodies wait
 * for the memory that others hold.
 */
export const createUploads = (isAwaited: () => boolean): Uploads => {
  // This is a list and not a set. A set that changes replaces its table again and again, and V8
  // links each table to the next. So one table among the old objects kept all later ones, with the
  // bodies of their uploads.
  const open: Upload[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;

  const end = (upload: Upload): void => {
    const { at } = upload;
    if (at === -1) return;
    upload.at = -1;
    const last = open.pop();
    if (last === undefined || last === upload) return;
    open[at] = last;
    last.at = at;
  };

  const look = (): void => {
    if (open.length === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    const nowMs = performance.now();
    const awaited = isAwaited();
    for (const upload of open.slice()) {
      if (upload.waits || nowMs - upload.sinceMs < windowMs) continue;
      const rate = awaited ? Math.max(leastRate, Math.ceil(upload.reserved / fillWithinSeconds)) : leastRate;
      if (upload.bytes * 1000 < rate * (nowMs - upload.sinceMs)) {
        end(upload);
        upload.reader.stop?.(tooSlow(rate));
      } else {
        upload.bytes = 0;
        upload.sinceMs = nowMs;
      }
    }
  };

  return {
    begin: (reader) => {
      const upload = { bytes: 0, sinceMs: performance.now(), reserved: 0, waits: false, reader, at: open.length };
      open.push(upload);
      timer ??= setInterval(look, lookEveryMs);
      return upload;
    },
    end,
    goOn: (upload) => {
      upload.waits = false;
      upload.bytes = 0;
      upload.sinceMs = performance.now();
    },
  };
};

const tooSlow = (rate: number): AppError =>
  new AppError("request_timeout", {
    detail: `The body came too slowly; send at least ${rate} bytes a second.`,
  });
