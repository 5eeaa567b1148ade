import { connect, type Socket } from "node:net";

/** An answer as it came over a connection. */
export interface RawReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** What came back until the server closed the connection, one entry for each answer. */
export const parseReplies = (text: string): readonly RawReply[] => {
  const replies: RawReply[] = [];
  let rest = text;
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) throw new Error(`not an answer: ${rest}`);
    const [statusLine = "", ...headerLines] = rest.slice(0, end).split("\r\n");
    const headers = new Map(
      headerLines.map((line) => [line.split(":", 1)[0]?.toLowerCase() ?? "", line.replace(/^[^:]*: */, "")]),
    );
    const length = Number(headers.get("content-length") ?? 0);
    const bytes = Buffer.from(rest.slice(end + 4));
    replies.push({ status: Number(statusLine.split(" ")[1]), headers, body: bytes.subarray(0, length).toString() });
    rest = bytes.subarray(length).toString();
  }
  return replies;
};

export const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => resolve(socket));
    socket.once("error", reject);
  });

/** Everything the server sends until it closes; rejects when it resets the connection. */
export const readToEnd = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.once("end", () => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString());
    });
    socket.once("error", reject);
  });

/** Writes bytes to a server and gives everything it sends until it closes. */
export const talk = async (port: number, bytes: string | Buffer): Promise<string> => {
  const socket = await open(port);
  const text = readToEnd(socket);
  socket.write(bytes);
  return text;
};

const head = /^(?:\r\n)*([A-Z]+) (\S+) HTTP\/1\.[01]\r\n(?:[^\r\n]+\r\n)*\r\n/;

/** The requests in the bytes, as far as they have a known length. */
export const requestsIn = (bytes: Buffer): readonly { readonly method: string; readonly path: string }[] => {
  const text = bytes.toString("latin1");
  const [whole, method = "", target = ""] = head.exec(text) ?? [];
  if (whole === undefined) return [];
  const path = target.replace(/^https?:\/\/[^/]*/, "").split("?", 1)[0] ?? "";
  if (/^transfer-encoding:/im.test(whole)) return [{ method, path }];
  const length = Number(/^content-length: *(\d+)/im.exec(whole)?.[1] ?? 0);
  return [{ method, path }, ...requestsIn(bytes.subarray(whole.length + length))];
};

/** A request made of its lines, joined as HTTP requires. */
export const lines = (...text: readonly string[]): string => `${text.join("\r\n")}\r\n\r\n`;
