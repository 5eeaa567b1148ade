import { AppError } from "@postern/core";
import type { BodyReader } from "./http-request.ts";

/** A body that is on its way. */
export interface Upload {
  /** The bytes since the last look; the reader of the body adds to them. */
  bytes: number;
  sinceMs: number;
  readonly reader: BodyReader;
  /** Its index in the list of watched uploads; -1 while it is not watched. */
  at: number;
}

/** Stops uploads that are too slow. */
export interface Uploads {
  /** Watches an upload until `end`. */
  begin(reader: BodyReader): Upload;
  end(upload: Upload): void;
}

/** The rate is measured over this time, so a shorter pause does no harm. */
const windowMs = 5_000;
const lookEveryMs = 1_000;

/**
 * `leastRate` is in bytes a second; 0 watches nothing. One timer watches all uploads, and only
 * while there are any.
 */
export const createUploads = (leastRate: number): Uploads => {
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
    const nowMs = performance.now();
    for (const upload of open.slice()) {
      if (nowMs - upload.sinceMs < windowMs) continue;
      if (upload.bytes * 1000 < leastRate * (nowMs - upload.sinceMs)) {
        end(upload);
        upload.reader.stop?.(tooSlow(leastRate));
      } else {
        upload.bytes = 0;
        upload.sinceMs = nowMs;
      }
    }
    if (open.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    begin: (reader) => {
      const upload: Upload = { bytes: 0, sinceMs: performance.now(), reader, at: -1 };
      if (leastRate > 0) {
        upload.at = open.length;
        open.push(upload);
        timer ??= setInterval(look, lookEveryMs);
      }
      return upload;
    },
    end,
  };
};

const tooSlow = (leastRate: number): AppError =>
  new AppError("request_timeout", {
    detail: `The body came too slowly; send at least ${leastRate} bytes a second.`,
  });
