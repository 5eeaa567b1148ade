import type { HttpRequest } from "./http-request.ts";

const wellFormed = /^[A-Za-z0-9._-]{8,128}$/;

/** The caller's own `X-Request-Id` if it is fit for logs and headers, otherwise a new one. */
export const requestIdOf = ({ headers }: HttpRequest, makeId: () => string): string => {
  const given = headers["x-request-id"];
  return typeof given === "string" && wellFormed.test(given) ? given : makeId();
};
