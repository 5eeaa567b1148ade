import { refuse } from "./errors.ts";
import { checkValue, type HeaderSource, missing, rawHeader, twice } from "./headers.ts";
import type { RequestHead } from "./request.ts";
import { btoa, URL, URLSearchParams } from "./runtime.ts";
import type { Settings } from "./scheme.ts";
import { settingsOf } from "./settings.ts";
import { canonicalField, type Member, readDictionary, readString } from "./structured-fields.ts";

/**
 * A request, or a response to one, from which components are read. Nothing in it is verified yet.
 */
export interface Message extends RequestHead {
  /** The status code, if it is a response. */
  readonly status?: number | undefined;
  /** The request that a response answers. */
  readonly request?: RequestHead | undefined;
}

/** Maps the names of algorithms in the registry of RFC 9421. One of them has another name here. */
export const registered = (algorithm: string): string => (algorithm === "rsa-sha256" ? "rsa-v1_5-sha256" : algorithm);

const isResponse = ({ status, request }: Message): boolean => status !== undefined || request !== undefined;

/** Whether a component has one of these parameters. */
export const has = ({ parameters }: Member, ...names: readonly string[]): boolean =>
  names.some((name) => parameters.has(name));

/** Whether a component is a whole digest of this message's body. It may also be in a trailer. */
export const isDigest = (component: Member): boolean =>
  readString(component.value) === "content-digest" && !has(component, "key", "req");

/**
 * What a signature must cover: names of components, or identifiers with parameters as they are in
 * messages.
 */
export const requiredComponents = (settings: Settings, message: Message): readonly string[] => {
  const components = settingsOf(settings, "components");
  if (components.length > 0) return components;
  return isResponse(message)
    ? ["@status", '"@method";req', '"@target-uri";req', "content-digest"]
    : ["@method", "@target-uri", "content-digest"];
};

/** Refuses because of a part that the caller could give and did not. */
const notGiven = ({ text }: Member, advice: string): never =>
  refuse("request_incomplete", `The signature covers ${text}: ${advice}`);

const absolute = (url: string | undefined, component: Member): URL => {
  try {
    return new URL(url ?? "");
  } catch {
    return notGiven(component, "give the URL, absolute.");
  }
};

const absent = ({ text }: Member): never => refuse("claim_mismatch", `The message has not exactly one ${text}.`);

const queryParam = ({ search }: URL, component: Member): string => {
  const [value, ...more] = new URLSearchParams(search).getAll(readString(component.parameters.get("name")) ?? "");
  return value === undefined || more.length > 0
    ? absent(component)
    : encodeURIComponent(value).replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
};

/** Components read from the URL. Their names begin with an at sign, unlike those of headers. */
const derived: Readonly<Record<string, (url: URL, component: Member, written: string) => string>> = {
  // As it was written, except that a URL without a path gets one.
  "@target-uri": ({ href }, _, written) => (href === `${written}/` ? href : written),
  "@authority": ({ host }) => host,
  "@scheme": ({ protocol }) => protocol.slice(0, -1),
  "@request-target": ({ pathname, search }) => pathname + search,
  "@path": ({ pathname }) => pathname,
  "@query": ({ search }) => search || "?",
  "@query-param": queryParam,
};

const isFields = (given: unknown): given is HeaderSource => typeof given === "object" && given !== null;

/** The headers, or for a component with `tr` the trailers. */
export const fieldsFor = (component: Member, { headers, trailers }: RequestHead): HeaderSource => {
  const fields = component.parameters.has("tr") ? trailers : headers;
  return isFields(fields)
    ? fields
    : notGiven(component, "give `trailers`. A web Request and AWS Lambda have none to give.");
};

/**
 * The value of a field, which may be empty. If the field occurs more than once, all its lines
 * count.
 */
const fieldValue = (component: Member, name: string, message: RequestHead): string => {
  const { parameters } = component;
  const lines = [rawHeader(fieldsFor(component, message), name) ?? missing(name)]
    .flat()
    .map((line) => (typeof line === "string" ? line.trim() : twice(name)));
  const whole = lines.join(", ");
  checkValue(whole, name);
  // A header arrives with one character for each byte.
  if (parameters.has("bs")) return lines.map((line) => `:${btoa(line)}:`).join(", ");
  const key = readString(parameters.get("key"));
  if (key !== undefined) return readDictionary(whole)?.get(key)?.text ?? absent(component);
  return parameters.has("sf") ? (canonicalField(whole) ?? absent(component)) : whole;
};

/**
 * The parameters that a component may have, sorted: a comma follows each flag, and `=` each text.
 */
const parametersOf = (name: string): RegExp => {
  if (name === "@status") return /^$/;
  if (name === "@query-param") return /^name=(req,)?$/;
  return name.startsWith("@") ? /^(req,)?$/ : /^(bs,(req,)?|(key=)?(req,)?(sf,)?)(tr,)?$/;
};

const hasItsParameters = (name: string, { parameters }: Member): boolean =>
  parametersOf(name).test(
    [...parameters]
      .map(([parameter, value]) => parameter + (value === "?1" ? "," : readString(value) === undefined ? "?" : "="))
      .sort()
      .join(""),
  );

/**
 * The message that a component is read from. With `req` this is the request that the response
 * answers.
 */
const messageFor = (component: Member, message: Message): RequestHead => {
  if (!component.parameters.has("req")) return message;
  const { request } = message;
  return request !== undefined && isFields(request?.headers)
    ? request
    : notGiven(component, "give `request`, the request that this response answers.");
};

/** The value of a component (RFC 9421, 2). */
const componentValue = (component: Member, message: Message): string => {
  const name = readString(component.value) ?? "";
  const read = derived[name];
  if (hasItsParameters(name, component)) {
    if (name === "@status")
      return typeof message.status === "number"
        ? `${message.status}`
        : notGiven(component, "give the `status` of the response.");
    const from = messageFor(component, message);
    const { method, url } = from;
    if (name.startsWith("@") && (from !== message || !isResponse(message))) {
      if (name === "@method") return typeof method === "string" ? method : notGiven(component, "give the method.");
      if (read !== undefined) return read(absolute(url, component), component, url ?? "");
    }
    if (/^[!#$%&'*+.^_`|~\da-z-]+$/.test(name)) return fieldValue(component, name, from);
  }
  return refuse(
    "component_unsupported",
    `The signature covers ${component.text}: RFC 9421 knows no such part of this message.`,
  );
};

const maxComponents = 50;

/** What a signature covers. @throws WebhookVerificationError `header_malformed` */
export const componentsOf = ({ items }: Member): readonly Member[] =>
  items !== undefined && items.length <= maxComponents && new Set(items.map(({ text }) => text)).size === items.length
    ? items
    : refuse("header_malformed", `The signature lists none, one twice, or more than ${maxComponents}.`);

/** The text that is signed (RFC 9421, 2.5). @throws WebhookVerificationError */
export const signatureBase = (params: Member, message: Message): string =>
  [
    ...componentsOf(params).map((component) => `${component.text}: ${componentValue(component, message)}`),
    `"@signature-params": ${params.text}`,
  ].join("\n");
