import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Scheme, signRequest } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import nock from "nock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AnswerContract } from "../../../packages/app/test/answer-contract.ts";
import { certificate, certificatePem } from "../../../packages/webhook-verifier/test/certificates.ts";
import { readConfig } from "../src/config.ts";
import { type RunningServer, startServer } from "../src/start-server.ts";
import {
  handshakes,
  hookSecret,
  json,
  type Request,
  secret,
  sns,
  snsHost,
  snsMessage,
  topic,
} from "./handshake-cases.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const schemeOf = (name: string): Scheme => {
  const scheme = Object.entries<Scheme>(schemes).find(
    ([known]) => known === (handshakes[name]?.provider?.scheme ?? name),
  );
  if (scheme === undefined) throw new Error(`there is no scheme for ${name}`);
  return scheme[1];
};

const directory = mkdtempSync(join(tmpdir(), "postern-handshakes-"));
let server: RunningServer;
let confirmed = 0;

/** Sends a request, and holds its answer against the document of the server. */
const call = async (name: string, request: Request): Promise<Answer> => {
  const { status, headers, body } = await send(name, request);
  const { app } = server.composition;
  const version = app.versions.find(({ id }) => id === headers["api-version"]) ?? app.versions[0];
  const sent = Object.entries(headers).map(([header, value]) => [header, String(value)] as const);
  AnswerContract.of(app, version?.id ?? "").check(request.method, `/webhooks/${name}`, {
    status,
    headers: sent,
    text: body,
  });
  return { status, headers, body };
};

const send = (name: string, { method, query = "", headers = {}, body }: Request): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${server.url}/api/webhooks/${name}${query}`,
      { method, headers, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const { statusCode: status = 0, headers: received } = answer;
          resolve({ status, headers: received, body: Buffer.concat(chunks).toString() });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });

/** The states of the stored events of this provider. */
const storedOf = async (provider: string): Promise<readonly string[]> =>
  (await server.composition.storage.events.list({ provider, limit: 100 })).map(({ state }) => state);

beforeAll(async () => {
  const week = 7 * 24 * 3600_000;
  const self = {
    subject: "sns.amazonaws.com",
    issuer: "sns.amazonaws.com",
    subjectKey: sns.publicKey,
    issuerKey: sns.privateKey,
  };
  const made = certificate({ ...self, notBefore: Date.now() - week, notAfter: Date.now() + week });
  nock(snsHost).persist().get("/SimpleNotificationService-1.pem").reply(200, certificatePem(made));
  nock(snsHost)
    .persist()
    .get("/")
    .query(
      ({ Action, TopicArn, Token }) =>
        Action === "ConfirmSubscription" && TopicArn === topic && Token === snsMessage.Token,
    )
    .reply(200, () => {
      confirmed += 1;
      return "<ConfirmSubscriptionResponse/>";
    });
  const variables = {
    PORT: "0",
    DATABASE_URL: `sqlite:${join(directory, "postern.db")}`,
    LOG_LEVEL: "error",
    POSTERN_ROLE: "http",
  };
  const providers = Object.fromEntries(
    Object.entries(handshakes).flatMap(([name, { provider }]) => (provider === undefined ? [] : [[name, provider]])),
  );
  server = await startServer(readConfig({ ...variables, POSTERN_RATE_LIMIT: "off" }, false), { providers });
  for (const [name, { stored }] of Object.entries(handshakes)) {
    if (stored === undefined) continue;
    const principal = { kind: "operator", name: "test" } as const;
    await server.composition.app.run({ operation: "admin.providers.create", principal, body: { name, ...stored } });
  }
  // The document is made with the senders that were added at run time, too.
  expect((await fetch(`${server.url}/api/openapi.json`)).status).toBe(200);
});
afterAll(async () => {
  nock.cleanAll();
  nock.restore();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

test("there is a case for every sender that begins with a handshake", () => {
  const begin = Object.entries<Scheme>(schemes).filter(([, { handshake }]) => handshake !== undefined);
  expect(Object.keys(handshakes)).toEqual(expect.arrayContaining(begin.map(([name]) => name)));
});

describe.each(Object.entries(handshakes))("%s", (name, { asks, wants, wrong, refused, delivers, taken }) => {
  test("gets the documented answer to its handshake, and nothing is stored", async () => {
    // Some senders ask again every hour. A key that comes with a handshake is accepted only once.
    for (let time = 0; time < (schemeOf(name).keyComes === "handshake" ? 1 : 2); time += 1) {
      const answer = await call(name, await asks());
      expect([answer.status, answer.body]).toEqual([wants.status, wants.body]);
      expect(answer.headers).toMatchObject(wants.headers ?? {});
      if (wants.body === "" && wants.headers === undefined) expect(answer.headers["content-type"]).toBeUndefined();
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
    expect(await storedOf(name)).toEqual([]);
  });

  test("refuses a handshake that is not the sender's, and stores nothing", async () => {
    const answer = await call(name, await wrong());
    expect(answer.status).toBe(refused);
    // The refusal must not contain the answer that the right sender would get.
    if (wants.body !== "") expect(answer.body).not.toContain(wants.body);
    if (taken === "") expect(answer.body).toBe("");
    expect(await storedOf(name)).toEqual([]);
  });

  test("takes an ordinary delivery afterwards", async () => {
    const settings = { ...handshakes[name]?.provider?.settings };
    const url = `${server.url}/api/webhooks/${name}`;
    const signed = await signRequest(schemeOf(name), { settings, url, ...delivers });
    const { method, body } = signed;
    const { search } = new URL(signed.url ?? url);
    const answer = await call(name, { method, query: search, headers: { ...json, ...signed.headers }, body });
    expect(answer.status).toBe(schemeOf(name).answer?.status ?? 200);
    if (taken === undefined) expect(JSON.parse(answer.body)).toMatchObject({});
    else expect(answer.body).toBe(taken);
    // A delivery that does not look like the sender's events would be quarantined.
    expect(await storedOf(name)).toEqual(["received"]);
  });
});

test("moneybird: is answered 200 before there is a key, and delivers with the key that is given then", async () => {
  const { app } = server.composition;
  const principal = { kind: "operator", name: "test" } as const;
  const name = "moneybird-new";
  await app.run({ operation: "admin.providers.create", principal, body: { name, scheme: "moneybird" } });
  const check: Request = { method: "POST", headers: json, body: '{"action":"test"}' };
  expect(await call(name, check)).toMatchObject({ status: 200, body: "" });
  const rotate = { operation: "admin.providers.rotate", principal, params: { name } };
  await app.run({ ...rotate, body: { key: secret, overlap_seconds: 0 } });
  expect(await call(name, check)).toMatchObject({ status: 401 });
  const { headers, body } = await signRequest(schemes.moneybird, {
    keys: secret,
    body: '{"action":"contact_created"}',
  });
  expect(await call(name, { method: "POST", headers: { ...json, ...headers }, body })).toMatchObject({ status: 200 });
  expect(await storedOf(name)).toEqual(["received"]);
});

test("only a subscription of SNS is confirmed by calling SNS", () => {
  expect(confirmed).toBe(2);
});

test("a handshake that brings a key is refused for a provider of the configuration, because the key could not be kept", async () => {
  const other = mkdtempSync(join(tmpdir(), "postern-handshakes-"));
  const variables = {
    PORT: "0",
    DATABASE_URL: `sqlite:${join(other, "postern.db")}`,
    LOG_LEVEL: "error",
    POSTERN_ROLE: "http",
  };
  const providers = { asana: { secret, settings: { acceptSecret: "yes" } } };
  const running = await startServer(readConfig(variables, false), { providers });
  const headers = { "x-hook-secret": hookSecret };
  const answer = await fetch(`${running.url}/api/webhooks/asana`, { method: "POST", headers });
  expect([answer.status, answer.headers.get("x-hook-secret")]).toEqual([409, null]);
  await running.stop();
  rmSync(other, { recursive: true, force: true });
});
