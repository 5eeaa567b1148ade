import { getHeader } from "./headers.ts";
import type { KeyNotation } from "./keys/key.ts";
import { isInBody } from "./places.ts";
import type { Covered, Place, Scheme, SchemeFacts, SettingFacts } from "./scheme.ts";
import { readSignature, type SignatureLayout, writeSignature } from "./signature-header.ts";
import { coveredBy, fill, parseTemplate } from "./template.ts";
import { formatTime, parseTime, type TimeUnit } from "./timestamps.ts";

/** A scheme in data: enough for every sender that signs a template of request parts and puts the result into headers. */
export interface SchemeLayout {
  /** Kebab-case. */
  readonly name: string;
  /** What documentation says; `headers`, `signed` and `encoding` follow from the layout. */
  readonly facts: Omit<SchemeFacts, "headers" | "signed" | "encoding">;
  /** How keys are written, and with them the algorithm: `textSecret("hmac-sha256")`, `publicKey("ed25519")`, … */
  readonly key: KeyNotation;
  readonly signature: SignatureLayout;
  /** The signed content: `{id}`, `{timestamp}`, `{method}`, `{url}`, `{body}`, `{header:<name>}` and text between them. */
  readonly signed: string;
  /** The time of signing; `header` is left out when it stands in the signature header. */
  readonly timestamp?: { readonly header?: string; readonly unit: TimeUnit; readonly toleranceSeconds?: number };
  /** The header of a covered id, for templates with `{id}`. */
  readonly idHeader?: string;
  /** Where the event's id and type stand otherwise. */
  readonly id?: Place;
  readonly type?: Place;
  readonly settings?: Readonly<Record<string, SettingFacts>>;
  readonly parse?: Scheme["parse"];
  readonly items?: Scheme["items"];
  readonly handshake?: Scheme["handshake"];
}

const headerOf = (place: Place | undefined): string | undefined => {
  const first = typeof place === "string" ? place : place?.[0];
  return first?.startsWith("header:") === true ? first.slice("header:".length) : undefined;
};

/** What follows for id and type once it is known what the template covers. */
const allCovered = (layout: SchemeLayout, template: readonly Covered[]): readonly Covered[] => {
  const covered = [...template];
  const body = covered.includes("body");
  if (body && !covered.includes("id") && isInBody(layout.id)) covered.push("id");
  if (body && isInBody(layout.type)) covered.push("type");
  return covered;
};

/**
 * Makes a scheme from a layout: reading, signing, what is covered and what the documentation says all follow from it.
 * @throws WebhookConfigError `setting_invalid` for a template with an unknown part.
 */
export const defineScheme = (layout: SchemeLayout): Scheme => {
  const { signature, timestamp: time, idHeader } = layout;
  const template = parseTemplate(layout.signed);
  const headers = [...(typeof signature.header === "string" ? [signature.header] : signature.header)];
  for (const more of [time?.header, idHeader]) if (more !== undefined) headers.push(more);
  const timeHeader = time?.header?.toLowerCase();
  const idName = idHeader?.toLowerCase();
  const { key, parse, items, handshake, id, type, settings } = layout;
  return {
    name: layout.name,
    facts: { ...layout.facts, headers, signed: layout.signed, encoding: signature.encoding },
    key,
    covered: allCovered(layout, coveredBy(template)),
    ...(time?.toleranceSeconds !== undefined && { toleranceSeconds: time.toleranceSeconds }),
    ...(id !== undefined && { id }),
    ...(type !== undefined && { type }),
    ...(settings !== undefined && { settings }),
    ...(parse !== undefined && { parse }),
    ...(items !== undefined && { items }),
    ...(handshake !== undefined && { handshake }),
    read: (request) => {
      const found = readSignature(request.headers, signature);
      const written = timeHeader === undefined ? found.timestamp : getHeader(request.headers, timeHeader);
      const idText = idName === undefined ? undefined : getHeader(request.headers, idName);
      const { headers: source, body, method, url } = request;
      const signed = fill(template, { headers: source, body, method, url, id: idText, timestamp: written });
      return [
        {
          signatures: found.signatures,
          signed,
          ...(idText !== undefined && { id: idText }),
          ...(time !== undefined && written !== undefined && { timestamp: parseTime(written, time.unit) }),
        },
      ];
    },
    sign: async (draft, keys) => {
      const written = formatTime(draft.timestamp, time?.unit ?? "s");
      const { method, url, body } = draft;
      const sent: Record<string, string> = { ...draft.headers };
      if (timeHeader !== undefined) sent[timeHeader] = written;
      if (idName !== undefined) sent[idName] = draft.id;
      const idPlace = headerOf(id);
      const typePlace = headerOf(type);
      if (idPlace !== undefined) sent[idPlace] = draft.id;
      if (typePlace !== undefined && draft.type !== undefined) sent[typePlace] = draft.type;
      const pieces = fill(template, { headers: sent, body, method, url, id: draft.id, timestamp: written });
      const signatures = await Promise.all(keys.map((key) => key.sign(pieces)));
      return {
        method,
        ...(url !== undefined && { url }),
        headers: { ...sent, ...writeSignature(signatures, written, signature) },
        body,
      };
    },
  };
};
