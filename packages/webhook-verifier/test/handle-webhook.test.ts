import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type } from "arktype";
import express from "express";
import fastify from "fastify";
import Koa from "koa";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { schemes } from "../src/all-schemes.ts";
import {
  createVerifier,
  type Delivery,
  handleLambdaWebhook,
  handleNodeWebhook,
  handleWebhook,
  type NodeRequest,
  type NodeResponse,
  type PayloadSchema,
  sign,
  signRequest,
  WebhookConfigError,
  type WebhookErrorCode,
} from "../src/index.ts";
import { expectRefusal } from "./support.ts";

const keys = "a secret that only the two know";
const body = JSON.stringify({ id: "evt_1", type: "thing.made", amount: 5 });
const signed = async (): Promise<Record<string, string>> => ({ ...(await sign(schemes.stripe, { keys, body })) });
const web = (headers: Record<string, string>, text: string = body): Request =>
  new Request("https://hooks.example.com/in", { method: "POST", headers, body: text });

describe("keys by a function", () => {
  test("are asked for when the first message needs them, once for all that wait", async () => {
    let calls = 0;
    let value: string | undefined;
    const verifier = createVerifier(schemes.stripe, {
      keys: async () => {
        calls++;
        return value;
      },
    });
    expect(calls).toBe(0);
    const request = { headers: await signed(), body };
    // Not set yet, as during a build: the sender is told to try again.
    const refused = await verifier.verify(request).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "key_unavailable", cause: { code: "key_missing" } });
    value = "short";
    await expect(verifier.verify(request)).rejects.toMatchObject({
      code: "key_unavailable",
      cause: { code: "key_invalid" },
    });
    value = keys;
    calls = 0;
    await Promise.all(Array.from({ length: 50 }, () => verifier.verify(request)));
    await verifier.verify(request);
    expect(calls).toBe(1);
  });

  test("may come from the environment, or be a source", async () => {
    const fromEnvironment = createVerifier(schemes.stripe, { keys: () => process.env.NO_SUCH_VARIABLE });
    await expectRefusal(fromEnvironment.verify({ headers: await signed(), body }), "key_unavailable");
    const source = createVerifier(schemes.stripe, { keys: () => ({ find: () => [{ key: keys }] }) });
    await source.verify({ headers: await signed(), body });
    const failing = createVerifier(schemes.stripe, {
      keys: () => {
        throw new Error("the store is away");
      },
    });
    await expectRefusal(failing.verify({ headers: await signed(), body }), "key_unavailable");
  });
});

test("the platform's fetch can be given as it is", () => {
  createVerifier(schemes.stripe, { keys, fetch: globalThis.fetch });
  createVerifier(schemes.stripe, { keys, fetch });
});

describe("payloads", () => {
  test("have the type that the caller names", async () => {
    const delivery = await createVerifier(schemes.stripe, { keys }).verify<{ amount: number }>({
      headers: await signed(),
      body,
    });
    const { amount } = delivery.payload;
    expect(amount).toBe(5);
  });

  test("are what a Standard Schema returns, and are refused if they do not fit it", async () => {
    const schema = z.object({ id: z.string(), amount: z.number().transform((cents) => `${cents} cents`) });
    const verifier = createVerifier(schemes.stripe, { keys, schema });
    const delivery: Delivery<{ id: string; amount: string }> = await verifier.verify({ headers: await signed(), body });
    expect(delivery.payload).toEqual({ id: "evt_1", amount: "5 cents" });
    // Id and type are read from the payload that arrived, before the schema cut it.
    expect([delivery.id, delivery.type, delivery.dedupeKey]).toEqual(["evt_1", "thing.made", "evt_1"]);
    expect(JSON.parse(JSON.stringify(delivery))).toMatchObject({ payload: { amount: "5 cents" }, type: "thing.made" });
    const other = JSON.stringify({ id: 5 });
    const headers = await sign(schemes.stripe, { keys, body: other });
    const refused = await verifier.verify({ headers, body: other }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "payload_invalid", cause: expect.arrayContaining([expect.anything()]) });
    await expectRefusal(
      verifier.verify({ headers: { ...headers, "stripe-signature": "t=1,v1=00" }, body: other }),
      "signature_mismatch",
    );
  });

  // The type that a caller gets who names none. `pnpm types` checks this, not the run.
  interface Payment {
    id: string;
    amount: string;
  }

  test.each([
    [
      "zod",
      (): PayloadSchema<Payment> =>
        z.object({ id: z.string(), amount: z.number().transform((cents) => `${cents} cents`) }),
    ],
    [
      "valibot",
      (): PayloadSchema<Payment> =>
        v.object({
          id: v.string(),
          amount: v.pipe(
            v.number(),
            v.transform((cents) => `${cents} cents`),
          ),
        }),
    ],
    [
      "arktype",
      (): PayloadSchema<Payment> => type({ id: "string", amount: type("number").pipe((cents) => `${cents} cents`) }),
    ],
  ])("are typed and checked by a schema of %s", async (_, schemaOf) => {
    const verifier = createVerifier(schemes.stripe, { keys, schema: schemaOf() });
    const { payload } = await verifier.verify({ headers: await signed(), body });
    expectTypeOf(payload).toEqualTypeOf<Payment>();
    expect([payload.id, payload.amount]).toEqual(["evt_1", "5 cents"]);
    const other = JSON.stringify({ id: "evt_1", amount: "five" });
    const headers = await sign(schemes.stripe, { keys, body: other });
    await expectRefusal(verifier.verify({ headers, body: other }), "payload_invalid");
  });

  test("have the type that a library infers for its schema", async () => {
    const amount = createVerifier(schemes.stripe, { keys, schema: v.object({ amount: v.number() }) });
    expectTypeOf((await amount.verify({ headers: await signed(), body })).payload).toEqualTypeOf<{ amount: number }>();
    const id = createVerifier(schemes.stripe, { keys, schema: type({ id: "string" }) });
    expectTypeOf((await id.verify({ headers: await signed(), body })).payload).toEqualTypeOf<{ id: string }>();
  });
});

test("what your work returns is answered only if it is an answer", async () => {
  const verifier = createVerifier(schemes.stripe, { keys });
  // Callers without types return whatever an arrow function gives, such as the new length of a
  // list.
  for (const returned of [true, 1, "text", null, {}]) {
    const handle = async () => returned as unknown as undefined;
    const event = { httpMethod: "POST", path: "/in", headers: await signed(), body };
    expect((await handleWebhook(verifier, handle)(web(await signed()))).status).toBe(200);
    expect((await handleLambdaWebhook(verifier, handle)(event)).statusCode).toBe(200);
  }
});

describe("a receiver", () => {
  const refusals: WebhookErrorCode[] = [];
  const options = { onRefused: ({ code }: { code: WebhookErrorCode }) => refusals.push(code) };
  const seen: unknown[] = [];
  const work = async ({ payload }: Delivery): Promise<void> => {
    seen.push(payload);
  };

  test("of web requests answers 200, 401, 413, 422, 503 and the handshake", async () => {
    const POST = handleWebhook(createVerifier(schemes.stripe, { keys }), work, options);
    // `next build` refuses a route whose function takes anything else.
    expectTypeOf<Parameters<typeof POST>>().toEqualTypeOf<[request: Request]>();
    const answer: Response = await POST(web(await signed()));
    expect([answer.status, await answer.text(), seen.at(-1)]).toEqual([200, "", JSON.parse(body)]);
    expect((await POST(web(await signed(), `${body} `))).status).toBe(401);
    expect((await POST(web(await signed(), "x".repeat(1024 * 1024 + 1)))).status).toBe(413);
    expect(refusals).toEqual(["signature_mismatch", "body_too_large"]);
    const strict = createVerifier(schemes.stripe, { keys, schema: z.object({ missing: z.string() }) });
    expect((await handleWebhook(strict, work)(web(await signed()))).status).toBe(422);
    const away = await handleWebhook(
      createVerifier(schemes.stripe, { keys: () => undefined }),
      work,
    )(web(await signed()));
    expect([away.status, away.headers.get("retry-after")]).toEqual([503, "30"]);
    const challenge = JSON.stringify({ type: "url_verification", challenge: "c1" });
    const slack = handleWebhook(createVerifier(schemes.slack, { keys }), work);
    const shaken = await slack(web({ ...(await sign(schemes.slack, { keys, body: challenge })) }, challenge));
    expect([shaken.status, await shaken.text()]).toEqual([200, "c1"]);
  });

  test("of web requests answers what the work returns, and throws what it throws", async () => {
    const verifier = createVerifier(schemes.stripe, { keys });
    const own = await handleWebhook(verifier, () => Response.json({ ok: true }, { status: 202 }))(web(await signed()));
    expect([own.status, await own.json()]).toEqual([202, { ok: true }]);
    const parts = await handleWebhook(verifier, () => ({ status: 204, headers: {}, body: "" }))(web(await signed()));
    expect(parts.status).toBe(204);
    const failing = handleWebhook(verifier, () => Promise.reject(new Error("no room")));
    await expect(failing(web(await signed()))).rejects.toThrow("no room");
  });

  test("keeps the key of a handshake before it answers, and refuses one that nothing would keep", async () => {
    const verifier = createVerifier(schemes.asana, { keys: [], settings: { acceptSecret: "yes" } });
    const request = () => web({ "x-hook-secret": "s3cret" }, "{}");
    const kept: string[] = [];
    const answer = await handleWebhook(verifier, work, { onKey: (key) => void kept.push(key) })(request());
    expect([answer.status, answer.headers.get("x-hook-secret"), kept]).toEqual([200, "s3cret", ["s3cret"]]);
    expect((await handleWebhook(verifier, work)(request())).status).toBe(401);
  });

  const send = async (server: Server, headers: Record<string, string>, text: string | Buffer): Promise<number> => {
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    try {
      return await new Promise<number>((resolve, reject) => {
        const sent = httpRequest({ port, method: "POST", path: "/in?a=1", headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
        sent.on("error", reject);
        sent.end(text);
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };

  test("of node:http reads the bytes itself and answers everything, also what the work throws", async () => {
    const verifier = createVerifier(schemes.stripe, { keys });
    const errors: unknown[] = [];
    const listen = (handle: typeof work) =>
      createServer(handleNodeWebhook(verifier, handle, { onError: (error) => errors.push(error) }));
    expect(await send(listen(work), await signed(), body)).toBe(200);
    expect(await send(listen(work), await signed(), `${body} `)).toBe(401);
    expect(await send(listen(work), await signed(), Buffer.alloc(1024 * 1024 + 1))).toBe(413);
    const failing = listen(() => Promise.reject(new Error("no room")));
    expect(await send(failing, await signed(), body)).toBe(500);
    expect(errors).toHaveLength(1);
  });

  test("of node:http gives senders that sign the URL the address they called", async () => {
    const verifier = createVerifier(schemes.square, { keys });
    const url = "https://hooks.example.com/in?a=1";
    const { headers } = await signRequest(schemes.square, { keys, body, url });
    const server = createServer(handleNodeWebhook(verifier, work, { origin: "https://hooks.example.com" }));
    expect(await send(server, { ...headers }, body)).toBe(200);
  });

  test("of Express is one line, and says so if a parser ran before it", async () => {
    const messages: string[] = [];
    const told = { onRefused: ({ message }: Error) => messages.push(message) };
    const receiver = handleNodeWebhook(createVerifier(schemes.stripe, { keys }), work, told);
    const json = { ...(await signed()), "content-type": "application/json" };
    expect(await send(createServer(express().post("/in", receiver)), json, body)).toBe(200);
    expect(
      await send(
        createServer(
          express()
            .use(express.raw({ type: () => true }))
            .post("/in", receiver),
        ),
        json,
        body,
      ),
    ).toBe(200);
    expect(await send(createServer(express().use(express.json()).post("/in", receiver)), json, body)).toBe(401);
    expect(messages.at(-1)).toContain("express.json()");
  });

  test("of Fastify and Koa takes the raw request, as the README shows", async () => {
    const receiver = handleNodeWebhook(createVerifier(schemes.stripe, { keys }), work);
    const app = fastify();
    await app.register((scope, _options, registered) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
      scope.post("/in", (request, reply) => {
        reply.hijack();
        return receiver(request.raw, reply.raw);
      });
      registered();
    });
    await app.ready();
    const json = { ...(await signed()), "content-type": "application/json" };
    const byFastify = () => createServer((request, response) => app.server.emit("request", request, response));
    expect(await send(byFastify(), json, body)).toBe(200);
    expect(await send(byFastify(), json, `${body} `)).toBe(401);
    const koa = new Koa();
    koa.use(async (context: { respond: boolean; req: NodeRequest; res: NodeResponse }) => {
      context.respond = false;
      await receiver(context.req, context.res);
    });
    expect(await send(createServer(koa.callback()), json, body)).toBe(200);
    expect(await send(createServer(koa.callback()), json, `${body} `)).toBe(401);
  });

  test.each([
    ["web requests", handleWebhook],
    ["node:http", handleNodeWebhook],
    ["Lambda", handleLambdaWebhook],
  ])("of %s refuses at the start to be without a handler or a verifier", (_name, receiverOf) => {
    const verifier = createVerifier(schemes.stripe, { keys });
    const make = receiverOf as (...given: unknown[]) => unknown;
    for (const given of [[verifier], [verifier, {}], [verifier, "work"], [schemes.stripe, work], [undefined, work], []])
      expect(() => make(...given)).toThrow(WebhookConfigError);
    expect(() => make(verifier)).toThrow("a function that handles a delivery");
    expect(typeof make(verifier, work)).toBe("function");
  });

  test("of Lambda decodes base64 bodies", async () => {
    const handler = handleLambdaWebhook(createVerifier(schemes.stripe, { keys }), work);
    const headers = await signed();
    const encoded = Buffer.from(body).toString("base64");
    expect(await handler({ headers, body: encoded, isBase64Encoded: true })).toEqual({
      statusCode: 200,
      headers: {},
      isBase64Encoded: false,
      body: "",
    });
    expect(await handler({ headers, body })).toMatchObject({ statusCode: 200 });
    expect(await handler({ headers, body: encoded })).toMatchObject({ statusCode: 401 });
    expect(await handler({})).toMatchObject({ statusCode: 401 });
    const url = "https://hooks.example.com/in?a=1";
    const square = await signRequest(schemes.square, { keys, body, url });
    const event = { headers: { ...square.headers, host: "hooks.example.com" }, body };
    const forSquare = handleLambdaWebhook(createVerifier(schemes.square, { keys }), work);
    for (const address of [
      { rawPath: "/in", rawQueryString: "a=1", requestContext: { http: { method: "POST" } } },
      { httpMethod: "POST", path: "/in", queryStringParameters: { a: "1" } },
    ])
      expect(await forSquare({ ...event, ...address })).toMatchObject({ statusCode: 200 });
  });
});

test("a mismatch says that the body is base64, if it is", async () => {
  const verifier = createVerifier(schemes.stripe, { keys });
  const encoded = Buffer.from(body).toString("base64");
  await expect(verifier.verify({ headers: await signed(), body: encoded })).rejects.toThrow(
    "the body is base64: decode",
  );
  await expect(verifier.verify({ headers: await signed(), body: `${body} ` })).rejects.toThrow(
    "a body that was parsed",
  );
});

test("whether a long body is base64 is judged by its beginning, because all of it would take long to read", async () => {
  const verifier = createVerifier(schemes.stripe, { keys });
  const encoded = Buffer.alloc(100_000, "a body").toString("base64");
  await expect(verifier.verify({ headers: await signed(), body: `${encoded}\r\n` })).rejects.toThrow(
    "the body is base64: decode",
  );
});

describe("senders' own spellings", () => {
  test("Paddle: a signature that occurs twice counts once, as in Paddle's SDK", async () => {
    const { "paddle-signature": header = "" } = await sign(schemes.paddle, { keys, body });
    const [, signature = ""] = header.split(";");
    const verifier = createVerifier(schemes.paddle, { keys });
    await verifier.verify({ headers: { "paddle-signature": `${header};${signature}` }, body });
    await expectRefusal(
      verifier.verify({
        headers: { "paddle-signature": `${header};${signature};${signature};${signature};${signature};${signature}` },
        body,
      }),
      "signature_malformed",
    );
  });

  test("an empty signature is called empty", async () => {
    const stripe = createVerifier(schemes.stripe, { keys });
    const github = createVerifier(schemes.github, { keys });
    const attempts = [
      stripe.verify({ headers: { "stripe-signature": "t=1,v1=" }, body }),
      github.verify({ headers: { "x-hub-signature-256": "sha256=" }, body }),
    ];
    for (const attempt of attempts)
      await expect(attempt).rejects.toMatchObject({
        code: "signature_missing",
        message: expect.stringContaining("empty"),
      });
  });

  test("Twilio: any port, and apostrophes written either way", async () => {
    const verifier = createVerifier(schemes.twilio, { keys });
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const accepts = async (signedUrl: string, calledUrl: string): Promise<boolean> => {
      const { headers } = await signRequest(schemes.twilio, { keys, url: signedUrl, headers: form, body: "a=1" });
      return verifier.verify({ method: "POST", url: calledUrl, headers, body: "a=1" }).then(
        () => true,
        () => false,
      );
    };
    expect(await accepts("https://h.example.com/in", "https://h.example.com:8443/in")).toBe(true);
    expect(await accepts("https://h.example.com:443/in", "https://h.example.com:8443/in")).toBe(true);
    expect(await accepts("https://h.example.com/in?q=it%27s", "https://h.example.com/in?q=it's")).toBe(true);
    expect(await accepts("https://h.example.com/in?q=it's", "https://h.example.com/in?q=it%27s")).toBe(true);
    expect(await accepts("https://h.example.com/in", "https://h.example.org/in")).toBe(false);
    expect(await accepts("https://h.example.com/in?q=1", "https://h.example.com/in?q=2")).toBe(false);
  });

  test("Shopify: the headers without X-, too", async () => {
    const headers = await sign(schemes.shopify, { keys, body, id: "w1", type: "orders/create" });
    const newer = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace(/^x-/, ""), value]));
    expect(newer).toHaveProperty("shopify-hmac-sha256");
    const verifier = createVerifier(schemes.shopify, { keys });
    expect(await verifier.verify({ headers: newer, body })).toMatchObject({ id: "w1", type: "orders/create" });
    expect(await verifier.verify({ headers, body })).toMatchObject({ id: "w1", type: "orders/create" });
    await expectRefusal(verifier.verify({ headers: newer, body: `${body} ` }), "signature_mismatch");
  });

  test("Supabase: a secret with its version in front", async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const headers = await sign(schemes["standard-webhooks"], { keys: secret, body });
    await createVerifier(schemes["standard-webhooks"], { keys: `v1,${secret}` }).verify({ headers, body });
  });

  test("Box: its version and algorithm, where they are there", async () => {
    const headers = await sign(schemes.box, { keys, body, timestamp: Date.now() });
    const verifier = createVerifier(schemes.box, { keys });
    const right = { ...headers, "box-signature-version": "1", "box-signature-algorithm": "HmacSHA256" };
    await verifier.verify({ headers: right, body });
    await expectRefusal(
      verifier.verify({ headers: { ...right, "box-signature-version": "2" }, body }),
      "header_malformed",
    );
    await expectRefusal(
      verifier.verify({ headers: { ...right, "box-signature-algorithm": "HmacMD5" }, body }),
      "header_malformed",
    );
  });
});
