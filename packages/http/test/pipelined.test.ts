import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createConnection } from "node:net";
import { createHttpServer, nodeListener } from "@postern/http/node";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeApp } from "../src/testing/app-under-test.ts";
import { lines, readToEnd } from "../src/testing/raw.ts";

const limits = {};

interface Pipelined {
  /** The bytes of the request, with a header that its answer repeats. */
  readonly bytes: (id: string) => string;
  readonly status: number;
  /** Whether the answer ends the connection. */
  readonly closes?: boolean;
  /** Whether Node finds a fault in it, which Postern's own server answers. */
  readonly isFaulty?: boolean;
  readonly hasNoBody?: boolean;
}

const request = (line: string, id: string, body = "", ...headers: readonly string[]): string =>
  lines(`${line} HTTP/1.1`, "Host: a", `X-Request-Id: ${id}`, ...headers) + body;

const chunked = ["Content-Type: application/json", "Transfer-Encoding: chunked"] as const;
const long = "x".repeat(5_000);

const kinds: Readonly<Record<string, Pipelined>> = {
  "a small page": { bytes: (id) => request("GET /api", id), status: 200 },
  "health, which has no turn": { bytes: (id) => request("GET /health/live", id), status: 200 },
  "a large document": { bytes: (id) => request("GET /api/v1/openapi.json", id), status: 200 },
  "no body asked for": { bytes: (id) => request("HEAD /api/v1/openapi.json", id), status: 200, hasNoBody: true },
  "an unknown path": { bytes: (id) => request("GET /api/nowhere", id), status: 404 },
  "a caller that is not signed in": { bytes: (id) => request("GET /api/v2/users/me", id), status: 401 },
  "a body of a known length": {
    bytes: (id) => request("POST /api/v2/users", id, "{}", "Content-Type: application/json", "Content-Length: 2"),
    status: 400,
  },
  "a body in chunks": {
    bytes: (id) => request("POST /api/v2/users", id, "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", ...chunked),
    status: 400,
  },
  "a body that nobody reads": {
    bytes: (id) => request("POST /api/nowhere", id, long, `Content-Length: ${long.length}`),
    status: 404,
  },
  "a forged webhook": {
    bytes: (id) => request("POST /api/webhooks/acme", id, "{}", "Content-Length: 2", "Webhook-Id: x"),
    status: 401,
  },
  "the end of the connection": {
    bytes: (id) => request("GET /api", id, "", "Connection: close"),
    status: 200,
    closes: true,
  },
  nonsense: { bytes: () => "nonsense\r\n\r\n", status: 400, closes: true, isFaulty: true },
  "a body of nonsense": {
    bytes: (id) => request("POST /api/v2/users", id, "zzz\r\n", ...chunked),
    status: 400,
    closes: true,
    isFaulty: true,
  },
};

/** Sends bytes in pieces, each in a turn of its own, then `end`, and returns what comes back as Latin-1. */
const sendInPieces = async (port: number, bytes: string, cuts: readonly number[], end: string): Promise<string> => {
  const socket = createConnection({ port, host: "127.0.0.1" });
  const text = readToEnd(socket);
  const places = cuts.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b);
  for (const [index, place] of [...places, bytes.length].entries()) {
    socket.write(bytes.slice(places[index - 1] ?? 0, place));
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.write(end);
  return Buffer.from(await text).toString("latin1");
};

interface Came {
  readonly id: string | undefined;
  readonly status: number;
}

/** The answers on a connection, one after the other. */
const answersIn = (text: string, sent: readonly Pipelined[]): readonly Came[] => {
  const answers: Came[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\r\n\r\n", at);
    const head = text.slice(at, end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Number.NaN);
    expect(head).toMatch(/^HTTP\/1\.1 \d{3} /);
    answers.push({ id: /^x-request-id: (.*)$/im.exec(head)?.[1], status: Number(head.slice(9, 12)) });
    const hasNoBody = sent[answers.length - 1]?.hasNoBody === true;
    expect(length).not.toBeNaN();
    at = end + 4 + (hasNoBody ? 0 : length);
  }
  return answers;
};

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;

const part = fc.double({ min: 0, max: 1, noNaN: true });

const checkPipelined = (port: number, names: readonly string[]): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...names), { maxLength: 15 }),
      fc.array(part, { maxLength: 12 }),
      async (chosen, cuts) => {
        const sent = [...chosen, "the end of the connection"].map((name) => kinds[name] as Pipelined);
        const bytes = sent.map((one, index) => one.bytes(idOf(index)));
        const last = sent.findIndex(({ closes }) => closes);
        // The last request goes in one piece with what is behind it: a write after the end would be
        // answered with a reset.
        const end = bytes.slice(last, last + 3).join("");
        const came = answersIn(await sendInPieces(port, bytes.slice(0, last).join(""), cuts, end), sent);
        const expected = sent.slice(0, last + 1);
        expect(came.map(({ status }) => status)).toEqual(expected.map(({ status }) => status));
        for (const [index, { id }] of came.entries()) {
          if (expected[index]?.isFaulty !== true) expect(id).toBe(idOf(index));
        }
      },
    ),
    { numRuns: 300 },
  );

describe("pipelined requests get the answers that each would get alone, in their order", () => {
  test("from Postern's own server, which also answers bytes that are not a request", { timeout: 60_000 }, async () => {
    const server = createHttpServer(makeApp().app, limits);
    const { port } = await server.listen();
    await checkPipelined(port, Object.keys(kinds)).finally(() => server.close({ graceMs: 0 }));
  });

  test("from the listener on a server of Node", { timeout: 60_000 }, async () => {
    const server = createServer(nodeListener(makeApp().app, limits)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    // Node itself answers bytes that are not a request, and requests behind the last one.
    const sound = Object.keys(kinds).filter((name) => kinds[name]?.closes !== true);
    await checkPipelined(port, sound).finally(() => server.close());
  });
});

test("a connection is cut at once when hundreds of requests come that get no answer", async () => {
  const server = createHttpServer(makeApp().app);
  const { port } = await server.listen();
  const answersTo = async (count: number): Promise<readonly string[]> => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    const text = readToEnd(socket);
    socket.on("error", () => undefined).write(request("GET /health/live", "1").repeat(count));
    return [...(await text).toString().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = ""]) => status);
  };
  // One is answered at once, and 16 wait; the next one is refused.
  expect(await answersTo(200)).toEqual([...Array(17).fill("200"), "503"]);
  expect(await answersTo(300)).toEqual([]);
  await server.close({ graceMs: 0 });
});

test("the requests of a connection that is cut have errors without stacks, and other errors have theirs", async () => {
  const server = createServer(nodeListener(makeApp().app, limits)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const errors: Error[] = [];
  server.on("request", (req) => req.on("error", (error: Error) => errors.push(error)));
  const client = createConnection({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  client.on("error", () => undefined).write(request("GET /health/live", "1").repeat(300));
  const [socket] = await once(server, "connection");
  await once(socket, "close");
  await new Promise((resolve) => setImmediate(resolve));
  expect(errors.length).toBeGreaterThan(256);
  expect(errors.filter(({ stack }) => stack?.includes("\n    at "))).toEqual([]);
  expect(new Error("of another place").stack).toContain("\n    at ");
  server.close();
});
