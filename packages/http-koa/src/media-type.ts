import type { IncomingMessage } from "node:http";
import { AppError, type Operation } from "@postern/core";
import { occurrences } from "./raw-headers.ts";
import { hasBody } from "./read-bytes.ts";

export const mergePatch = "application/merge-patch+json";

/** What a body may be sent as, for `Accept` and `Accept-Patch`. */
const typesFor = (method: Operation["method"]): readonly string[] =>
  method === "PATCH" ? [mergePatch, "application/json"] : ["application/json"];

export const acceptPatch = typesFor("PATCH").join(", ");

/**
 * Bytes are taken as they are, or not at all: inflating a stranger's bytes is work without bound, and a signature covers what was sent.
 * @throws AppError `unsupported_media_type`, `not_implemented` (a transfer coding beside `chunked`).
 */
export const refuseCodings = ({ headers }: IncomingMessage): void => {
  const coding = headers["content-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "identity") {
    throw new AppError("unsupported_media_type", {
      detail: "The body must not be compressed; send it without Content-Encoding.",
      headers: { "accept-encoding": "identity" },
    });
  }
  const transfer = headers["transfer-encoding"];
  if (transfer !== undefined && transfer.trim().toLowerCase() !== "chunked") {
    throw new AppError("not_implemented", { detail: "The only transfer coding taken here is chunked." });
  }
};

/** @throws AppError `malformed_header`, `unsupported_media_type` when there is a body and it is not JSON in UTF-8. */
export const checkMediaType = (req: IncomingMessage, method: Operation["method"]): void => {
  if (!hasBody(req)) return;
  refuseCodings(req);
  if (occurrences(req, "content-type") > 1) {
    const detail = "send it once";
    throw new AppError("malformed_header", {
      detail: "Send one Content-Type header.",
      faults: [{ header: "Content-Type", code: "repeated", detail }],
    });
  }
  const types = typesFor(method);
  const [type, ...parameters] = (req.headers["content-type"] ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  const inUtf8 = charset === undefined || /^("?)utf-?8\1$/.test(charset);
  if (type !== undefined && types.includes(type) && inUtf8) return;
  throw new AppError("unsupported_media_type", {
    detail: `Send the body as ${types.join(" or ")}, in UTF-8.`,
    headers: { [method === "PATCH" ? "accept-patch" : "accept"]: types.join(", ") },
  });
};
