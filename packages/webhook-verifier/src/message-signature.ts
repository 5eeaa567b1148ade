import { refuse } from "./errors.ts";
import { type HeaderSource, missing, rawHeader } from "./headers.ts";
import { btoa, URL, URLSearchParams } from "./runtime.ts";
import type { Settings } from "./scheme.ts";
import { settingsOf } from "./settings.ts";
import { canonicalField, type Member, readDictionary, readString } from "./structured-fields.ts";

/** The parts of a request that components are taken from. */
export interface Message {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: HeaderSource;
}

/** The name of an algorithm in the registry of RFC 9421: one is not called as here. */
export const registered = (algorithm: string): string => (algorithm === "rsa-sha256" ? "rsa-v1_5-sha256" : algorithm);

/** What a signature must cover: names, or identifiers with their parameters as a message has them. */
export const requiredComponents = (settings: Settings): readonly string[] => {
  const components = settingsOf(settings, "components");
  return components.length > 0 ? components : ["@method", "@target-uri", "content-digest"];
};

const absolute = (url: string | undefined): URL => {
  try {
    return new URL(url ?? "");
  } catch {
    return refuse("request_incomplete", "The signature covers the URL: give it, absolute.");
  }
};

const absent = ({ text }: Member): never => refuse("claim_mismatch", `The request has not exactly one ${text}.`);

const queryParam = ({ search }: URL, component: Member): string => {
  const [value, ...more] = new URLSearchParams(search).getAll(readString(component.parameters.get("name")) ?? "");
  return value === undefined || more.length > 0
    ? absent(component)
    : encodeURIComponent(value).replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
};

/** Components taken from the URL; all their names begin with an at sign, as no name of a header does. */
const derived: Readonly<Record<string, (url: URL, component: Member) => string>> = {
  "@authority": ({ host }) => host,
  "@scheme": ({ protocol }) => protocol.slice(0, -1),
  "@request-target": ({ pathname, search }) => pathname + search,
  "@path": ({ pathname }) => pathname,
  "@query": ({ search }) => search || "?",
  "@query-param": queryParam,
};

/** A header field, also an empty one; one that came more than once counts with all its lines. */
const fieldValue = (component: Member, name: string, headers: HeaderSource): string => {
  const { parameters } = component;
  const lines = [rawHeader(headers, name) ?? missing(name)].flat().map((line) => line.trim());
  // A character of a header is one byte, whatever it stands for.
  if (parameters.has("bs")) return lines.map((line) => `:${btoa(line)}:`).join(", ");
  const whole = lines.join(", ");
  const key = readString(parameters.get("key"));
  if (key !== undefined) return readDictionary(whole)?.get(key)?.text ?? absent(component);
  return parameters.has("sf") ? (canonicalField(whole) ?? absent(component)) : whole;
};

/** Which parameters a component may have, in the order and number senders may write them. */
const parametersOf = (name: string): RegExp =>
  name === "@query-param" ? /^name$/ : name.startsWith("@") ? /^$/ : /^(bs|(sf)?,?(key)?)$/;

/** The value of a component (RFC 9421, 2). */
const componentValue = (component: Member, { method, url, headers }: Message): string => {
  const name = readString(component.value) ?? "";
  const read = derived[name];
  if (parametersOf(name).test([...component.parameters.keys()].join())) {
    if (name === "@method") return method ?? refuse("request_incomplete", "The signature covers the method: give it.");
    if (name === "@target-uri") return absolute(url).href === `${url}/` ? `${url}/` : (url ?? "");
    if (name.startsWith("@") && read !== undefined) return read(absolute(url), component);
    if (/^[!#$%&'*+.^_`|~\da-z-]+$/.test(name)) return fieldValue(component, name, headers);
  }
  return refuse(
    "component_unsupported",
    `The signature covers ${component.text}: there is no such part of a request (\`req\` and \`tr\` are for responses and trailers).`,
  );
};

const maxComponents = 50;

/** What a signature covers. @throws WebhookVerificationError `header_malformed` */
export const componentsOf = ({ items }: Member): readonly Member[] =>
  items !== undefined && items.length <= maxComponents && new Set(items.map(({ text }) => text)).size === items.length
    ? items
    : refuse("header_malformed", `The signature lists none, one twice, or more than ${maxComponents}.`);

/** What is signed (RFC 9421, 2.5). @throws WebhookVerificationError */
export const signatureBase = (params: Member, message: Message): string =>
  [
    ...componentsOf(params).map((component) => `${component.text}: ${componentValue(component, message)}`),
    `"@signature-params": ${params.text}`,
  ].join("\n");
