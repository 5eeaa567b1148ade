import { AppError } from "@postern/core";
import { challenge } from "@postern/rest";
import type { HttpRequest } from "../http-request.ts";
import { headerOf, occurrences } from "./headers.ts";

/** RFC 6750, section 2.1. */
const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The bearer token, or `undefined`; for a header that cannot be read the error: `multiple_credentials`,
 * `unauthenticated` (another scheme), `invalid_token` (malformed). It is read from one header only, because queries end up in
 * logs, and browsers send cookies by themselves.
 */
export const credentialOf = (request: HttpRequest): string | AppError | undefined => {
  const header = headerOf(request, "authorization");
  if (header === undefined) return undefined;
  if (occurrences(request, "authorization") > 1) {
    return new AppError("multiple_credentials", { detail: "Send one Authorization header." });
  }
  const token = bearer.exec(header)?.[1];
  if (token !== undefined) return token;
  const ofBearer = /^Bearer\b/i.test(header);
  return new AppError(ofBearer ? "invalid_token" : "unauthenticated", {
    detail: ofBearer
      ? "The Authorization header is malformed; send `Bearer` and one token."
      : "Only the Bearer scheme is taken here: `Authorization: Bearer …`.",
    headers: challenge(ofBearer ? "invalid_token" : undefined),
  });
};
