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
 * The content coding of a body, which must be one of `taken`.
 * @throws AppError `unsupported_media_type`, `not_implemented` (a transfer coding beside
 * `chunked`).
 */
export const codingOf = <Coding extends string>(
  request: Pick<HttpRequest, "headers">,
  taken: readonly Coding[],
): Coding => {
  const sent = headerOf(request, "content-encoding")?.trim().toLowerCase() ?? "identity";
  const coding = taken[(taken as readonly string[]).indexOf(sent)];
  if (coding === undefined) throw codingRefused();
  const transfer = headerOf(request, "transfer-encoding");
  if (transfer !== undefined && transfer.trim().toLowerCase() !== "chunked") {
    throw new AppError("not_implemented", { detail: "The only transfer coding taken here is chunked." });
  }
  return coding;
};

/** Refuses compressed bodies, as `codingOf`: nobody needs to compress what this API takes. */
export const refuseCodings = (request: Pick<HttpRequest, "headers">): void => {
  codingOf(request, ["identity"]);
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
