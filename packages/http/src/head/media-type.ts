import { AppError } from "@postern/core";
import { codingRefused } from "@postern/core/parts";
import type { Operation } from "../http-app.ts";
import type { HttpRequest } from "../http-request.ts";
import { hasBody, headerOf, occurrences } from "./headers.ts";

const mergePatch = "application/merge-patch+json";

/** The media types of a body, for `Accept` and `Accept-Patch`. */
const typesFor = (method: Operation["method"]): readonly string[] =>
  method === "PATCH" ? [mergePatch, "application/json"] : ["application/json"];

export const acceptPatch = typesFor("PATCH").join(", ");

/**
 * Refuses compressed bodies: nobody needs to compress what this API takes.
 * @throws AppError `unsupported_media_type`, `not_implemented` (a transfer coding beside
 * `chunked`).
 */
export const refuseCodings = (request: Pick<HttpRequest, "headers">): void => {
  if (codingOf(request) !== "identity") throw codingRefused();
  checkTransfer(request);
};

/**
 * The content coding of a webhook. The inbox knows the senders whose bodies may come in gzip.
 * @throws AppError like `refuseCodings`, for every other coding.
 */
export const webhookCoding = (request: Pick<HttpRequest, "headers">): "identity" | "gzip" => {
  const coding = codingOf(request);
  if (coding !== "identity" && coding !== "gzip") throw codingRefused();
  checkTransfer(request);
  return coding;
};

const codingOf = (request: Pick<HttpRequest, "headers">): string =>
  headerOf(request, "content-encoding")?.trim().toLowerCase() ?? "identity";

const checkTransfer = (request: Pick<HttpRequest, "headers">): void => {
  const transfer = headerOf(request, "transfer-encoding");
  if (transfer !== undefined && transfer.trim().toLowerCase() !== "chunked") {
    throw new AppError("not_implemented", { detail: "The only transfer coding taken here is chunked." });
  }
};

/**
 * Checks that a body, if there is one, is JSON in UTF-8.
 * @throws AppError `malformed_header`, `unsupported_media_type`, `not_implemented`.
 */
export const checkMediaType = (request: HttpRequest, method: Operation["method"]): void => {
  if (!hasBody(request)) return;
  refuseCodings(request);
  if (occurrences(request, "content-type") > 1) {
    const detail = "send it once";
    throw new AppError("malformed_header", {
      detail: "Send one Content-Type header.",
      faults: [{ header: "Content-Type", code: "repeated", detail }],
    });
  }
  const types = typesFor(method);
  const [type, ...parameters] = (headerOf(request, "content-type") ?? "")
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
