import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Scheme, type SignInput, signRequest } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AnswerContract } from "../../../packages/app/test/answer-contract.ts";
import { readConfig } from "../src/config.ts";
import type { ProviderDeclaration } from "../src/settings/senders.ts";
import { type RunningServer, startServer } from "../src/start-server.ts";

const secret = "a secret that only the two know";
const hexSecret = Buffer.from(secret).toString("hex");
const standardSecret = `whsec_${Buffer.from(secret).toString("base64")}`;
const discordKeys = generateKeyPairSync("ed25519");
const commerceKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const form = { "content-type": "application/x-www-form-urlencoded" };

interface Case {
  readonly provider: ProviderDeclaration;
  readonly delivers: SignInput;
  /** The documented answer: status, content type and body. */
  readonly wants: readonly [status: number, type: string | null, body: string];
}

/** Every sender whose documentation asks for a certain answer. */
const cases: Readonly<Record<string, Case>> = {
  supabase: {
    provider: { secret: standardSecret },
    delivers: { keys: standardSecret, id: "msg_1", body: '{"user":{"id":"u1"}}' },
    wants: [200, "application/json", "{}"],
  },
  "dropbox-sign": {
    provider: { secret },
    delivers: { keys: secret, body: '{"event":{"event_type":"signature_request_signed"}}' },
    wants: [200, "text/plain; charset=utf-8", "Hello API Event Received"],
  },
  adyen: {
    provider: { secret: hexSecret },
    delivers: {
      keys: hexSecret,
      body: JSON.stringify({
        live: "false",
        notificationItems: [
          {
            NotificationRequestItem: {
              pspReference: "p1",
              merchantAccountCode: "m1",
              merchantReference: "r1",
              amount: { value: 5, currency: "EUR" },
              eventCode: "AUTHORISATION",
              success: "true",
            },
          },
        ],
      }),
    },
    wants: [200, "text/plain; charset=utf-8", "[accepted]"],
  },
  "adyen-platform": {
    provider: { secret: hexSecret },
    delivers: { keys: hexSecret, body: '{"type":"balancePlatform.transfer.created","data":{"id":"t1"}}' },
    wants: [200, "text/plain; charset=utf-8", "[accepted]"],
  },
  twilio: {
    provider: { secret },
    delivers: {
      keys: secret,
      headers: { ...form, "i-twilio-idempotency-token": "t1" },
      body: "MessageSid=SM1&Body=Hello",
    },
    wants: [200, "text/xml", "<Response/>"],
  },
  slack: {
    provider: { secret },
    delivers: { keys: secret, headers: form, body: "command=%2Fdeploy&text=now" },
    wants: [200, null, ""],
  },
  discord: {
    provider: {
      publicKey: discordKeys.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex"),
    },
    delivers: {
      keys: discordKeys.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
      body: '{"type":1,"event":{"type":"ENTITLEMENT_CREATE","data":{}}}',
    },
    wants: [204, null, ""],
  },
  "adobe-commerce": {
    provider: { publicKey: commerceKeys.publicKey.export({ format: "pem", type: "spki" }).toString() },
    delivers: {
      keys: commerceKeys.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
      body: '{"product":{"sku":"s1"}}',
    },
    wants: [200, "application/json", '[{"op":"success"}]'],
  },
  xero: {
    provider: { secret },
    delivers: { keys: secret, body: '{"events":[{"eventCategory":"INVOICE","eventType":"UPDATE"}]}' },
    wants: [200, null, ""],
  },
};

const directory = mkdtempSync(join(tmpdir(), "postern-answers-"));
let server: RunningServer;

beforeAll(async () => {
  const variables = {
    PORT: "0",
    DATABASE_URL: `sqlite:${join(directory, "postern.db")}`,
    LOG_LEVEL: "error",
    POSTERN_ROLE: "http",
    POSTERN_RATE_LIMIT: "off",
  };
  const providers = Object.fromEntries(Object.entries(cases).map(([name, { provider }]) => [name, provider]));
  server = await startServer(readConfig(variables, false), { providers });
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

const named: Readonly<Record<string, Scheme>> = schemes;

/** Holds an answer against the document of the server. */
const inDocument = (name: string, { status, headers }: Response, text: string): void =>
  AnswerContract.of(server.composition.app, "v1").check("POST", `/webhooks/${name}`, { status, headers, text });

test("there is a case for every sender that needs a certain answer", () => {
  const needing = Object.values(named).filter(({ answer }) => answer !== undefined);
  expect(needing.map(({ name }) => name).sort()).toEqual(Object.keys(cases).sort());
});

test.each(Object.entries(cases))("%s: gets its answer, for a new delivery and for a repeat", async (name, sender) => {
  const url = `${server.url}/api/webhooks/${name}`;
  const scheme = named[name] as Scheme;
  const { method, headers, body } = await signRequest(scheme, { url, ...sender.delivers });
  for (const time of ["new", "repeated"]) {
    const answer = await fetch(url, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: Buffer.from(body),
    });
    const text = await answer.text();
    expect([time, answer.status, answer.headers.get("content-type"), text]).toEqual([time, ...sender.wants]);
    inDocument(name, answer, text);
  }
  const stored = await server.composition.storage.events.list({ provider: name, limit: 10 });
  // Where nothing tells a repeat, both are events.
  const states = scheme.repeats?.[0]?.by === "none" ? ["received", "received"] : ["received"];
  expect(stored.map(({ state }) => state)).toEqual(states);
});

test("a refusal has no body for a sender that needs empty answers, and names the fault for others", async () => {
  const refused = async (name: string): Promise<string> => {
    const answer = await fetch(`${server.url}/api/webhooks/${name}`, { method: "POST", body: "{}" });
    const text = await answer.text();
    inDocument(name, answer, text);
    return text;
  };
  expect(await refused("slack")).toBe("");
  expect(JSON.parse(await refused("supabase"))).toMatchObject({ status: 401 });
});
