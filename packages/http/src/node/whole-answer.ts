import { type ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } from "node:http";
import type { HttpAnswer } from "../http-request.ts";

/**
 * The members of a response that Node itself uses between `writeHead` and `end`. They are not
 * documented, but the same in all versions of Node since 0.12.
 */
type OpenResponse = ServerResponse & {
  _storeHeader?: unknown;
  _header?: unknown;
};

/** Headers that differ from answer to answer. */
const own = ["x-request-id", "content-length"] as const;
/** Node changes what it does with the connection when it sees these. */
const telling = ["connection", "transfer-encoding", "date", "trailer", "expect"];

const isOwn = (name: string): boolean => name === own[0] || name === own[1];

/** The head of the answer before, without the headers that differ. Most answers have the same. */
interface KeptHead {
  readonly status: number;
  readonly headers: HttpAnswer["headers"];
  /** How many headers there are, those that differ included. */
  readonly count: number;
  /** `undefined` if Node must see all of the headers. */
  readonly lines: string | undefined;
}

const headOf = (status: number, headers: HttpAnswer["headers"]): KeptHead => {
  let lines = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  let count = 0;
  for (const name in headers) {
    count += 1;
    const value = headers[name] ?? "";
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (!isOwn(name)) lines += `${name}: ${value}\r\n`;
  }
  const isPlain = own.every((name) => name in headers) && !telling.some((name) => name in headers);
  return { status, headers, count, lines: isPlain ? lines : undefined };
};

const hasSameHead = (kept: KeptHead, status: number, headers: HttpAnswer["headers"]): boolean => {
  if (kept.status !== status) return false;
  let count = 0;
  for (const name in headers) {
    count += 1;
    if (headers[name] !== kept.headers[name] && !isOwn(name)) return false;
  }
  return count === kept.count;
};

let last: KeptHead | undefined;

/**
 * Sends an answer in one write, with the lines of its head that were also in the answer before as
 * one text. Node would put each line together from four texts, and write head and body as two
 * pieces: that takes 2 kB more for each answer. Only for a server of our own, where nothing else has
 * replaced `writeHead` or `end` or set headers.
 *
 * Returns false if it did nothing, because the answer or this version of Node does not suit. Send
 * it with `writeHead` and `end` then.
 */
export const sentWhole = (
  res: OpenResponse,
  status: number,
  headers: HttpAnswer["headers"],
  body: HttpAnswer["body"],
): boolean => {
  // A character of ASCII is a byte, so the text is as long as its bytes. Others must be encoded.
  if (typeof body !== "string" || headers["content-length"] !== String(body.length)) return false;
  if (typeof res._storeHeader !== "function" || res.getHeaderNames().length > 0) return false;
  if (last === undefined || !hasSameHead(last, status, headers)) last = headOf(status, headers);
  if (last.lines === undefined) return false;
  res.statusCode = status;
  res._storeHeader(last.lines, [own[0], headers[own[0]], own[1], headers[own[1]]]);
  if (typeof res._header !== "string") {
    res.end(body);
    return true;
  }
  // `end` sends the head as it stands here.
  res._header += body;
  res.end();
  return true;
};
