import { platform } from "#platform";
import { decodeBase64url, encodeBase64 } from "../base64.ts";
import { refuse } from "../errors.ts";
import { parseForm } from "../form.ts";
import { getHeader, type HeaderSource } from "../headers.ts";
import { invalidKey, type KeyNotation } from "../keys/key.ts";
import { privateKey } from "../keys/private.ts";
import { publicKey } from "../keys/public.ts";
import type { Algorithm, HashName, KeyMaterial } from "../platform/contract.ts";
import { isBytes, URL, utf8 } from "../runtime.ts";
import type { Covered, Scheme } from "../scheme.ts";
import { settingOf, settingsOf } from "../settings.ts";
import {
  type Component,
  readBytes,
  readDictionary,
  readSignatureParams,
  type SignatureParams,
} from "../structured-fields.ts";

/** Names of the registry of RFC 9421 and what they are here. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  ed25519: "ed25519",
  "ecdsa-p256-sha256": "ecdsa-p256-sha256",
  "ecdsa-p384-sha384": "ecdsa-p384-sha384",
  "rsa-pss-sha512": "rsa-pss-sha512",
  "rsa-v1_5-sha256": "rsa-sha256",
  "hmac-sha256": "hmac-sha256",
};

const asymmetric = publicKey("ed25519", "ecdsa-p256-sha256", "ecdsa-p384-sha384", "rsa-pss-sha512", "rsa-sha256");

const secretOf = (key: Parameters<KeyNotation["verifying"]>[0]): KeyMaterial => {
  const bytes =
    typeof key === "string"
      ? utf8(key)
      : isBytes(key)
        ? key
        : typeof key.k === "string"
          ? decodeBase64url(key.k)
          : undefined;
  return bytes === undefined || bytes.length < 16
    ? invalidKey("a shared secret has 16 bytes or more.")
    : { form: "secret", bytes, algorithm: "hmac-sha256" };
};

const key: KeyNotation = {
  about: 'a public key as PEM, SPKI, X.509, hex, base64 or JWK; with `algorithm: "hmac-sha256"` a shared secret',
  algorithms: Object.values(algorithms),
  secret: true,
  verifying: (text, algorithm) =>
    algorithm === "hmac-sha256" ? secretOf(text) : asymmetric.verifying(text, algorithm),
  signing: (text, algorithm) =>
    algorithm === "hmac-sha256"
      ? secretOf(text)
      : privateKey(text, algorithm === undefined ? asymmetric.algorithms : [algorithm]),
};

interface Message {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: HeaderSource;
}

const absolute = (url: string | undefined): URL => {
  try {
    return new URL(url ?? "");
  } catch {
    return refuse("request_incomplete", "The signature covers the URL: give the absolute one.");
  }
};

const queryParam = ({ parameters }: Component, url: URL): string => {
  const values = parseForm(url.search.slice(1)).get(String(parameters.get("name") ?? ""));
  const [value] = values ?? [];
  return value === undefined || values?.length !== 1
    ? refuse("claim_mismatch", "A signed query parameter is missing or repeated.")
    : encodeURIComponent(value).replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
};

/** The value of a component (RFC 9421, 2). Parameters other than `name` change the value in ways not supported here. */
const componentValue = (component: Component, { method, url, headers }: Message): string => {
  const { name, parameters } = component;
  const known = name === "@query-param" ? parameters.size === 1 && parameters.has("name") : parameters.size === 0;
  if (!known) return refuse("claim_mismatch", `The signature covers ${component.text}, which is not supported.`);
  switch (name) {
    case "@method":
      return method ?? refuse("request_incomplete", "The signature covers the method, and the request has none.");
    case "@target-uri":
      return absolute(url).href === `${url ?? ""}/` ? absolute(url).href : (url ?? "");
    case "@authority":
      return absolute(url).host;
    case "@scheme":
      return absolute(url).protocol.slice(0, -1);
    case "@request-target":
      return `${absolute(url).pathname}${absolute(url).search}`;
    case "@path":
      return absolute(url).pathname;
    case "@query":
      return absolute(url).search || "?";
    case "@query-param":
      return queryParam(component, absolute(url));
    default:
      return name.startsWith("@") || name !== name.toLowerCase()
        ? refuse("claim_mismatch", `The signature covers ${component.text}, which is not supported.`)
        : getHeader(headers, name);
  }
};

const baseOf = (params: SignatureParams, message: Message): string => {
  const lines = params.components.map((component) => `${component.text}: ${componentValue(component, message)}`);
  return [...lines, `"@signature-params": ${params.text}`].join("\n");
};

const coveredPart: Readonly<Record<string, Covered>> = {
  "@method": "method",
  "@target-uri": "url",
  "content-digest": "body",
};

const coveredBy = (params: SignatureParams): readonly Covered[] => {
  const covered = new Set<Covered>(["timestamp"]);
  for (const { name, text } of params.components)
    covered.add(coveredPart[name] ?? `header:${name.startsWith("@") ? text.replaceAll('"', "") : name}`);
  return [...covered];
};

const digestNames: Readonly<Record<string, HashName>> = { "sha-256": "sha256", "sha-512": "sha512" };

/** Recomputes every digest of `Content-Digest` (RFC 9530) that is known; one at least must be. */
const checkDigest = async (value: string, body: Uint8Array): Promise<void> => {
  let checked = 0;
  for (const [name, text] of readDictionary(value) ?? []) {
    const hash = digestNames[name];
    if (hash === undefined) continue;
    const wanted = readBytes(text) ?? refuse("header_malformed", "A digest of content-digest is not bytes.");
    if (!platform.equal(await platform.hash(hash, [body]), wanted))
      refuse("digest_mismatch", "The body is not the one whose digest is signed.");
    checked++;
  }
  if (checked === 0) refuse("header_malformed", "The header content-digest holds no sha-256 or sha-512.");
};

interface Found {
  readonly params: SignatureParams;
  readonly signature: Uint8Array;
}

/** The one signature to look at: the one with the label, or the only one. */
const pick = (headers: HeaderSource, label: string | undefined): Found => {
  const inputs = readDictionary(getHeader(headers, "signature-input"));
  const signatures = readDictionary(getHeader(headers, "signature"));
  if (inputs === undefined) return refuse("header_malformed", "The header signature-input is not a dictionary.");
  if (signatures === undefined) return refuse("header_malformed", "The header signature is not a dictionary.");
  if (label === undefined && inputs.size !== 1)
    return refuse("header_repeated", "There are several signatures: name yours with the setting `label`.");
  const name = label ?? inputs.keys().next().value ?? "";
  const input = inputs.get(name) ?? refuse("signature_missing", `There is no signature called ${name}.`);
  const written = signatures.get(name) ?? refuse("signature_missing", `There is no signature called ${name}.`);
  return {
    params: readSignatureParams(input) ?? refuse("header_malformed", "The header signature-input is malformed."),
    signature: readBytes(written) ?? refuse("signature_malformed", "The signature is not bytes."),
  };
};

const required = (settings: Parameters<typeof settingsOf>[0]): readonly string[] => {
  const components = settingsOf(settings, "components");
  return components.length > 0 ? components : ["@method", "@target-uri", "content-digest"];
};

/**
 * HTTP message signatures (RFC 9421) with digests (RFC 9530): `Signature-Input` and `Signature`. The signature must cover
 * what the setting `components` lists; the body counts only through `content-digest`, which is recomputed. The algorithm is
 * the key's; an `alg` in the message may only confirm it.
 */
export const rfc9421: Scheme = {
  name: "rfc9421",
  facts: {
    title: "HTTP message signatures (RFC 9421)",
    headers: ["Signature-Input", "Signature", "Content-Digest"],
    signed: "a line for every component listed in Signature-Input, then its parameters",
    encoding: "structured field bytes (base64)",
    keyFrom: "The sender; often `jwks(url)`, keys named by `keyid`.",
    confidence: "confirmed",
    source: "https://www.rfc-editor.org/rfc/rfc9421",
    notes: [
      "Component parameters `sf`, `key`, `bs`, `req` and `tr` are refused.",
      'An RSA key serves rsa-pss-sha512 unless its `algorithm` is `rsa-sha256`; shared secrets need `algorithm: "hmac-sha256"`.',
    ],
  },
  key,
  toleranceSeconds: 300,
  covered: ["timestamp", "method", "url", "body"],
  settings: {
    components: { about: "what the signature must cover; @method, @target-uri, content-digest unless set", list: true },
    label: { about: "the label of the sender's signature, where there are several" },
    tag: { about: "the `tag` parameter the signature must carry" },
  },
  id: "body:id",
  type: "body:type",
  read: ({ headers, method, url, body }, { settings, now }) => {
    const { params, signature } = pick(headers, settingOf(settings, "label"));
    const { parameters } = params;
    const names = params.components.map(({ name }) => name);
    if (new Set(params.components.map(({ text }) => text)).size !== names.length)
      refuse("header_malformed", "The signature lists a component twice.");
    for (const name of required(settings))
      if (!names.includes(name)) refuse("claim_mismatch", `The signature does not cover ${name}.`);
    if (settings.tag !== undefined && parameters.get("tag") !== settings.tag)
      refuse("claim_mismatch", "The signature carries another tag.");
    const created = parameters.get("created");
    if (typeof created !== "number" || created < 0) refuse("timestamp_malformed", "The signature has no created time.");
    const expires = parameters.get("expires");
    if (expires !== undefined && (typeof expires !== "number" || now > expires * 1000))
      refuse("timestamp_too_old", "The signature has expired.");
    const alg = parameters.get("alg");
    const algorithm = alg === undefined ? undefined : algorithms[String(alg)];
    if (alg !== undefined && algorithm === undefined) refuse("signature_malformed", "The algorithm is not known.");
    const keyId = parameters.get("keyid");
    const hasBody = names.includes("content-digest");
    const covered = coveredBy(params);
    return [
      {
        signatures: [{ bytes: signature, ...(algorithm !== undefined && { algorithm }) }],
        signed: [baseOf(params, { method, url, headers })],
        timestamp: Number(created) * 1000,
        covered: hasBody ? [...covered, "id", "type"] : covered,
        ...(typeof keyId === "string" && { keyId }),
        ...(hasBody && {
          confirm: async () => {
            await checkDigest(getHeader(headers, "content-digest"), body);
            return undefined;
          },
        }),
      },
    ];
  },
  sign: async ({ method, url, headers, body, timestamp, settings }, [signer]) => {
    if (signer === undefined) throw new TypeError("no key");
    const digest = `sha-256=:${encodeBase64(await platform.hash("sha256", [body]))}:`;
    const sent: Record<string, string> = { ...headers, "content-digest": digest };
    const tag = settingOf(settings, "tag");
    const registered = Object.entries(algorithms).find(([, value]) => value === signer.algorithm)?.[0] ?? "";
    const text = [
      `(${required(settings)
        .map((name) => `"${name}"`)
        .join(" ")})`,
      `created=${Math.floor(timestamp / 1000)}`,
      ...(signer.id === undefined ? [] : [`keyid="${signer.id}"`]),
      `alg="${registered}"`,
      ...(tag === undefined ? [] : [`tag="${tag}"`]),
    ].join(";");
    const params = readSignatureParams(text) ?? refuse("header_malformed", "The components cannot be written.");
    const label = settingOf(settings, "label") ?? "sig";
    const signature = await signer.sign([baseOf(params, { method, url, headers: sent })]);
    return {
      method,
      ...(url !== undefined && { url }),
      headers: { ...sent, "signature-input": `${label}=${text}`, signature: `${label}=:${encodeBase64(signature)}:` },
      body,
    };
  },
};
