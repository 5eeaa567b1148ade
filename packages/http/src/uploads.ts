import { AppError } from "@postern/core";
import type { BodyReader } from "./http-request.ts";

/** A body that is on its way. */
export interface Upload {
  /** The bytes since the last look; the reader of the body adds to them. */
  bytes: number;
  sinceMs: number;
  readonly reader: BodyReader;
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
  const open = new Set<Upload>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const look = (): void => {
    const nowMs = performance.now();
    for (const upload of open) {
      if (nowMs - upload.sinceMs < windowMs) continue;
      if (upload.bytes * 1000 < leastRate * (nowMs - upload.sinceMs)) {
        open.delete(upload);
        upload.reader.stop?.(tooSlow(leastRate));
      } else {
        upload.bytes = 0;
        upload.sinceMs = nowMs;
      }
    }
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    begin: (reader) => {
      const upload: Upload = { bytes: 0, sinceMs: performance.now(), reader };
      if (leastRate > 0) {
        open.add(upload);
        timer ??= setInterval(look, lookEveryMs);
      }
      return upload;
    },
    end: (upload) => {
      open.delete(upload);
    },
  };
};

const tooSlow = (leastRate: number): AppError =>
  new AppError("request_timeout", {
    detail: `The body came too slowly; send at least ${leastRate} bytes a second.`,
  });
