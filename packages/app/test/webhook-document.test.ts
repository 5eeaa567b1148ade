import { builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { defineProvider } from "@postern/inbox";
import { answersToSender } from "@postern/inbox/internal";
import { writtenOut } from "@postern/rest/internal";
import { createVerifier, defineScheme, hex, type Scheme, textSecret } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { expect, test } from "vitest";
import { signerOf } from "../../webhook-verifier/test/signed-by-sender.ts";
import { AnswerContract } from "./answer-contract.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads documents whose shape it asserts
type Document = any;

const path = "/webhooks/{provider}";
const { at, options } = signerOf(schemes.slack);

const appWith = (...senders: readonly Scheme[]) =>
  createApp({
    versions: builtInVersions,
    ports: memoryPorts(),
    providers: senders.map((scheme) => {
      const given = signerOf(scheme);
      const verifier = createVerifier(scheme, { ...given.options, now: () => given.at });
      return defineProvider({ name: scheme.name, verifier });
    }),
  });

/** To make a document takes half a second. Senders that get the same answers share that of the first. */
const contracts = new Map<string, AnswerContract>();

const contractOf = (app: ReturnType<typeof appWith>, scheme: Scheme): AnswerContract => {
  const key = JSON.stringify(answersToSender(scheme));
  const contract = contracts.get(key) ?? AnswerContract.of(app, "v2");
  contracts.set(key, contract);
  return contract;
};

interface Sent {
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** What the receiver of a scheme answers to a request, held against the document of its server. */
const answerOf = async (
  app: ReturnType<typeof appWith>,
  scheme: Scheme,
  { url = `http://test/api/webhooks/${scheme.name}`, method = "POST", headers = {}, body = new Uint8Array() }: Sent,
) => {
  const answer = await app.receive({
    provider: scheme.name,
    method,
    url,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body,
    requestId: "r",
  });
  const text = answer.text ?? (answer.body === undefined ? "" : JSON.stringify(answer.body));
  const type = text === "" ? {} : { "content-type": "application/json" };
  contractOf(app, scheme).check(method, `/webhooks/${scheme.name}`, {
    status: answer.status,
    headers: Object.entries({ ...type, ...answer.headers }),
    text,
  });
  return answer;
};

test.each(Object.values<Scheme>(schemes).map((scheme) => [scheme.name, scheme] as const))(
  "%s: its answer to a delivery, a repeat and a refusal is in the document of a server that has it",
  async (_name, scheme) => {
    const app = appWith(scheme);
    // The vector of this scheme is a card's, which has no body.
    const more = scheme.name === "hubspot-v2" ? { body: '{"callbackId":"call-1"}' } : {};
    const { signed } = signerOf(scheme);
    const { url, method, headers, body } = await signed({ id: "event-1", method: "POST", ...more });
    for (const _time of ["new", "repeated"]) {
      const answer = await answerOf(app, scheme, { ...(url === undefined ? {} : { url }), method, headers, body });
      expect(answer.status).toBe(scheme.answer?.status ?? 200);
    }
    await answerOf(app, scheme, { method: "POST", body: Buffer.from("x=1") });
    for (const by of scheme.methods ?? []) await answerOf(app, scheme, { method: by });
  },
);

test.each(Object.values<Scheme>(schemes).map((scheme) => [scheme.name, scheme] as const))(
  "%s: says which answers its handshake has, if there is one",
  (_name, { handshake, handshakes }) => {
    expect((handshakes ?? []).length > 0).toBe(handshake !== undefined);
  },
);

test("a server without such senders declares JSON alone, and no method by which they ask", () => {
  const onPath = (...senders: readonly Scheme[]): Document =>
    (writtenOut(appWith(...senders).openApi("v2")) as Document).paths[path];
  expect(Object.keys(onPath(schemes.github))).toEqual(["get", "post", "put"]);
  const { twilio, discord, trello, cloudevents } = schemes;
  const { post, head, options: asks } = onPath(schemes.github, twilio, discord, trello, cloudevents);
  expect(Object.keys(post.responses[200].content)).toEqual(["application/json", "text/xml"]);
  expect(post.responses[204]).toMatchObject({ description: expect.any(String) });
  expect(post.responses[204]).not.toHaveProperty("content");
  expect(Object.keys(asks.responses[200].headers)).toContain("WebHook-Allowed-Origin");
  expect(head.responses[200]).not.toHaveProperty("content");
});

test("a sender that is added at run time changes the document", async () => {
  const app = createApp({ versions: builtInVersions, ports: memoryPorts() });
  const read = async (): Promise<Document> => {
    const { versions } = app;
    const version = versions.at(-1);
    const operation = version?.operations.find(({ id }) => id === "about.openapi");
    if (version === undefined || operation === undefined) throw new Error("there is no such operation");
    const facts = { id: "r", version, base: "/api/v2", target: "/api/v2/openapi.json", address: "192.0.2.1" };
    const request = { operation, facts, params: {}, query: [], headers: {}, credential: undefined };
    return (await app.handle({ ...request, body: async () => undefined })).body;
  };
  const before = await read();
  expect(before.paths[path].post.responses).not.toHaveProperty("204");
  expect(await read()).toBe(before);
  const principal = { kind: "operator", name: "test" } as const;
  const body = { name: "discord", key: "a".repeat(64) };
  await app.run({ operation: "admin.providers.create", principal, body });
  expect((await read()).paths[path].post.responses).toHaveProperty("204");
});

test("a scheme of one's own that does not say its handshakes may answer them in any form", async () => {
  const own = defineScheme({
    name: "own",
    key: textSecret("hmac-sha256"),
    signature: { header: "X-Own", encoding: hex },
    signed: "{body}",
    handshake: ({ method }) => (method === "GET" ? { status: 200, headers: {}, body: "" } : undefined),
  });
  const verifier = createVerifier(own, { ...options, keys: "a secret of sixteen bytes", now: () => at });
  const app = createApp({
    versions: builtInVersions,
    ports: memoryPorts(),
    providers: [defineProvider({ name: "own", verifier })],
  });
  await answerOf(app, own, { method: "GET" });
});
