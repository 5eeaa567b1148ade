import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { signRequest } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import type { Attack, Stage } from "../attack.ts";
import { type Reply, send } from "../send.ts";

const lanesEach = 25;
/** The server waits 5 s for an issuer. */
const answersAfterMs = 4_000;
/** The address of a caller with genuine tokens and genuine webhooks. Nothing else uses it. */
const genuineAddress = "127.0.0.102";
const audience = "https://api.example.com";
const genuineId = "the-key";
/** One when a key is first needed, and one more in a minute for the names that strangers invent. */
const issuerLookUps = 2;
/** `keyLookup` makes at most ten a minute. */
const senderLookUps = 10;

const verifier = new URL("../../../packages/webhook-verifier/dist/index.js", import.meta.url).href;

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** An access token as an issuer makes it (RFC 9068). */
const tokenOf = (issuer: string, keyId: string, key: KeyObject): string => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: audience, sub: "genuine", iat: now, exp: now + 600 };
  const email = { email: "genuine@example.com", email_verified: true, name: "Genuine" };
  const signed = `${base64url({ alg: "ES256", typ: "at+jwt", kid: keyId })}.${base64url({ ...claims, ...email })}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
};

/**
 * An issuer of tokens and a sender of webhooks in one, who publishes one key. All its answers are
 * late, except the first one for the sender, so that its key is known when the attack begins.
 */
const openIssuer = async (): Promise<Stage> => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = [{ ...publicKey.export({ format: "jwk" }), kid: genuineId, alg: "ES256", use: "sig" }];
  const asked = { issuer: 0, sender: 0 };
  const server = createServer((request, response) => {
    const answer = (body: unknown, afterMs = 0): void => {
      setTimeout(() => response.setHeader("content-type", "application/json").end(JSON.stringify(body)), afterMs);
    };
    const issuer = `http://127.0.0.1:${port}`;
    if (request.url === "/.well-known/openid-configuration") return answer({ issuer, jwks_uri: `${issuer}/keys` });
    if (request.url === "/asked") return answer(asked);
    const kind = request.url === "/keys" ? "issuer" : "sender";
    asked[kind] += 1;
    const isGenuine = kind === "issuer" || request.url === `/key/${genuineId}`;
    answer(isGenuine ? { keys } : { keys: [] }, asked.sender === 1 && kind === "sender" ? 0 : answersAfterMs);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the issuer has no port");
  const { port } = address;
  const issuer = `http://127.0.0.1:${port}`;
  return {
    environment: { POSTERN_OIDC_ISSUER: issuer, POSTERN_OIDC_AUDIENCE: audience, KEYS_AT: issuer },
    props: { issuer, key: privateKey.export({ format: "pem", type: "pkcs8" }).toString() },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/**
 * Names of keys that do not exist, in tokens and in webhooks, while the party that knows the keys
 * is slow.
 */
export const unknownKeys: Attack = {
  name: "unknown-keys",
  does: "400 connections name keys that do not exist, while those who publish the keys take 4 s to answer",
  requirement: "R32",
  seconds: 7,
  configuration: `import { keyLookup } from "${verifier}";
const find = async (id) => {
  const { keys } = await (await fetch(process.env.KEYS_AT + "/key/" + id)).json();
  return keys.length === 0 ? undefined : { key: keys[0], id };
};
export default { providers: { plaid: { keySource: keyLookup(find) } } };
`,
  stage: openIssuer,
  run: async ({ port, addresses, props, isOver, pause }) => {
    const issuer = props.issuer ?? "";
    const own = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const pem = own.export({ format: "pem", type: "pkcs8" }).toString();
    const statuses = new Map<string, number>();

    const ask = (from: string, token: string) =>
      send({ port, from, method: "GET", path: "/api/v2/users/me", headers: { authorization: `Bearer ${token}` } });
    const deliver = async (from: string, id: string, key: string) => {
      const body = JSON.stringify({ webhook_type: "ITEM", webhook_code: `CODE_${Math.random()}` });
      const signed = await signRequest(schemes.plaid, { keys: { key, id }, body });
      return send({ port, from, method: "POST", path: "/api/webhooks/plaid", headers: signed.headers, body });
    };

    const genuineKey = props.key ?? "";
    const token = tokenOf(issuer, genuineId, createPrivateKey(genuineKey));
    const times: number[] = [];
    const refused: string[] = [];
    const note = ({ ms, status, text }: Reply): void => {
      times.push(ms);
      if (status !== 200) refused.push(`${status} ${text.slice(0, 100)}`);
    };
    const genuineWebhook = async (): Promise<void> => note(await deliver(genuineAddress, genuineId, genuineKey));
    await genuineWebhook();

    const lane = async (from: string, n: number): Promise<void> => {
      for (let turn = 0; !isOver(); turn += 1) {
        const id = `${from}-${n}-${turn}`;
        const [token, webhook] = await Promise.all([ask(from, tokenOf(issuer, id, own)), deliver(from, id, pem)]);
        for (const [kind, { status }] of [["token", token] as const, ["webhook", webhook] as const]) {
          statuses.set(`${kind} ${status}`, (statuses.get(`${kind} ${status}`) ?? 0) + 1);
        }
        await pause(50);
      }
    };
    const genuineSender = async (): Promise<void> => {
      for (; !isOver(); await pause(250)) await genuineWebhook();
    };
    const genuineCaller = async (): Promise<void> => {
      for (; !isOver(); await pause(250)) note(await ask(genuineAddress, token));
    };
    await Promise.all([
      genuineSender(),
      genuineCaller(),
      ...addresses.flatMap((from) => Array.from({ length: lanesEach }, (_, n) => lane(from, n))),
    ]);
    const asked: { issuer: number; sender: number } = JSON.parse(await (await fetch(`${issuer}/asked`)).text());
    const faults = [
      ...(refused.length === 0
        ? []
        : [`${refused.length} of ${times.length} genuine requests were refused (${refused[0]})`]),
      ...(asked.issuer > issuerLookUps ? [`the issuer was asked ${asked.issuer} times`] : []),
      ...(asked.sender > senderLookUps ? [`the sender was asked ${asked.sender} times`] : []),
    ];
    const seen = [...statuses].toSorted().map(([what, count]) => `${what} × ${count}`);
    return {
      saw: `${seen.join(", ")}; ${asked.issuer} and ${asked.sender} look-ups; the slowest genuine request took ${Math.round(Math.max(...times))} ms`,
      fault: faults.length === 0 ? undefined : faults.join(", "),
    };
  },
};
