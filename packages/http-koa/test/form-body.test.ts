import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Router } from "@koa/router";
import { createGateway, type Gateway } from "@postern/http";
import Koa from "koa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectProblem, makeApp } from "../../http/test/support/serve.ts";
import { formBody, gatewayMiddleware } from "../src/index.ts";

let server: Server;
let gateway: Gateway;
let url: string;
const parsed: unknown[] = [];

beforeEach(async () => {
  gateway = createGateway(makeApp().app);
  const router = new Router();
  router.all("/oauth/token", formBody(gateway, { limitBytes: 1000 }), (ctx) => {
    parsed.push(ctx.request.body);
    ctx.body = ctx.request.body;
  });
  const koa = new Koa();
  koa.silent = true;
  koa.use(gatewayMiddleware(gateway)).use(router.routes());
  server = createServer(koa.callback()).listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address of this kind.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  parsed.length = 0;
  server.close();
  server.closeAllConnections();
});

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, method = "POST") =>
  fetch(`${url}/oauth/token`, {
    method,
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body,
  });

describe("a form", () => {
  test("reaches its route as texts, beside the API", async () => {
    const answer = await post("grant_type=client_credentials&scope=a+b%20c&n=1&ü=%C3%BC");
    expect(await answer.json()).toEqual({ grant_type: "client_credentials", scope: "a b c", n: "1", ü: "ü" });
    expect((await fetch(`${url}/api`)).status).toBe(200);
  });

  test.each(["PUT", "PATCH"])("is read from a %s, too", async (method) => {
    expect(await (await post("a=1", {}, method)).json()).toEqual({ a: "1" });
  });

  test("that is not UTF-8 is refused", async () => {
    await expectProblem(await post(Uint8Array.of(0x61, 0x3d, 0xff)), "bad_request");
  });

  test("builds no objects and reaches no prototype", async () => {
    await post("a[b]=1&__proto__=x&__proto__[polluted]=1&constructor[prototype][polluted]=1");
    expect(parsed).toHaveLength(1);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    for (const value of Object.values(parsed[0] as object)) expect(typeof value).toBe("string");
  });

  test("over the limit is refused, announced or streamed", async () => {
    expect((await post(`a=${"x".repeat(998)}`)).status).toBe(200);
    await expectProblem(await post(`a=${"x".repeat(999)}`), "content_too_large");
    const streamed = await fetch(`${url}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new Blob([`a=${"x".repeat(999)}`]).stream(),
      duplex: "half",
    });
    await expectProblem(streamed, "content_too_large");
  });

  test("of another type, or compressed, is refused", async () => {
    for (const type of ["application/json", "multipart/form-data; boundary=x", "text/plain"]) {
      await expectProblem(await post("a=1", { "content-type": type }), "unsupported_media_type");
    }
    await expectProblem(await post("a=1", { "content-encoding": "gzip" }), "unsupported_media_type");
    expect(parsed).toEqual([]);
  });

  test("with more than 100 fields is refused and never shown again", async () => {
    const answer = await post(
      Array.from({ length: 101 }, (_, index) => `secret${index}=x`)
        .join("&")
        .slice(0, 999),
    );
    const problem = answer.status === 200 ? undefined : await expectProblem(answer, "bad_request");
    expect(JSON.stringify(problem ?? {})).not.toContain("secret");
  });

  test("that breaks off leaves nothing behind", async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write("POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n");
    socket.write("Content-Length: 100\r\n\r\na=1");
    await once(socket, "connect");
    socket.destroy();
    await once(socket, "close");
    expect(await (await post("a=2")).json()).toEqual({ a: "2" });
    expect(parsed).toEqual([{ a: "2" }]);
  });
});
