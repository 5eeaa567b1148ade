import { textOf } from "#platform";
import { decodeBase64 } from "./base64.ts";
import { contentTypeOf, isJsonType, readContent } from "./content.ts";
import { findHeader, type HeaderSource } from "./headers.ts";
import { jsonIn } from "./json.ts";
import { asText, at } from "./places.ts";

/** An event as CloudEvents writes it in JSON: its attributes, and its data at `data`. */
type CloudEvent = Readonly<Record<string, unknown>>;

const attributes = ["id", "source", "specversion", "type", "subject", "time", "dataschema"] as const;

/** Names of all `ce-` headers. Where headers cannot be listed, those that the specification names. */
const headerNames = (headers: HeaderSource): readonly string[] => {
  const listed =
    Reflect.get(headers, Symbol.iterator) === undefined ? undefined : Array.from(headers as never, ([name]) => name);
  const names =
    listed ?? (typeof headers.get === "function" ? attributes.map((name) => `ce-${name}`) : Object.keys(headers));
  return names.filter((name) => /^ce-[a-z0-9]+$/i.test(name));
};

/** Text in a header is percent-encoded (HTTP protocol binding 1.0, 3.1.3.2). */
const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};

/** What bytes of this type say; `undefined` for bytes that are neither JSON nor text nor a form. */
const dataIn = (bytes: Uint8Array, type: string, json: (bytes: Uint8Array) => unknown): unknown => {
  if (bytes.length === 0) return undefined;
  if (type === "" || isJsonType(type)) return json(bytes);
  if (/^\s*(text\/|application\/([\w.-]+\+)?xml)/i.test(type)) return textOf(bytes);
  return readContent(bytes, { "content-type": type });
};

/** Binary mode: attributes are headers, the body is the data. */
const fromHeaders = (body: Uint8Array, headers: HeaderSource, json: (bytes: Uint8Array) => unknown): CloudEvent => {
  const event: Record<string, unknown> = Object.create(null);
  for (const header of headerNames(headers)) {
    const name = header.slice("ce-".length).toLowerCase();
    const value = findHeader(headers, `ce-${name}`);
    if (value !== undefined) event[name] = decoded(value);
  }
  const type = contentTypeOf(headers);
  if (type !== "") event.datacontenttype = type;
  const data = dataIn(body, type, json);
  if (data !== undefined) event.data = data;
  return event;
};

/** An event of the JSON format, with data in base64 decoded if they are JSON or text. */
export const readable = (event: unknown): unknown => {
  const base64 = at(event, "data_base64");
  if (typeof base64 !== "string" || at(event, "data") !== undefined) return event;
  const bytes = decodeBase64(base64);
  const data = bytes && dataIn(bytes, asText(at(event, "datacontenttype")) ?? "", jsonIn);
  if (data === undefined) return event;
  // `at` has found a member in it, so it is an object.
  const { data_base64: _, ...rest } = event as CloudEvent;
  return { ...rest, data };
};

/**
 * Reads CloudEvents 1.0 over HTTP in each mode: binary, structured, and a batch, which is a list.
 * @see https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/http-protocol-binding.md
 */
export const readCloudEvent = (
  body: Uint8Array,
  headers: HeaderSource,
  json: (bytes: Uint8Array) => unknown = jsonIn,
): unknown => {
  const isStructured = /^\s*application\/cloudevents/i.test(contentTypeOf(headers));
  if (!isStructured && findHeader(headers, "ce-id") !== undefined) return fromHeaders(body, headers, json);
  const found = json(body);
  return Array.isArray(found) ? found.map(readable) : readable(found);
};
