import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import {
  createVerifier,
  handleLambdaWebhook,
  handleNodeWebhook,
  handleWebhook,
  type Scheme,
  type Verifier,
} from "../src/index.ts";
import { now } from "./support.ts";
import { vectors } from "./vectors/index.ts";
import type { VectorRequest } from "./vectors/vector.ts";

/** The answers that the senders' documentation asks for: status, content type and body. */
const documented: Readonly<Record<string, readonly [status: number, type: string | null, body: string]>> = {
  "adobe-commerce": [200, "application/json", '[{"op":"success"}]'],
  adyen: [200, "text/plain; charset=utf-8", "[accepted]"],
  "adyen-platform": [200, "text/plain; charset=utf-8", "[accepted]"],
  discord: [204, null, ""],
  "dropbox-sign": [200, "text/plain; charset=utf-8", "Hello API Event Received"],
  slack: [200, null, ""],
  stripe: [200, null, ""],
  supabase: [200, "application/json", "{}"],
  twilio: [200, "text/xml", "<Response/>"],
  xero: [200, null, ""],
};
const named: Readonly<Record<string, Scheme>> = schemes;

type Sent = Pick<VectorRequest, "headers" | "body"> & { readonly method: string; readonly url: string };
type Got = readonly [status: number, type: string | null, body: string];
type Work = (delivery: unknown) => { status: number; headers: Record<string, string>; body: string } | undefined;

const byWeb = async (verifier: Verifier, work: Work, { method, url, headers, body }: Sent): Promise<Got> => {
  const text = method === "POST" ? Buffer.from(body) : null;
  const answer = await handleWebhook(verifier, work)(new Request(url, { method, headers, body: text }));
  return [answer.status, answer.headers.get("content-type"), await answer.text()];
};

const byNode = async (verifier: Verifier, work: Work, { method, url, headers, body }: Sent): Promise<Got> => {
  const { origin, pathname, search } = new URL(url);
  const server = createServer(handleNodeWebhook(verifier, work, { origin }));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    return await new Promise<Got>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const sent = httpRequest({ port, method, path: pathname + search, headers: { ...headers } }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        answer.on("end", () => resolve([answer.statusCode ?? 0, answer.headers["content-type"] ?? null, text]));
      });
      sent.on("error", reject);
      sent.end(method === "POST" ? body : undefined);
    });
  } finally {
    server.close();
  }
};

const byLambda = async (verifier: Verifier, work: Work, { method, url, headers, body }: Sent): Promise<Got> => {
  const { host, pathname, search } = new URL(url);
  const answer = await handleLambdaWebhook(
    verifier,
    work,
  )({
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: { ...headers, host },
    requestContext: { http: { method } },
    body: Buffer.from(body).toString("base64"),
    isBase64Encoded: true,
  });
  return [answer.statusCode, answer.headers?.["content-type"] ?? null, answer.body];
};

const receivers = { "web requests": byWeb, "node:http": byNode, Lambda: byLambda };

afterEach(() => vi.useRealTimers());

test("there is a documented answer for every scheme that declares one", () => {
  const declared = Object.values(named).flatMap(({ name, answer }) => (answer === undefined ? [] : [name]));
  expect([...declared, "stripe"].sort()).toEqual(Object.keys(documented).sort());
});

describe.each(Object.entries(receivers))("a receiver of %s", (_, receive) => {
  const sentBy = (name: string) => {
    const vector = vectors[name];
    if (vector === undefined) throw new Error(`no vector of ${name}`);
    const { keys, settings, allowShort, request } = vector;
    const verifier = createVerifier(named[name] as Scheme, {
      keys,
      settings,
      allowShort,
      now: () => vector.now ?? now,
    });
    const sent = { method: "POST", url: "https://hooks.example.com/in", ...request };
    return { verifier, sent };
  };

  test.each(Object.entries(documented))("answers %s as it needs", async (name, wanted) => {
    const { verifier, sent } = sentBy(name);
    expect(await receive(verifier, () => undefined, sent)).toEqual(wanted);
  });

  test("answers what the work returns in its place", async () => {
    const { verifier, sent } = sentBy("supabase");
    const own = { status: 200, headers: { "content-type": "application/json" }, body: '{"claims":{}}' };
    expect(await receive(verifier, () => own, sent)).toEqual([200, "application/json", '{"claims":{}}']);
  });

  test.each(["circle", "moneybird", "trello", "mandrill"])("answers the HEAD of %s", async (name) => {
    const { verifier } = sentBy(name);
    const work = vi.fn();
    const head = { method: "HEAD", url: "https://hooks.example.com/in", headers: {}, body: "" };
    expect(await receive(verifier, work, head)).toEqual([200, null, ""]);
    expect(work).not.toHaveBeenCalled();
  });

  test("answers Moneybird before there is a key, and delivers nothing", async () => {
    const verifier = createVerifier(schemes.moneybird, { keys: [] });
    const work = vi.fn();
    for (const method of ["POST", "GET", "HEAD"]) {
      const check = { method, url: "https://hooks.example.com/in", headers: {}, body: '{"action":"test"}' };
      expect(await receive(verifier, work, check)).toEqual([200, null, ""]);
    }
    expect(work).not.toHaveBeenCalled();
    const { sent } = sentBy("moneybird");
    await expect(verifier.verify(sent)).rejects.toMatchObject({ code: "key_unknown" });
  });
});

test("an empty list of keys is refused for a sender that gives the key first", () => {
  expect(() => createVerifier(schemes.stripe, { keys: [] })).toThrow("needs a key");
});
