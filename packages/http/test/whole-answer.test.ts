import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createConnection } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HttpAnswer } from "../src/http-request.ts";
import { sentWhole } from "../src/node/whole-answer.ts";

type Send = (res: ServerResponse) => void;

const answer = (body: string, more: Readonly<Record<string, string>> = {}, status = 200): HttpAnswer => ({
  status,
  headers: {
    "cache-control": "no-store",
    "x-request-id": `r-${body.length}`,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    ...more,
  },
  body,
});

const asNode = ({ status, headers, body }: HttpAnswer, res: ServerResponse): void => {
  res.writeHead(status, headers).end(body);
};
const whole = ({ status, headers, body }: HttpAnswer, res: ServerResponse): boolean =>
  sentWhole(res, status, headers, body);

/** All bytes that a server sends to requests over one connection, which ends with the last of them. */
const bytesOf = async (answers: readonly Send[]): Promise<string> => {
  let next = 0;
  const server = createServer((_req, res) => {
    res.sendDate = false;
    answers[next++]?.(res);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const socket = createConnection((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("latin1");
  let received = "";
  socket.on("data", (piece) => {
    received += piece;
  });
  for (const index of answers.keys()) {
    socket.write(`GET / HTTP/1.1\r\nHost: a\r\n${index === answers.length - 1 ? "Connection: close\r\n" : ""}\r\n`);
  }
  await once(socket, "close");
  return received;
};

/** The answers in the bytes: each with its status line, its headers in any order, and its body. */
const parsed = (bytes: string) =>
  bytes
    .split(/(?=HTTP\/1\.1 )/)
    .map((one) => one.split("\r\n\r\n"))
    .map(([head = "", body]) => {
      const [line, ...headers] = head.split("\r\n");
      return { line, headers: headers.map((header) => header.toLowerCase()).sort(), body };
    });

describe("an answer sent whole", () => {
  test("is what writeHead and end send, for one answer after the other", async () => {
    const answers = [
      answer('{"id":"1","status":"accepted"}'),
      answer('{"id":"12","status":"accepted"}'),
      answer("[]", { "api-version": "v2" }),
      answer("[]", {}, 404),
      answer("text", { "content-type": "text/plain" }, 503),
      answer(""),
      answer('{"id":"3"}'),
      answer('{"id":"4"}', { "cache-control": "private, no-cache" }),
    ];
    const sent: boolean[] = [];
    const wholes = await bytesOf(answers.map((one) => (res) => void sent.push(whole(one, res))));
    const nodes = await bytesOf(answers.map((one) => (res) => asNode(one, res)));
    expect(parsed(wholes)).toEqual(parsed(nodes));
    expect(sent).toEqual(answers.map(() => true));
  });

  test.each([
    ["text that is not ASCII", answer('{"name":"ä"}')],
    ["an answer that ends the connection", answer("[]", { connection: "close" })],
    ["an answer without a length", { ...answer("[]"), headers: { "x-request-id": "r" } }],
    ["no body", { ...answer(""), body: undefined }],
    ["bytes", { ...answer("[]"), body: Buffer.from("[]") }],
  ])("is left to Node: %s", async (_case, one) => {
    let sent: boolean | undefined;
    const send: Send = (res) => {
      sent = whole(one, res);
      asNode(one, res);
    };
    expect(await bytesOf([send])).toBe(await bytesOf([(res) => asNode(one, res)]));
    expect(sent).toBe(false);
  });

  test("is left to Node where something else has set a header", async () => {
    const send: Send = (res) => {
      res.setHeader("x-powered-by", "another");
      if (!whole(answer("[]"), res)) asNode(answer("[]"), res);
    };
    expect(await bytesOf([send])).toContain("x-powered-by: another");
  });

  test("is refused for a header that could hold another", async () => {
    const thrown: unknown[] = [];
    const send =
      (one: HttpAnswer): Send =>
      (res) => {
        try {
          whole(one, res);
        } catch (error) {
          thrown.push(error);
        }
        if (!res.headersSent) res.end();
      };
    const split = "a\r\nset-cookie: b=c";
    const received = await bytesOf([
      send(answer("[]", { link: split })),
      send(answer("[]", { "x-request-id": split })),
      send(answer("[]", { "set\r\ncookie": "b" })),
    ]);
    expect(received).not.toMatch(/set-?\s*cookie/i);
    expect(thrown.length).toBe(3);
  });
});
