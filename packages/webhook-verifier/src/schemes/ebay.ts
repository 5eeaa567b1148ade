import { hash } from "#platform";
import { jsonAnswer, queryOf } from "../answers.ts";
import { decodeBase64, encodeBase64 } from "../base64.ts";
import { refuse } from "../errors.ts";
import { getHeader } from "../headers.ts";
import { encodeHex } from "../hex.ts";
import { jsonIn } from "../json.ts";
import { ecdsaDerPublicKey } from "../keys/public.ts";
import { asText, at } from "../places.ts";
import { signedId } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";

const header = "x-ebay-signature";

const readHeader = (value: string): unknown =>
  jsonIn(decodeBase64(value) ?? new Uint8Array()) ??
  refuse("header_malformed", `The header ${header} is not JSON in base64.`);

export const ebay: Scheme = {
  name: "ebay",
  title: "eBay",
  credentials: ["header:x-ebay-signature"],
  key: ecdsaDerPublicKey("ecdsa-p256-sha1-der"),
  covered: ["body", "id", "type"],
  id: "body:notification.notificationId",
  type: "body:metadata.topic",
  promises: { id: "promised", type: "promised" },
  data: "notification.data",
  metadata: { attempt: "body:notification.publishAttemptCount", apiVersion: "body:metadata.schemaVersion" },
  repeats: [signedId],
  settings: {
    verificationToken: { about: "the verification token you gave eBay, for the handshake" },
    endpoint: { about: "the endpoint URL you gave eBay, for the handshake" },
  },
  read: ({ headers, body }) => {
    const fields = readHeader(getHeader(headers, header));
    const signature = asText(at(fields, "signature")) ?? refuse("signature_missing", `${header} has no signature.`);
    const bytes = decodeBase64(signature) ?? refuse("signature_malformed", "The signature is not base64.");
    const keyId = asText(at(fields, "kid")) ?? refuse("header_malformed", `${header} has no kid.`);
    return [{ signatures: [{ bytes }], signed: [body], keyId }];
  },
  handshakes: [{ by: "GET", type: "application/json" }],
  handshake: async ({ method, url }, { settings }) => {
    const code = method === "GET" ? queryOf(url, "challenge_code") : undefined;
    const token = settingOf(settings, "verificationToken");
    const endpoint = settingOf(settings, "endpoint");
    if (code === undefined || token === undefined || endpoint === undefined) return undefined;
    return jsonAnswer({ challengeResponse: encodeHex(await hash("sha256", [code, token, endpoint])) });
  },
  sign: async ({ body }, [key]) => {
    const signature = encodeBase64(await key.sign([body]));
    const fields = { alg: "ecdsa", kid: key.id ?? "key", signature, digest: "SHA1" };
    return { headers: { [header]: encodeBase64(utf8(JSON.stringify(fields))) } };
  },
};

export const facts: SchemeFacts = {
  headers: ["X-EBAY-SIGNATURE"],
  signed: "{body}",
  encoding: "base64 of JSON with base64",
  keyFrom: "`keyLookup((kid) => …)` around the Notification API's `getPublicKey`, which needs an application token.",
  confidence: "confirmed",
  source: "https://github.com/eBay/event-notification-nodejs-sdk",
  handshake: "GET `challenge_code`: hex SHA-256 of code, token and endpoint as JSON",
  repeats: {
    source: "https://github.com/eBay/event-notification-nodejs-sdk",
    note: "`publishAttemptCount` counts the attempts, which have the same id.",
  },
  notes: ["eBay's own sample answers 412 to a wrong signature."],
};
