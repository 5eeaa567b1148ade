import { once } from "node:events";
import type { ErrorCode } from "@postern/core";
import { describe, expect, test } from "vitest";
import { expectProblem } from "./support/problem.ts";
import { lines, open, parseReplies, raw, readToEnd } from "./support/raw.ts";
import { serve } from "./support/serve.ts";

const cases: readonly (readonly [string, ErrorCode, string])[] = [
  ["nonsense", "bad_request", "nonsense\r\n\r\n"],
  ["a header without a colon", "bad_request", lines("GET / HTTP/1.1", "Host: a", "nonsense")],
  ["a space before the colon", "bad_request", lines("GET / HTTP/1.1", "Host : a")],
  ["a NUL in a header", "bad_request", lines("GET / HTTP/1.1", "Host: a", "X: \0")],
  ["two lengths", "bad_request", lines("POST / HTTP/1.1", "Host: a", "Content-Length: 1", "Content-Length: 2")],
  ["a length that is none", "bad_request", lines("POST / HTTP/1.1", "Host: a", "Content-Length: -1")],
  [
    "a length and chunks",
    "bad_request",
    lines("POST / HTTP/1.1", "Host: a", "Content-Length: 5", "Transfer-Encoding: chunked"),
  ],
  ["an unknown protocol", "bad_request", lines("GET / HTTQ/1.1", "Host: a")],
  ["a method of nobody's", "not_implemented", lines("FROB /api HTTP/1.1", "Host: a")],
  ["headers over 16 KiB", "headers_too_large", lines("GET /api HTTP/1.1", "Host: a", `X: ${"a".repeat(17_000)}`)],
  [
    "many headers over 16 KiB",
    "headers_too_large",
    lines("GET /api HTTP/1.1", "Host: a", ...Array.from({ length: 4000 }, (_, index) => `X${index}: a`)),
  ],
];

describe("what is no HTTP", () => {
  test.each(cases)("%s is answered with the problem %s", async (_name, code, bytes) => {
    const { port, log } = await serve();
    const [answer, ...more] = await raw(port, bytes);
    await expectProblem(answer, code);
    expect(answer?.headers.get("connection")).toBe("close");
    expect(more).toEqual([]);
    expect(log.lines).toMatchObject([{ fields: { status: answer?.status, route: "unmatched" } }]);
  });

  test.each(["TRACE", "PROPFIND", "LINK", "PURGE"])("%s, which only Node knows, is not implemented", async (method) => {
    const { port } = await serve();
    for (const path of ["/api/users", "/api/webhooks/acme", "/health/live", "/nowhere"]) {
      const [answer] = await raw(port, lines(`${method} ${path} HTTP/1.1`, "Host: a", "Connection: close"));
      await expectProblem(answer, "not_implemented");
    }
  });

  test("CONNECT is not implemented", async () => {
    const { port } = await serve();
    await expectProblem((await raw(port, lines("CONNECT a:443 HTTP/1.1", "Host: a")))[0], "not_implemented");
  });

  test("an offer to upgrade is ignored", async () => {
    const { port } = await serve();
    const request = ["GET /api HTTP/1.1", "Host: a", "Connection: Upgrade, close", "Upgrade: websocket"];
    expect((await raw(port, lines(...request)))[0]?.status).toBe(200);
  });

  test("a body that breaks off into nonsense is answered once", async () => {
    const { port, log } = await serve();
    const head = [
      "POST /api/users HTTP/1.1",
      "Host: a",
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ];
    const answers = await raw(port, `${lines(...head)}zzz\r\n`);
    expect(answers.length).toBe(1);
    const problem = await expectProblem(answers[0], "bad_request");
    expect(problem.instance).toBe("/api/users");
    await log.reach(1);
    expect(log.lines).toMatchObject([{ fields: { status: 400, route: "/api/users", request_id: problem.request_id } }]);
  });

  test("a sound request before a broken one on the same connection gets its answer first", async () => {
    const { port } = await serve();
    const answers = await raw(port, `${lines("GET /api HTTP/1.1", "Host: a")}nonsense\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    await expectProblem(answers[1], "bad_request");
  });

  test("two and a half requests in one packet get two answers and a third when it is whole", async () => {
    const { port } = await serve();
    const get = lines("GET /health/live HTTP/1.1", "Host: a");
    const socket = await open(port);
    const text = readToEnd(socket);
    socket.write(get + get + get.slice(0, 20));
    await once(socket, "data");
    socket.write(lines(`${get.slice(20).trimEnd()}`, "Connection: close"));
    expect(parseReplies(await text).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
