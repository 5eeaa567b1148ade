import type { IncomingMessage } from "node:http";

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** How often a header (`name` in lower case) was sent. Node keeps the first of some repeated headers and joins others, so this looks at the wire. */
export const occurrences = ({ rawHeaders }: IncomingMessage, name: string): number => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index];
    if (sent?.length === name.length && sent.toLowerCase() === name) count++;
  }
  return count;
};

/** All headers, lower-case names; a repeated one as an array of what was sent. */
export const faithfulHeaders = (req: IncomingMessage): Headers => {
  // Almost no request repeats a header; then Node's own object says it all and nothing is built.
  if (Object.keys(req.headers).length * 2 === req.rawHeaders.length) return req.headers;
  return Object.fromEntries(
    Object.entries(req.headersDistinct).map(([name, values]) => [name, values?.length === 1 ? values[0] : values]),
  );
};
