import { AppError } from "./app-error.ts";

/**
 * Refuses a compressed body. Nearly all signatures cover the bytes that were sent, and nobody needs
 * to compress what the API takes.
 */
export const codingRefused = (): AppError =>
  new AppError("unsupported_media_type", {
    detail: "The body must not be compressed; send it without Content-Encoding.",
    headers: { "accept-encoding": "identity" },
  });
