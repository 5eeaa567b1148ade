import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { bearer, json, signUp } from "./app-under-test.ts";
import { assertContains, assertMatches } from "./assertions.ts";
import { type Cases, each, eachOf } from "./cases.ts";
import { expectProblem } from "./problem.ts";
import { lines, open, readToEnd } from "./raw.ts";
import type { ServedByServer, Trial } from "./trial.ts";

const user = { name: "bob", email: "bob@example.com", password: "correct horse battery" };

const post = (trial: Trial, url: string, body: RequestInit["body"], headers: Record<string, string> = {}) =>
  trial.fetch(`${url}/api/users`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body }),
  });

const streamOf = (...chunks: readonly Uint8Array[]): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  }),
  duplex: "half",
});

export const bodyMessages: Cases = {
  ...eachOf(
    "the media type: %s is taken",
    [
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
      "application/json; profile=x",
    ],
    async (trial, type) => {
      const { url } = await trial.serve();
      assert.equal((await post(trial, url, JSON.stringify(user), { "content-type": type })).status, 201);
    },
  ),
  ...eachOf(
    "the media type: %s is refused, and the answer says what is accepted",
    [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/vnd.api+json",
      "application/merge-patch+json",
      "application/json; charset=utf-16",
      "application/json; charset=latin1",
      "application/jsonp",
      "json",
    ],
    async (trial, type) => {
      const { url } = await trial.serve();
      const answer = await post(trial, url, JSON.stringify(user), { "content-type": type });
      await expectProblem(answer, "unsupported_media_type");
      assert.equal(answer.headers.get("accept"), "application/json");
    },
  ),
  "the media type: PATCH takes merge patches, and says so": async (trial) => {
    const { url } = await trial.serve();
    const { token } = await signUp(trial, url);
    const patch = (type: string) =>
      trial.fetch(`${url}/api/users/me`, {
        method: "PATCH",
        headers: { ...bearer(token), "content-type": type },
        body: JSON.stringify({ name: "Ann B." }),
      });
    for (const type of ["application/merge-patch+json", "application/json"]) {
      const answer = await patch(type);
      assert.equal(answer.status, 200);
      assertMatches(await answer.json(), { name: "Ann B." });
    }
    const answer = await patch("application/json-patch+json");
    await expectProblem(answer, "unsupported_media_type");
    assert.equal(answer.headers.get("accept-patch"), "application/merge-patch+json, application/json");
  },
  ...eachOf(
    "the media type: a body in the coding %s is refused",
    ["gzip", "br", "deflate", "identity, gzip", "x-unknown"],
    async (trial, coding) => {
      const { url } = await trial.serve();
      const answer = await post(trial, url, JSON.stringify(user), { "content-encoding": coding });
      await expectProblem(answer, "unsupported_media_type");
      assert.equal(answer.headers.get("accept-encoding"), "identity");
    },
  ),
  "the media type: the coding identity counts as no coding": async (trial) => {
    const { url } = await trial.serve();
    assert.equal((await post(trial, url, JSON.stringify(user), { "content-encoding": "identity" })).status, 201);
  },
  "the size: a body of exactly the limit is taken": async (trial) => {
    const text = JSON.stringify(user);
    const { url } = await trial.serve({ jsonLimitBytes: text.length });
    assert.equal((await post(trial, url, text)).status, 201);
    await expectProblem(await post(trial, url, `${text} `), "content_too_large");
  },
  ...eachOf(
    "the text: malformed JSON is refused with the place and without the text: %j",
    ["{", '{"a":}', "nonsense", '{"a":1}}', "{'a':1}", "[1,]", '{"a":01}', '"\u0001"', "   "],
    async (trial, text) => {
      const { url } = await trial.serve();
      const problem = await expectProblem(await post(trial, url, text), "invalid_json");
      assertMatches(problem.detail, /at line 1, column \d+: /);
      if (text.trim().length > 3) assert.ok(problem.detail?.includes(text.trim()) === false);
    },
  ),
  ...each(
    "the text: what is not UTF-8 is refused: %s",
    [
      ["a lone continuation byte", Buffer.from('{"name":"\x80"}', "latin1")],
      ["a cut sequence, as long as its replacement", Buffer.from('{"name":"\xf0\x9f\x98"}', "latin1")],
      ["an encoded surrogate", Buffer.from('{"name":"\xed\xa0\x80"}', "latin1")],
      ["an overlong slash", Buffer.from('{"name":"\xc0\xaf"}', "latin1")],
      ["UTF-16", Buffer.from("\uFEFF{}", "utf16le")],
    ],
    async (trial, _name, bytes) => {
      const { url } = await trial.serve();
      await expectProblem(await post(trial, url, bytes), "invalid_json");
    },
  ),
  "the text: U+FFFD and a character split over chunks are taken as they are": async (trial) => {
    const { url } = await trial.serve();
    const bytes = Buffer.from(JSON.stringify({ ...user, name: "a\uFFFD😀" }));
    const middle = bytes.indexOf(0xf0) + 2;
    const answer = await trial.fetch(`${url}/api/users`, streamOf(bytes.subarray(0, middle), bytes.subarray(middle)));
    assertMatches(await answer.json(), { name: "a\uFFFD😀" });
  },
  "the text: a byte order mark in front of it is refused (RFC 8259, section 8.1), over the wire and in chunks": async (
    trial,
  ) => {
    const { url } = await trial.serve();
    const bytes = Buffer.from(`\uFEFF${JSON.stringify(user)}`);
    const inChunks = trial.fetch(`${url}/api/users`, streamOf(bytes.subarray(0, 1), bytes.subarray(1)));
    for (const answer of [await post(trial, url, bytes), await inChunks, await post(trial, url, "\uFEFF")]) {
      const problem = await expectProblem(answer, "invalid_json");
      assertContains(problem.detail, "byte order mark");
      assertMatches(problem.errors, [{ pointer: "", code: "byte_order_mark" }]);
    }
    assert.equal((await post(trial, url, JSON.stringify({ ...user, name: "\uFEFFa" }))).status, 201);
  },
  "the text: members named twice, and __proto__, are refused": async (trial) => {
    const { url } = await trial.serve();
    for (const [text, pointer] of [
      ['{"name":"a","name":"b"}', "/name"],
      ['{"name":1,"\\u006eame":2}', "/name"],
      ['{"a":{"__proto__":{}}}', "/a/__proto__"],
    ] as const) {
      const problem = await expectProblem(await post(trial, url, text), "invalid_json");
      assertMatches(problem.errors, [{ pointer }]);
    }
  },
  "the text: nesting is bounded, however deep": async (trial) => {
    const { url } = await trial.serve();
    for (const depth of [33, 10_000, 400_000]) {
      const problem = await expectProblem(await post(trial, url, "[".repeat(depth)), "invalid_json");
      assertContains(problem.detail, "nesting");
    }
  },
  ...eachOf(
    "the text: a root that is not an object reaches core, which refuses it: %s",
    ["[]", "1", '"text"', "null"],
    async (trial, text) => {
      const { url } = await trial.serve();
      await expectProblem(await post(trial, url, text), "validation_failed");
    },
  ),
  "the text: an empty body counts as no body": async (trial) => {
    const { url } = await trial.serve();
    for (const answer of [
      await post(trial, url, ""),
      await post(trial, url, undefined),
      await trial.fetch(`${url}/api/users`, streamOf()),
    ]) {
      await expectProblem(answer, "invalid_json");
    }
  },
  "the order of checks: a bad token comes before a bad body, the media type before both": async (trial) => {
    const { url } = await trial.serve();
    const put = (token: string, type: string) =>
      trial.fetch(`${url}/api/users/me`, {
        method: "PUT",
        headers: { ...bearer(token), "content-type": type },
        body: "{",
      });
    const { token } = await signUp(trial, url);
    await expectProblem(await put("wrong", "text/plain"), "unsupported_media_type");
    await expectProblem(await put("wrong", "application/json"), "invalid_token");
    await expectProblem(await put(token, "application/json"), "invalid_json");
  },
};

export const bodyConnections: Cases<ServedByServer> = {
  "the media type: a body without a type is refused": async (trial) => {
    const { port } = await trial.serve();
    const [answer] = await trial.raw(
      port,
      `${lines("POST /api/users HTTP/1.1", "Host: a", "Content-Length: 2", "Connection: close")}{}`,
    );
    await expectProblem(answer, "unsupported_media_type");
  },
  "the media type: a transfer coding in addition to chunked is not implemented": async (trial) => {
    const { port } = await trial.serve();
    const head = ["POST /api/users HTTP/1.1", "Host: a", "Content-Type: application/json"];
    const [answer] = await trial.raw(
      port,
      `${lines(...head, "Transfer-Encoding: gzip, chunked", "Connection: close")}0\r\n\r\n`,
    );
    await expectProblem(answer, "not_implemented");
  },
  "the size: an announced body over the limit is refused at once, before it is sent": async (trial) => {
    const { port } = await trial.serve();
    const socket = await open(port);
    const text = readToEnd(socket);
    const head = ["POST /api/users HTTP/1.1", "Host: a", "Content-Type: application/json"];
    socket.write(lines(...head, "Content-Length: 1048577"));
    const [chunk] = (await once(socket, "data")) as [Buffer];
    assertMatches(chunk.toString(), /^HTTP\/1\.1 413 /);
    socket.end();
    const [answer] = trial.parseReplies(await text);
    await expectProblem(answer, "content_too_large");
    assert.equal(answer?.headers.get("connection"), "close");
  },
  "the size: a client that waits for 100 Continue gets the refusal instead": async (trial) => {
    const { port } = await trial.serve();
    const head = ["POST /api/users HTTP/1.1", "Host: a", "Content-Type: application/json"];
    const [answer] = await trial.raw(port, lines(...head, "Content-Length: 99999999", "Expect: 100-continue"));
    await expectProblem(answer, "content_too_large");
  },
  "the size: a client that waits for 100 Continue is told to go on": async (trial) => {
    const { port } = await trial.serve();
    const body = JSON.stringify(user);
    const socket = await open(port);
    const head = ["POST /api/users HTTP/1.1", "Host: a", "Content-Type: application/json", "Connection: close"];
    socket.write(lines(...head, `Content-Length: ${body.length}`, "Expect: 100-continue"));
    const [interim] = (await once(socket, "data")) as [Buffer];
    assert.equal(interim.toString(), "HTTP/1.1 100 Continue\r\n\r\n");
    const text = readToEnd(socket);
    socket.write(body);
    assert.equal(trial.parseReplies(await text)[0]?.status, 201);
  },
  "the size: a sender that does not stop still gets to read the refusal": async (trial) => {
    const { port } = await trial.serve();
    const socket = await open(port);
    const text = readToEnd(socket);
    const head = ["POST /api/users HTTP/1.1", "Host: a", "Content-Type: application/json"];
    socket.write(lines(...head, "Content-Length: 8000000"));
    for (let sent = 0; sent < 8_000_000; sent += 100_000) socket.write(Buffer.alloc(100_000, " "));
    await expectProblem(trial.parseReplies(await text)[0], "content_too_large");
  },
  "the size: a streamed body over the limit is refused": async (trial) => {
    const { port } = await trial.serve({ jsonLimitBytes: 1000 });
    const head = [
      "POST /api/users HTTP/1.1",
      "Host: a",
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ];
    const chunk = `1f4\r\n${" ".repeat(500)}\r\n`;
    const [answer] = await trial.raw(port, `${lines(...head)}${chunk}${chunk}${chunk}0\r\n\r\n`);
    await expectProblem(answer, "content_too_large");
  },
  "the size: all bodies together are bounded, and their memory is given back": async (trial) => {
    const { url, port } = await trial.serve({ memoryLimitBytes: 1600 }, undefined, { bodyWaitMs: 0 });
    const head = ["POST /api/users HTTP/1.1", "Host: a", "Content-Type: application/json", "Content-Length: 900"];
    const first = await open(port);
    first.write(lines(...head) + " ".repeat(800));
    const second = await open(port);
    const text = readToEnd(second);
    second.write(lines(...head) + " ".repeat(800));
    const [answer] = trial.parseReplies(await text);
    await expectProblem(answer, "overloaded");
    assert.equal(answer?.headers.get("retry-after"), "1");
    first.write(" ".repeat(100));
    assertMatches(((await once(first, "data")) as [Buffer])[0].toString(), /^HTTP\/1\.1 400 /);
    first.destroy();
    assert.equal((await post(trial, url, JSON.stringify(user))).status, 201);
  },
  "the order of checks: a caller without a credential learns nothing about its body, which is not read": async (
    trial,
  ) => {
    const { url, port } = await trial.serve();
    await expectProblem(await trial.fetch(`${url}/api/users/me`, json({}, { method: "PUT" })), "unauthenticated");
    const head = ["PUT /api/users/me HTTP/1.1", "Host: a", "Content-Type: application/json", "Content-Length: 1000"];
    const socket = await open(port);
    socket.write(lines(...head));
    const [answer] = (await once(socket, "data")) as [Buffer];
    assertMatches(answer.toString(), /^HTTP\/1\.1 401 /);
    socket.destroy();
  },
  "operations without a body: ignore any body within the limit": async (trial) => {
    const { url, port } = await trial.serve();
    const { token } = await signUp(trial, url);
    const head = ["GET /api/users/me HTTP/1.1", "Host: a", `Authorization: Bearer ${token}`];
    const body = `${lines(...head, "Content-Length: 5")}{nope`;
    const chunked = `${lines(...head, "Transfer-Encoding: chunked", "Connection: close")}5\r\n{nope\r\n0\r\n\r\n`;
    const answers = await trial.raw(port, body + chunked);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
  },
  "operations without a body: refuse a body that is announced as too long, and wait for none": async (trial) => {
    const { port } = await trial.serve({ jsonLimitBytes: 10 });
    const head = ["GET /api HTTP/1.1", "Host: a"];
    await expectProblem((await trial.raw(port, lines(...head, "Content-Length: 99999999")))[0], "content_too_large");
    const chunked = `${lines(...head, "Transfer-Encoding: chunked")}b\r\n12345678901\r\n0\r\n\r\n`;
    const socket = await open(port);
    const text = readToEnd(socket);
    socket.write(chunked);
    const [answer] = trial.parseReplies(await text);
    assert.deepEqual([answer?.status, answer?.headers.get("connection")], [200, "close"]);
  },
  "aborted uploads: each ends in the log at once, and nothing stays pending or held": async (trial) => {
    const count = 200;
    const { url, port, log } = await trial.serve({ memoryLimitBytes: 160_000 });
    const starts = [
      lines("POST /api/users HTTP/1.1", "Host: a", "Content-Type: application/json", "Content-Length: 9000"),
      `${lines("POST /api/users HTTP/1.1", "Host: a", "Content-Type: application/json", "Transfer-Encoding: chunked")}3e8\r\n`,
      lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", "Content-Length: 9000"),
      lines("GET /api HTTP/1.1", "Host: a", "Content-Length: 9000"),
    ];
    // Nobody waits for the body of a GET.
    const alone = await open(port);
    alone.write(`${starts[3]}half`);
    const [answer] = (await once(alone, "data")) as [Buffer];
    assertMatches(answer.toString(), /^HTTP\/1\.1 200 /);
    alone.destroy();
    for (let done = 0; done < count; done += 20) {
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          // An address has fewer lines than there are uploads.
          const socket = connect({ port, host: "127.0.0.1", localAddress: `127.0.1.${1 + done / 20}` });
          await once(socket, "connect");
          await new Promise((resolve) => socket.write((starts[index % 4] ?? "") + " ".repeat(500), resolve));
          if (index % 2 === 0) socket.resetAndDestroy();
          else socket.destroy();
        }),
      );
    }
    await log.reach(count + 1);
    // 400 if Node saw the end of the stream before the end of the connection, because the caller
    // might still be reading. 200 for a GET if it began before its caller left.
    for (const { fields } of log.lines) {
      assertContains(fields.method === "GET" ? [200, 400, 499] : [400, 499], fields.status);
    }
    // These are more than would fit if any of them had kept its bytes.
    const bodies = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        post(trial, url, JSON.stringify({ ...user, email: `${index}@example.com` }) + " ".repeat(15_000)),
      ),
    );
    assert.deepEqual(
      bodies.map(({ status }) => status),
      [201, 201, 201, 201, 201],
    );
  },
};
