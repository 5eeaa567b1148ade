import { hashHex } from "#platform";
import { checkLayout } from "./check-layout.ts";
import { refuse } from "./errors.ts";
import { getHeader, type HeaderSource } from "./headers.ts";
import { jsonIn } from "./json.ts";
import { asText, at, isInBody } from "./places.ts";
import type { Incoming } from "./request.ts";
import { after } from "./runtime.ts";
import type { Assertion, Confirmed, Covered, Scheme, SchemeLayout } from "./scheme.ts";
import { plainReader, type ReadSignatures, type SignatureLayout } from "./signature-header.ts";
import { type PairsLayout, pairsReader } from "./signature-pairs.ts";
import { coveredBy, fill, parseTemplate } from "./template.ts";
import { parseTime, type TimeUnit } from "./timestamps.ts";

/** All covered parts: those of the template, and what the body holds if it is covered. */
const allCovered = (layout: SchemeLayout, template: readonly Covered[]): readonly Covered[] => {
  const covered = [...new Set(template)];
  if (!covered.includes("body")) return covered;
  if (layout.timestamp?.body !== undefined) covered.push("timestamp");
  if (!covered.includes("id") && isInBody(layout.id)) covered.push("id");
  if (isInBody(layout.type)) covered.push("type");
  return covered;
};

// Every sender that signs ids uses short printable ASCII. Anything else is an attempt to move the
// borders between signed parts.
const idPattern = /^[!-~]{1,256}$/;

const coveredId = (headers: HeaderSource, header: string): string => {
  const id = getHeader(headers, header);
  return idPattern.test(id) ? id : refuse("header_malformed", `${header} is not an id.`);
};

/** The time in the body. It is read only after the signature was found valid. */
const timeInBody = (body: Uint8Array, path: string, unit: TimeUnit): Confirmed => ({
  timestamp: parseTime(asText(at(jsonIn(body), path)) ?? "", unit),
});

const schemeOf = (layout: SchemeLayout, readSignature: ReadSignatures): Scheme => {
  const { signature, signed, timestamp: time, idHeader, keyIdHeader, credentials = [], ...rest } = layout;
  const template = parseTemplate(signed);
  const unit = time?.unit ?? "s";
  const timeName = time?.header?.toLowerCase();
  const timePath = time?.body;
  const idName = idHeader?.toLowerCase();
  const keyIdName = keyIdHeader?.toLowerCase();

  const claimOf = ({ headers, body, method, url }: Incoming, bodySha256: string | undefined): readonly Assertion[] => {
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
    return [
      {
        signatures: found.signatures,
        signed: fill(template, values),
        id: idText,
        keyId,
        timestamp: time && written ? parseTime(written, unit) : undefined,
        confirm: timePath ? () => timeInBody(body, timePath, unit) : undefined,
      },
    ];
  };

  return {
    ...rest,
    layout,
    title: layout.title ?? layout.name,
    covered: layout.covered ?? allCovered(layout, coveredBy(template)),
    credentials: [...[signature.header].flat().map((one) => `header:${one.toLowerCase()}` as const), ...credentials],
    toleranceSeconds: time?.toleranceSeconds,
    read: template.includes("body-sha256")
      ? (request) => after(hashHex("sha256", [request.body]), (digest) => claimOf(request, digest))
      : (request) => claimOf(request, undefined),
  };
};

/**
 * Makes a scheme from a layout. Reading, signing, the covered parts and the documentation all
 * follow from it.
 * @throws WebhookConfigError `setting_invalid` for a layout that cannot work.
 */
export const defineScheme = (layout: SchemeLayout): Scheme => {
  checkLayout(layout);
  const { signature } = layout;
  const { pairs } = signature;
  return schemeOf(layout, pairs === undefined ? plainReader(signature) : pairsReader({ ...signature, pairs }));
};

/** A layout without pairs. */
export interface PlainLayout extends SchemeLayout {
  readonly signature: SignatureLayout & { readonly pairs?: never };
}

/**
 * Like `defineScheme`, for senders whose headers hold one signature each. Their receivers do not
 * ship the code that reads pairs.
 */
export const definePlainScheme = (layout: PlainLayout): Scheme => schemeOf(layout, plainReader(layout.signature));

/** A layout with pairs. */
export interface PairedLayout extends SchemeLayout {
  readonly signature: PairsLayout;
}

/**
 * Like `defineScheme`, for senders whose header is made of pairs. Their receivers do not ship the
 * code that reads other headers.
 */
export const definePairsScheme = (layout: PairedLayout): Scheme => schemeOf(layout, pairsReader(layout.signature));
