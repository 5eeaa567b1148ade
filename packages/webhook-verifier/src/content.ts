import { textOf } from "#platform";
import { checkFields, formObject } from "./form.ts";
import { type HeaderSource, rawHeader } from "./headers.ts";
import { hasMore, jsonIn, jsonText, unprovenJson } from "./json.ts";
import { multipartObject } from "./multipart.ts";

/** The fields of a form by name; a repeated one is a list. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a body. Its headers are those of the delivery, or those of them that were kept.
 * @param json parses JSON in place of `JSON.parse`, for numbers that a double cannot hold.
 */
export interface ParseBody {
  (body: Uint8Array, headers: HeaderSource, json?: (bytes: Uint8Array) => unknown): unknown;
  /** Set if JSON is read as nothing else: whether this body is JSON, or `undefined` as payload. */
  readonly readsJson?: (body: Uint8Array, headers: HeaderSource) => boolean;
}

/**
 * The content type as it was written; empty if there is none, or more than one: a payload is read
 * after the signature, where nothing is refused any more.
 */
export const contentTypeOf = (headers: HeaderSource): string => {
  try {
    const raw = rawHeader(headers, "content-type");
    return (typeof raw === "string" ? raw : raw?.[0]) ?? "";
  } catch {
    return "";
  }
};

export const isJsonType = (contentType: string): boolean =>
  /^\s*(?:application|text)\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i.test(contentType);

type Kind = "json" | "form" | "multipart" | "none";

/** The content type decides; where there is none, the first byte. */
const kindOf = (body: Uint8Array, headers: HeaderSource): Kind => {
  const contentType = contentTypeOf(headers);
  if (isJsonType(contentType)) return "json";
  const [kind] = /^[\w/.+-]+/.exec(contentType.trim().toLowerCase()) ?? [];
  if (kind === "application/x-www-form-urlencoded") return "form";
  if (kind === "multipart/form-data") return "multipart";
  const first = String.fromCharCode(body.find((byte) => byte > 0x20) ?? 0);
  // Some senders say that their JSON is text.
  if (first === "{" || first === "[") return "json";
  if (kind !== undefined || first === "<") return "none";
  return first === '"' ? "json" : body[0] === 0x2d && body[1] === 0x2d ? "multipart" : "form";
};

/**
 * As many values as the JSON in a form may have: escapes hide them from whatever counts them in the
 * body. Marks inside texts count too.
 */
const mostValues = 100_000;

/** The field `payload` of a form, which is JSON; without one what `otherwise` makes of the form. */
export const payloadField =
  (otherwise: (fields: Fields) => unknown = (fields) => fields) =>
  (fields: Fields): unknown => {
    const { payload } = fields;
    if (typeof payload !== "string") return otherwise(fields);
    return hasMore(payload, /[,[{]/, mostValues) ? undefined : jsonText(payload);
  };

/**
 * Makes the `parse` of a scheme whose bodies are JSON, a form or multipart. `undefined` for a body
 * of another type, and for one that is not what its type says, or has too many fields.
 */
export const contentReader = (ofFields: (fields: Fields) => unknown = (fields) => fields): ParseBody =>
  Object.assign(
    (body: Uint8Array, headers: HeaderSource, json = jsonIn): unknown => {
      const kind = kindOf(body, headers);
      if (kind === "json") return json(body);
      if (kind === "none" || body.length === 0) return undefined;
      const fields = kind === "form" ? formObject(textOf(body) ?? "") : multipartObject(body, contentTypeOf(headers));
      return fields === undefined ? undefined : ofFields(fields);
    },
    { readsJson: (body: Uint8Array, headers: HeaderSource) => kindOf(body, headers) === "json" },
  );

/**
 * Reads a body in which the signature stands, so that anybody may have sent it.
 * @throws WebhookVerificationError `body_too_large`
 */
export const unproven = (parse: ParseBody, body: Uint8Array, headers: HeaderSource): unknown => {
  if (kindOf(body, headers) === "form") checkFields(textOf(body) ?? "");
  return parse(body, headers, (bytes) => unprovenJson(textOf(bytes) ?? ""));
};

/** Reads JSON, a form or multipart, as the content type says. */
export const readContent: ParseBody = /* @__PURE__ */ contentReader();
