import { connect, type Socket } from "node:net";

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
    const [statusLine = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = new Map(
      lines.map((line) => [line.split(":", 1)[0]?.toLowerCase() ?? "", line.replace(/^[^:]*: */, "")]),
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

/** Writes bytes to the server as they are and gives its answers. */
export const raw = async (port: number, bytes: string | Buffer): Promise<readonly RawReply[]> => {
  const socket = await open(port);
  const text = readToEnd(socket);
  socket.write(bytes);
  return parseReplies(await text);
};

/** A request by its lines, which are joined as HTTP wants it. */
export const lines = (...text: readonly string[]): string => `${text.join("\r\n")}\r\n\r\n`;
