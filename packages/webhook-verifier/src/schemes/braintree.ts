import { hash, openSecret, textOf } from "#platform";
import { queryOf, textAnswer } from "../answers.ts";
import { decodeBase64, encodeBase64 } from "../base64.ts";
import { refuse } from "../errors.ts";
import { parseForm } from "../form.ts";
import { decodeHex, encodeHex } from "../hex.ts";
import type { KeyNotation } from "../keys/key.ts";
import { textSecret } from "../keys/secret.ts";
import type { SecretKey } from "../platform/contract.ts";
import { hour, sameMessage } from "../repeat-rules.ts";
import { after, isBytes, utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";

const secret = textSecret("hmac-sha1");

/** HMAC-SHA1 under the SHA-1 of the private key's text. */
const key: KeyNotation = {
  ...secret,
  about: "the private key of the API key pair",
  verifying: (text): SecretKey => {
    // Refuses bytes that are not usable text, and bounds their length.
    const taken = secret.verifying(text);
    const derived = after(hash("sha1", [typeof text === "string" || isBytes(text) ? text : ""]), (digest) =>
      openSecret(digest, "hmac-sha1"),
    );
    return {
      ...taken,
      holds: (signatures, content) => after(derived, (opened) => opened.holds(signatures, content)),
      sign: (content) => after(derived, (opened) => opened.sign(content)),
    };
  },
};

const onlyField = (body: Uint8Array, name: string): string => {
  const values = parseForm(textOf(body) ?? "").get(name);
  return values?.length === 1 ? (values[0] ?? "") : refuse("signature_missing", `The form has no ${name}, or several.`);
};

const xmlOf = (payload: string): string | undefined =>
  textOf(decodeBase64(payload.replace(/\n/g, "")) ?? new Uint8Array());

const kindOf = (xml: string): string | undefined => /<kind>([a-z_]{1,100})<\/kind>/.exec(xml)?.[1];

// The HMAC's key is the SHA-1 of your private key.
export const braintree: Scheme = {
  name: "braintree",
  title: "Braintree",
  promises: { id: "absent", type: "promised" },
  credentials: [],
  key,
  covered: ["type", "field:bt_payload"],
  repeats: [sameMessage(25 * hour)],
  settings: { publicKey: { about: "the public key of the API key pair, for the handshake" } },
  parse: (body) => {
    const [payload = ""] = parseForm(textOf(body) ?? "").get("bt_payload") ?? [];
    return xmlOf(payload);
  },
  read: ({ body }) => {
    const payload = onlyField(body, "bt_payload");
    const pairs = onlyField(body, "bt_signature")
      .split("&")
      .flatMap((pair) => {
        const [id = "", digits = "", ...more] = pair.split("|");
        const bytes = decodeHex(digits);
        return id !== "" && bytes?.length && more.length === 0 ? [{ id, bytes }] : [];
      });
    if (pairs.length === 0 || pairs.length > 5)
      return refuse("signature_malformed", "bt_signature holds no pair of public key and hex, or more than five.");
    const [only] = pairs;
    const type = kindOf(xmlOf(payload) ?? "");
    return [
      {
        signatures: pairs.map(({ bytes }) => ({ bytes })),
        signed: [payload],
        // Some of Braintree's own libraries lose the line break at the end.
        alternatives: () => [[`${payload}\n`]],
        ...(pairs.length === 1 && only !== undefined && { keyId: only.id }),
        ...(type !== undefined && { type }),
      },
    ];
  },
  handshakes: [{ by: "GET", type: "text/plain" }],
  handshake: async ({ method, url }, { settings, mac }) => {
    const challenge = method === "GET" ? queryOf(url, "bt_challenge") : undefined;
    const publicKey = settingOf(settings, "publicKey");
    // Braintree's own libraries do the same: anything else could be somebody's payload.
    if (challenge === undefined || publicKey === undefined || !/^[a-f0-9]{20,32}$/.test(challenge)) return undefined;
    return textAnswer(`${publicKey}|${encodeHex(await mac([challenge]))}`);
  },
  sign: async ({ body }, [signer]) => {
    const payload = `${encodeBase64(body)}\n`;
    const signature = `${signer.id ?? "public"}|${encodeHex(await signer.sign([payload]))}`;
    return {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: utf8(`bt_signature=${encodeURIComponent(signature)}&bt_payload=${encodeURIComponent(payload)}`),
    };
  },
};

export const facts: SchemeFacts = {
  headers: [],
  signed: "{field:bt_payload}",
  encoding: "hex",
  keyFrom: "Control Panel, API: the private key; give the public key as `id` where you have several.",
  confidence: "confirmed",
  source: "https://github.com/braintree/braintree_node/blob/master/lib/braintree/webhook_notification_gateway.js",
  handshake: "GET `bt_challenge`: public key and HMAC as text",
  promises: {
    source: "https://github.com/braintree/braintree_node/blob/master/lib/braintree/webhook_notification_gateway.js",
  },
  repeats: {
    source: "https://developer.paypal.com/braintree/docs/guides/webhooks/parse",
    confidence: "second-hand",
    note: "The payload holds its time and subject. Braintree tries again for a day.",
  },
  notes: ["The payload is the XML as text. Notifications carry a time, but sign no time of sending."],
};
