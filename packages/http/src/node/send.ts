import type { HttpAnswer } from "../http-request.ts";
import { leavesBodyUnread, lingeringBody } from "./lingering-body.ts";
import type { Turn } from "./turns.ts";

/** Sends an answer to the connection. */
export const sendTurn = ({ req, res }: Turn, { status, headers, body }: HttpAnswer): void => {
  // The caller may have gone while the answer was made.
  if (res.destroyed || res.headersSent) return;
  const text = req.method === "HEAD" ? undefined : body;
  if (leavesBodyUnread(req)) {
    res.writeHead(status, { ...headers, connection: "close" });
    res.flushHeaders();
    lingeringBody(req, text ?? "").pipe(res);
    return;
  }
  res.writeHead(status, headers);
  res.end(text);
};
