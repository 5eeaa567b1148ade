import { AppError } from "@postern/core";
import { codingRefused } from "@postern/core/internal";
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

/**
 * Checks that a body has one of these types and is in UTF-8. `hint` is the header of a refusal that
 * says which types are taken.
 * @throws AppError `malformed_header`, `unsupported_media_type`, `not_implemented`.
 */
export const checkType = (
  request: Pick<HttpRequest, "headers" | "rawHeaders">,
  types: readonly string[],
  hint: "accept" | "accept-patch" = "accept",
): void => {
  // Nobody needs to compress what this API takes.
  codingOf(request, ["identity"]);
  if (occurrences(request, "content-type") > 1) {
    throw new AppError("malformed_header", {
      detail: "Send one Content-Type header.",
      faults: [{ header: "Content-Type", code: "repeated", detail: "send it once" }],
    });
  }
  const [type, ...parameters] = (headerOf(request, "content-type") ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const inUtf8 = parameters.every((one) => !one.startsWith("charset=") || /^charset=("?)utf-?8\1$/.test(one));
  if (type !== undefined && types.includes(type) && inUtf8) return;
  throw new AppError("unsupported_media_type", {
    detail: `Send the body as ${types.join(" or ")}, in UTF-8.`,
    headers: { [hint]: types.join(", ") },
  });
};

/** Checks that a body, if there is one, is JSON in UTF-8. @throws AppError as `checkType`. */
export const checkMediaType = (request: HttpRequest, method: Operation["method"]): void => {
  if (hasBody(request)) checkType(request, typesFor(method), method === "PATCH" ? "accept-patch" : "accept");
};
