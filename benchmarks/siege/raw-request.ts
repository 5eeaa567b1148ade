import type { Socket } from "node:net";

/**
 * The text of a request, as it is sent. A body adds its length; `headers` may state another one.
 */
export const rawRequest = (
  method: string,
  path: string,
  { headers = {}, body }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): string => {
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host: "127.0.0.1", ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n${body ?? ""}`;
};

/**
 * Counts the answers on a connection by status, in the order of their first use. It reads
 * everything that comes.
 */
export const countAnswers = (socket: Socket, statuses: Map<string, number>): void => {
  let rest = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    const text = rest + chunk;
    for (const [, status = ""] of text.matchAll(/HTTP\/1\.1 (\d{3})(?=[ \r])/g)) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    // A status line that is cut in two is found with the next piece. What is kept is too short to
    // contain a whole one.
    rest = /HTTP\/1\.1 \d{3}/.test(text.slice(-14)) ? "" : text.slice(-12);
  });
};

/** `200 × 12, 503 × 3`. */
export const inWords = (statuses: ReadonlyMap<string, number>): string =>
  [...statuses]
    .toSorted()
    .map(([status, times]) => `${status} × ${times}`)
    .join(", ") || "no answer";
