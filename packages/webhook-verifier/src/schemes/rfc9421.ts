import { equal, hash } from "#platform";
import { decodeBase64url } from "../base64.ts";
import { refuse } from "../errors.ts";
import { getHeader, type HeaderSource } from "../headers.ts";
import { invalidKey, type KeyNotation, type KeyText } from "../keys/key.ts";
import { plainPublicKey } from "../keys/public.ts";
import { secretOf } from "../keys/secret.ts";
import {
  componentsOf,
  fieldsFor,
  has,
  isDigest,
  registered,
  requiredComponents,
  signatureBase,
} from "../message-signature.ts";
import type { Algorithm, SecretKey } from "../platform/contract.ts";
import { sameMessage, unsignedId } from "../repeat-rules.ts";
import { isBytes, utf8 } from "../runtime.ts";
import type { Covered, Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";
import { type Member, readBytes, readDictionary, readInteger, readString } from "../structured-fields.ts";

const asymmetric = plainPublicKey("ed25519", "ecdsa-p256-sha256", "ecdsa-p384-sha384", "rsa-pss-sha512", "rsa-sha256");
const algorithms: readonly Algorithm[] = [...asymmetric.algorithms, "hmac-sha256"];

const sharedSecret = (key: KeyText): SecretKey => {
  const bytes = typeof key === "string" ? utf8(key) : isBytes(key) ? key : decodeBase64url(key.k ?? "");
  return bytes === undefined || bytes.length < 16
    ? invalidKey("a shared secret has 16 bytes or more.")
    : secretOf(bytes, "hmac-sha256");
};

const key: KeyNotation = {
  about: 'a public key as PEM, SPKI, X.509, hex, base64 or JWK; with `algorithm: "hmac-sha256"` a shared secret',
  algorithms,
  secret: true,
  verifying: (text, algorithm) =>
    algorithm === "hmac-sha256" ? sharedSecret(text) : asymmetric.verifying(text, algorithm),
};

/**
 * The name of a part of this message that is covered as a whole. A field with `key` is only a part,
 * one with `tr` is a trailer, and one with `req` belongs to another message.
 */
const wholeName = (component: Member): string | undefined =>
  has(component, "key", "req", "tr") ? undefined : readString(component.value);

const coveredParts = new Map<string | undefined, Covered>([
  ["@method", "method"],
  ["@target-uri", "url"],
  ["content-digest", "body"],
]);

const coveredPart = (component: Member): Covered =>
  coveredParts.get(wholeName(component)) ?? `header:${component.text.replaceAll('"', "")}`;

/**
 * Recomputes every known digest of these `Content-Digest`s (RFC 9530). Each must have at least one.
 */
const checkDigests = async (values: readonly string[], body: Uint8Array): Promise<undefined> => {
  for (const value of values) {
    const digests = readDictionary(value);
    let checked = false;
    for (const name of ["sha256", "sha512"] as const) {
      const digest = digests?.get(name.replace("a", "a-"));
      if (digest === undefined) continue;
      if (!equal(await hash(name, [body]), readBytes(digest.value) ?? new Uint8Array()))
        refuse("digest_mismatch", "The body is not the one with the signed digest.");
      checked = true;
    }
    if (!checked) refuse("header_malformed", "content-digest has no sha-256 or sha-512.");
  }
};

/** The member with this label, or the only member. */
const pick = (headers: HeaderSource, name: string, label: string | undefined): readonly [string, Member] => {
  const members =
    readDictionary(getHeader(headers, name)) ?? refuse("header_malformed", `${name} is not a dictionary.`);
  if (label === undefined && members.size > 1)
    refuse("header_repeated", "There are several: name yours with the setting `label`.");
  // A dictionary has at least one member.
  const [found = ""] = label === undefined ? members.keys() : [label];
  return [found, members.get(found) ?? refuse("signature_missing", `${name} has no ${found}.`)];
};

export const rfc9421: Scheme = {
  name: "rfc9421",
  title: "HTTP message signatures (RFC 9421)",
  json: "usual",
  credentials: ["header:signature"],
  key,
  toleranceSeconds: 300,
  covered: ["timestamp", "method", "url", "body"],
  settings: {
    components: { about: "the parts that a signature must cover; the usual ones unless set", list: true },
    label: { about: "the label of the signature, where there are several" },
    tag: { about: "the `tag` parameter the signature must carry" },
  },
  id: "body:id",
  type: "body:type",
  promises: { id: "unknown", type: "unknown" },
  repeats: [{ by: "signed-id", id: "header:idempotency-key" }, unsignedId("header:idempotency-key"), sameMessage()],
  read: ({ headers, method, url, body, parts }, { settings, now }) => {
    const message = { ...parts, headers, method, url };
    const [label, params] = pick(headers, "signature-input", settingOf(settings, "label"));
    const [, { value }] = pick(headers, "signature", label);
    const bytes = readBytes(value) ?? refuse("signature_malformed", "The signature is not bytes.");
    const components = componentsOf(params);
    const names = components.flatMap((component) => [wholeName(component), component.text]);
    for (const name of requiredComponents(settings, message))
      if (!names.includes(name)) refuse("claim_mismatch", `The signature does not cover ${name}.`);
    const parameter = (name: string): string | undefined => params.parameters.get(name);
    const created = readInteger(parameter("created")) ?? refuse("timestamp_malformed", "There is no created time.");
    const expires = parameter("expires");
    if (expires !== undefined && !(now <= (readInteger(expires) ?? 0) * 1000))
      refuse("timestamp_too_old", "The signature has expired.");
    if (settings.tag !== undefined && readString(parameter("tag")) !== settings.tag)
      refuse("claim_mismatch", "The signature carries another tag.");
    const alg = parameter("alg");
    const algorithm = algorithms.find((candidate) => registered(candidate) === readString(alg));
    if (alg !== undefined && algorithm === undefined) refuse("signature_malformed", "The algorithm is not known.");
    const keyId = readString(parameter("keyid"));
    const covered: Covered[] = ["timestamp", ...components.map(coveredPart)];
    const digests = components
      .filter(isDigest)
      .map((component) => getHeader(fieldsFor(component, message), "content-digest"));
    if (digests.length > 0) covered.push("body", "id", "type");
    return [
      {
        signatures: [{ bytes, ...(algorithm !== undefined && { algorithm }) }],
        signed: [signatureBase(params, message)],
        timestamp: created * 1000,
        covered: [...new Set(covered)],
        ...(keyId !== undefined && { keyId }),
        ...(digests.length > 0 && { confirm: () => checkDigests(digests, body) }),
      },
    ];
  },
  sign: "message",
};

export const facts: SchemeFacts = {
  headers: ["Signature-Input", "Signature", "Content-Digest"],
  signed: "a line for every component listed in Signature-Input, then its parameters",
  encoding: "structured field bytes (base64)",
  keyFrom: "The sender; often `jwks(url)`, keys named by `keyid`.",
  confidence: "confirmed",
  source: "https://www.rfc-editor.org/rfc/rfc9421",
  promises: { note: "The sender decides what the body holds." },
  repeats: {
    source: "https://www.rfc-editor.org/rfc/rfc9421#section-7.2.2",
    confidence: "second-hand",
    note: "The sender decides what the body holds: an `id` in it may be that of an object.",
  },
  notes: [
    'The usual parts, which it must cover unless you set `components`: @method, @target-uri, content-digest; for a response @status, "@method";req, "@target-uri";req, content-digest.',
    "Fields may carry `sf`, `key`, `bs`, `tr` and `req`.",
    "`tr`: give the fields after the body as `trailers`: `verify({ method, url, headers, body, trailers })`. `handleNodeWebhook` does it for you. A web `Request` and AWS Lambda have no trailers, so such a signature is refused there (`request_incomplete`).",
    "`req`: a signed response can cover parts of the request that it answers. Verify it with `verify({ status, headers, body, request: { method, url, headers } })`. Take `request` from what you have sent, not from the response. It must have the headers that are covered; its body is not read.",
    'You can sign as well: `signRequest` also takes `trailers`, and `signResponse(rfc9421, { keys, status, headers, body, request })` signs a response. The digest of the body stands in a trailer if `components` has `"content-digest";tr`.',
    "An RSA key serves rsa-pss-sha512 unless its `algorithm` says rsa-sha256.",
    "The algorithm is that of the key; an `alg` in the message may only confirm it.",
    "The body is covered only through `content-digest`, which is computed again.",
  ],
};
