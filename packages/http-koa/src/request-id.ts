import type { IncomingMessage } from "node:http";

const wellFormed = /^[A-Za-z0-9._-]{8,128}$/;

/** The caller's own `X-Request-Id` where it is fit for logs and headers, else a new one. */
export const requestIdOf = (req: IncomingMessage, makeId: () => string): string => {
  const given = req.headers["x-request-id"];
  return typeof given === "string" && wellFormed.test(given) ? given : makeId();
};
