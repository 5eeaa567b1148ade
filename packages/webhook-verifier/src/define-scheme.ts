import { hash } from "#platform";
import { refuse } from "./errors.ts";
import { getHeader, type HeaderSource } from "./headers.ts";
import { encodeHex } from "./hex.ts";
import { jsonIn } from "./json.ts";
import type { KeyNotation } from "./keys/key.ts";
import { asText, at, isInBody } from "./places.ts";
import type { Incoming } from "./request.ts";
import { after } from "./runtime.ts";
import type { Claim, Confirmed, Covered, Place, Scheme, SchemeFacts, SettingFacts } from "./scheme.ts";
import { type SignatureLayout, signatureReader } from "./signature-header.ts";
import { coveredBy, fill, parseTemplate } from "./template.ts";
import { parseTime, type TimeUnit } from "./timestamps.ts";

/** A scheme in data: enough for every sender that signs a template of request parts and puts the result into headers. */
export interface SchemeLayout {
  /** Kebab-case. */
  readonly name: string;
  /** What documentation says; `headers`, `signed` and `encoding` follow from the layout. */
  readonly facts: Omit<SchemeFacts, "headers" | "signed" | "encoding">;
  /** How keys are written, and with them the algorithm: `textSecret("hmac-sha256")`, `publicKey("ed25519")`, … */
  readonly key: KeyNotation;
  readonly signature: SignatureLayout;
  /**
   * The signed content: `{id}`, `{timestamp}`, `{method}`, `{url}`, `{body}`, `{body-sha256}`, `{key-id}`,
   * `{header:<name>}` and text between them.
   */
  readonly signed: string;
  /**
   * The time of signing. Neither `header` nor `body` (a dotted path): it stands in the signature header.
   * `toleranceSeconds` is left out when the sender asks for no window.
   */
  readonly timestamp?: {
    readonly header?: string;
    readonly body?: string;
    readonly unit: TimeUnit;
    readonly toleranceSeconds?: number;
  };
  /** The header of a covered id, for templates with `{id}`. */
  readonly idHeader?: string;
  /** The header that names the key. */
  readonly keyIdHeader?: string;
  /** Where the event's id and type stand otherwise. */
  readonly id?: Place;
  readonly type?: Place;
  /** Overrides what follows from the template, for schemes whose signature does not authenticate what it is made of. */
  readonly covered?: readonly Covered[];
  readonly settings?: Readonly<Record<string, SettingFacts>>;
  readonly parse?: Scheme["parse"];
  readonly items?: Scheme["items"];
  readonly handshake?: Scheme["handshake"];
}

/** What follows for id and type once it is known what the template covers. */
const allCovered = (layout: SchemeLayout, template: readonly Covered[]): readonly Covered[] => {
  const covered = [...new Set(template)];
  if (!covered.includes("body")) return covered;
  if (layout.timestamp?.body !== undefined) covered.push("timestamp");
  if (!covered.includes("id") && isInBody(layout.id)) covered.push("id");
  if (isInBody(layout.type)) covered.push("type");
  return covered;
};

// Ids are short printable ASCII at every sender that signs them; anything else is somebody trying borders out.
const idPattern = /^[!-~]{1,256}$/;

const coveredId = (headers: HeaderSource, header: string): string => {
  const id = getHeader(headers, header);
  return idPattern.test(id) ? id : refuse("header_malformed", `${header} is not an id.`);
};

/** The time that stands in the body; read only after the signature held. */
const timeInBody = (body: Uint8Array, path: string, unit: TimeUnit): Confirmed => ({
  timestamp: parseTime(asText(at(jsonIn(body), path)) ?? "", unit),
});

/**
 * Makes a scheme from a layout: reading, signing, what is covered and what the documentation says all follow from it.
 * @throws WebhookConfigError `setting_invalid` for a template with an unknown part.
 */
export const defineScheme = (layout: SchemeLayout): Scheme => {
  const { name, facts, key, signature, timestamp: time, idHeader, keyIdHeader, id, type, settings } = layout;
  const template = parseTemplate(layout.signed);
  const readSignature = signatureReader(signature);
  const unit = time?.unit ?? "s";
  const timeName = time?.header?.toLowerCase();
  const timePath = time?.body;
  const idName = idHeader?.toLowerCase();
  const keyIdName = keyIdHeader?.toLowerCase();

  const claimOf = ({ headers, body, method, url }: Incoming, bodySha256: string | undefined): readonly Claim[] => {
    const found = readSignature(headers);
    const written = timeName === undefined ? found.timestamp : getHeader(headers, timeName);
    const idText = idName === undefined ? undefined : coveredId(headers, idName);
    const keyId = keyIdName === undefined ? undefined : getHeader(headers, keyIdName);
    const values = {
      headers,
      body,
      method,
      url,
      id: idText,
      timestamp: written,
      "key-id": keyId,
      "body-sha256": bodySha256,
    };
    // Filled in step by step: spreading optional members costs as much as a tenth of the hash.
    const claim: { -readonly [Part in keyof Claim]: Claim[Part] } = {
      signatures: found.signatures,
      signed: fill(template, values),
    };
    if (idText !== undefined) claim.id = idText;
    if (keyId !== undefined) claim.keyId = keyId;
    if (time !== undefined && written !== undefined) claim.timestamp = parseTime(written, unit);
    if (timePath !== undefined) claim.confirm = () => timeInBody(body, timePath, unit);
    return [claim];
  };

  const tolerance = time?.toleranceSeconds;
  return {
    name,
    layout,
    facts: {
      ...facts,
      headers: [signature.header, time?.header, idHeader, keyIdHeader].flatMap((header) => header ?? []),
      signed: layout.signed,
      encoding: signature.encoding.name,
    },
    key,
    covered: layout.covered ?? allCovered(layout, coveredBy(template)),
    ...(tolerance !== undefined && { toleranceSeconds: tolerance }),
    ...(id !== undefined && { id }),
    ...(type !== undefined && { type }),
    ...(settings !== undefined && { settings }),
    parse: layout.parse,
    items: layout.items,
    handshake: layout.handshake,
    read: template.includes("body-sha256")
      ? (request) => after(hash("sha256", [request.body]), (digest) => claimOf(request, encodeHex(digest)))
      : (request) => claimOf(request, undefined),
  };
};
