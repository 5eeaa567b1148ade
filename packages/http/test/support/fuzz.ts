import fc from "fast-check";
import { expect } from "vitest";
import { bearer, makeApp, signUp } from "../../src/testing/app-under-test.ts";
import { open, readToEnd } from "../../src/testing/raw.ts";
import { type ConnectionsAdapter, type ServedByServer, type Trial, tryConnections } from "../../src/testing/trial.ts";
import { checkAnswer } from "./check-answer.ts";

const nasty = fc.constantFrom(
  "",
  " ",
  "\0",
  "\ud800",
  "\u202e",
  "__proto__",
  "constructor",
  "me",
  "null",
  "-1",
  "1e400",
  "%",
  "'; DROP TABLE users; --",
  "../../etc/passwd",
  "a".repeat(300),
  "𝒳é",
  "*",
  '"',
  "01900000-0000-7000-8000-000000000000",
);
const word = fc.oneof(
  nasty,
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom("title", "id", "-created_at", "published"),
);
const memberName = fc.oneof(
  word,
  fc.constantFrom(
    "title",
    "body",
    "status",
    "name",
    "email",
    "password",
    "preferences",
    "role",
    "id",
    "force",
    "current_password",
    "new_password",
    "refresh_token",
  ),
);
const leaf = fc.oneof(
  word,
  fc.constantFrom("a@example.com", "correct horse battery"),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(memberName, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const body = fc.oneof(
  { weight: 6, arbitrary: fc.dictionary(memberName, value, { maxKeys: 6 }).map((made) => JSON.stringify(made)) },
  { weight: 1, arbitrary: value.map((made) => JSON.stringify(made) ?? "") },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
);
const parameter = fc.tuple(
  fc.oneof(
    word,
    fc.constantFrom(
      "limit",
      "cursor",
      "fields",
      "sort",
      "include",
      "total",
      "filter[status]",
      "filter[created_at][gte]",
      "filter[title][contains]",
      "fields[comment]",
      "since",
      "actor",
      "a[]",
      "a[b]",
    ),
  ),
  fc.oneof(word, fc.constantFrom("1", "true", "id,title", "author", "2026-01-01T00:00:00.000Z")),
);
const query = fc
  .array(parameter, { maxLength: 3 })
  .map((pairs) => pairs.map(([name, text]) => `${encode(name)}=${encode(text)}`).join("&"));
const headerValue = fc.oneof(
  fc.constantFrom(
    "*",
    '"1.abcdefabcdefabcdef"',
    'W/"x"',
    '"',
    "return=minimal",
    "Sat, 21 Nov 2026 08:30:00 GMT",
    "key-1",
    '"key-2"',
    "text/html",
    "application/json",
  ),
  fc.stringMatching(/^[ -~]{0,20}$/),
);
const headers = fc.dictionary(
  fc.constantFrom(
    "if-match",
    "if-none-match",
    "if-modified-since",
    "if-unmodified-since",
    "idempotency-key",
    "prefer",
    "accept",
    "x-request-id",
    "content-type",
    "range",
    "te",
  ),
  headerValue,
  { maxKeys: 3 },
);

/** Percent-encodes a text. Text that cannot be encoded is sent as the bytes of a lone surrogate. */
const encode = (text: string): string => (/\p{Cs}/u.test(text) ? "%ED%A0%80" : encodeURIComponent(text));

const requests = async (trial: Trial<ServedByServer>): Promise<void> => {
  const made = makeApp();
  const { url } = await trial.serve({}, made);
  const { id, token } = await signUp(trial, url);
  const post = await trial.fetch(`${url}/api/v2/users/me/posts`, {
    method: "POST",
    headers: { ...bearer(token), "content-type": "application/json" },
    body: '{"title":"T","body":"B","status":"published"}',
  });
  const { id: postId } = (await post.json()) as { id: string };
  const root = await signUp(trial, url, "root");
  await made.app.run({
    operation: "users.update",
    principal: { kind: "operator", name: "test" },
    params: { id: root.id },
    body: { role: "admin" },
  });

  const places = made.app.versions.flatMap((version) =>
    version.operations
      // The callers must keep their accounts and sessions, because without them they test nothing
      // more. The feed has no end to wait for.
      .filter(
        ({ id: name }) => !/^(users\.delete|sessions\.delete|users\.change-password|webhooks\.|admin\.feed)/.test(name),
      )
      .map(({ method, path, unversioned, body: takes }) => {
        const base = unversioned === true ? "/api" : `/api/${version.id}`;
        return { method, template: path === "/" ? base : base + path, typed: takes !== undefined };
      }),
  );
  const segment = fc.oneof(fc.constantFrom(id, postId, "me", "1", "default"), word.map(encode));
  const request = fc.record({
    place: fc.constantFrom(...places),
    segments: fc.array(segment, { minLength: 2, maxLength: 2 }),
    token: fc.constantFrom(token, token, root.token, undefined, "forged"),
    query,
    headers,
    body,
  });

  await fc.assert(
    fc.asyncProperty(
      request,
      async ({ place, segments, token: credential, query: asked, headers: given, body: sent }) => {
        const { method, template, typed } = place;
        let index = 0;
        const path = template.replaceAll(/\{\w+\}/g, () => segments[index++] ?? "x");
        const answer = await trial.fetch(`${url}${path}${asked === "" ? "" : `?${asked}`}`, {
          method,
          headers: {
            ...(!typed ? {} : { "content-type": "application/json" }),
            ...(credential === undefined ? {} : bearer(credential)),
            ...given,
          },
          ...(method === "GET" ? {} : { body: sent }),
        });
        const text = await answer.text();
        expect(answer.status, text).toBeLessThan(500);
        if (answer.status >= 400) {
          expect(answer.headers.get("content-type")).toBe("application/problem+json");
          expect(JSON.parse(text)).toMatchObject({ status: answer.status, code: expect.stringMatching(/^[a-z_]+$/) });
          expect(text).not.toMatch(/node_modules|SQLITE|\.ts:\d|\\n +at /);
        }
      },
    ),
    { numRuns: 300 },
  );
};

const bytes = async (trial: Trial<ServedByServer>): Promise<void> => {
  const { port } = await trial.serve();
  const line = fc.constantFrom(
    "GET /api HTTP/1.1",
    "POST /api/v2/sessions HTTP/1.1",
    "BREW /api HTTP/1.1",
    "GET http://[::1/ HTTP/1.1",
    "GET /api/\u0000 HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "GET /api HTTP/9.9",
  );
  const field = fc.constantFrom(
    "Host: a",
    "Content-Length: 2",
    "Content-Length: -1",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked",
    "Content-Type: application/json",
    "Content-Encoding: gzip",
    "Expect: 100-continue",
    "Expect: miracles",
    "Authorization: Bearer x",
    "If-None-Match: \u00ff",
    ": empty",
    "Upgrade: websocket",
    " folded: yes",
  );
  const rest = fc.constantFrom("", "{}", "0\r\n\r\n", "zz\r\n", "\u0000");
  await fc.assert(
    fc.asyncProperty(line, fc.array(field, { maxLength: 5 }), rest, async (first, fields, more) => {
      const socket = await open(port);
      const replies = readToEnd(socket).catch(() => "");
      socket.end(Buffer.from(`${[first, ...fields, "Connection: close"].join("\r\n")}\r\n\r\n${more}`, "latin1"));
      for (const { status, headers: sent, body: text } of trial.parseReplies(
        (await replies).replaceAll("HTTP/1.1 100 Continue\r\n\r\n", ""),
      )) {
        expect(status === 501 || status < 500, `${status} ${text}`).toBe(true);
        if (status >= 400) expect(sent.get("content-type")).toBe("application/problem+json");
      }
    }),
    { numRuns: 300 },
  );
};

/** No request gets a 5xx, and every answer is what the OpenAPI document says. */
export const fuzzRequests = (adapter: ConnectionsAdapter): Promise<void> =>
  tryConnections(requests, adapter, checkAnswer);

/** No bytes on a connection get a 5xx other than 501, or anything that is not HTTP. */
export const fuzzBytes = (adapter: ConnectionsAdapter): Promise<void> => tryConnections(bytes, adapter, checkAnswer);
