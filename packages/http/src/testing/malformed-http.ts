import assert from "node:assert/strict";
import { once } from "node:events";
import type { ErrorCode } from "@postern/core";
import { assertMatches } from "./assertions.ts";
import { type Cases, each, eachOf } from "./cases.ts";
import { expectProblem } from "./problem.ts";
import { lines, open, readToEnd } from "./raw.ts";
import type { ServedByServer } from "./trial.ts";

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
  ["a method that does not exist", "not_implemented", lines("FROB /api HTTP/1.1", "Host: a")],
  ["headers over 16 KiB", "headers_too_large", lines("GET /api HTTP/1.1", "Host: a", `X: ${"a".repeat(17_000)}`)],
  [
    "many headers over 16 KiB",
    "headers_too_large",
    lines("GET /api HTTP/1.1", "Host: a", ...Array.from({ length: 4000 }, (_, index) => `X${index}: a`)),
  ],
];

export const malformedConnections: Cases<ServedByServer> = {
  ...each("malformed HTTP: %s is answered with the problem %s", cases, async (trial, _name, code, bytes) => {
    const { port, log } = await trial.serve();
    const [answer, ...more] = await trial.raw(port, bytes);
    await expectProblem(answer, code);
    assert.equal(answer?.headers.get("connection"), "close");
    assert.deepEqual(more, []);
    assertMatches(log.lines, [{ fields: { status: answer?.status, route: "unmatched" } }]);
  }),
  ...eachOf(
    "malformed HTTP: the method %s, which only Node knows, is not implemented",
    ["TRACE", "PROPFIND", "LINK", "PURGE"],
    async (trial, method) => {
      const { port } = await trial.serve();
      for (const path of ["/api/users", "/api/webhooks/acme", "/health/live", "/nowhere"]) {
        const [answer] = await trial.raw(port, lines(`${method} ${path} HTTP/1.1`, "Host: a", "Connection: close"));
        await expectProblem(answer, "not_implemented");
      }
    },
  ),
  "malformed HTTP: CONNECT is not implemented": async (trial) => {
    const { port } = await trial.serve();
    await expectProblem((await trial.raw(port, lines("CONNECT a:443 HTTP/1.1", "Host: a")))[0], "not_implemented");
  },
  "malformed HTTP: an offer to upgrade is ignored": async (trial) => {
    const { port } = await trial.serve();
    const request = ["GET /api HTTP/1.1", "Host: a", "Connection: Upgrade, close", "Upgrade: websocket"];
    assert.equal((await trial.raw(port, lines(...request)))[0]?.status, 200);
  },
  "malformed HTTP: a body that turns into nonsense is answered once": async (trial) => {
    const { port, log } = await trial.serve();
    const head = [
      "POST /api/users HTTP/1.1",
      "Host: a",
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ];
    const answers = await trial.raw(port, `${lines(...head)}zzz\r\n`);
    assert.equal(answers.length, 1);
    const problem = await expectProblem(answers[0], "bad_request");
    assert.equal(problem.instance, "/api/users");
    await log.reach(1);
    assertMatches(log.lines, [{ fields: { status: 400, route: "/api/users", request_id: problem.request_id } }]);
  },
  "malformed HTTP: a sound request before a broken one on the same connection gets its answer first": async (trial) => {
    const { port } = await trial.serve();
    const answers = await trial.raw(port, `${lines("GET /api HTTP/1.1", "Host: a")}nonsense\r\n\r\n`);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400],
    );
    await expectProblem(answers[1], "bad_request");
  },
  "malformed HTTP: sound requests before a body that turns into nonsense get their answers first": async (trial) => {
    const { port } = await trial.serve();
    const broken = lines("POST /api/users HTTP/1.1", "Host: a", "Transfer-Encoding: chunked");
    const answers = await trial.raw(port, `${lines("GET /api HTTP/1.1", "Host: a").repeat(3)}${broken}zzz\r\n`);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 400],
    );
  },
  "malformed HTTP: two and a half requests in one packet get two answers and a third when it is whole": async (
    trial,
  ) => {
    const { port } = await trial.serve();
    const get = lines("GET /health/live HTTP/1.1", "Host: a");
    const socket = await open(port);
    const text = readToEnd(socket);
    socket.write(get + get + get.slice(0, 20));
    await once(socket, "data");
    socket.write(lines(`${get.slice(20).trimEnd()}`, "Connection: close"));
    assert.deepEqual(
      trial.parseReplies(await text).map(({ status }) => status),
      [200, 200, 200],
    );
  },
};
