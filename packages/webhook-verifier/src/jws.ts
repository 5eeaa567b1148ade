import { textOf } from "#platform";
import { decodeBase64url, encodeBase64url } from "./base64.ts";
import { refuse } from "./errors.ts";
import { jsonText, unprovenJson } from "./json.ts";
import { at } from "./places.ts";
import { utf8 } from "./runtime.ts";
import type { SigningKey } from "./scheme.ts";

/** A compact JWS (RFC 7515) in its parts. Nothing in it is verified yet. */
export interface Jws {
  readonly header: unknown;
  readonly keyId: string | undefined;
  /** The texts that are signed, as they were written. */
  readonly headerText: string;
  readonly payloadText: string;
  readonly signature: Uint8Array;
}

const textIn = (part: string): string => textOf(decodeBase64url(part) ?? new Uint8Array()) ?? "";

const notJson = (what: string): never =>
  refuse("signature_malformed", `The ${what} of the JWS is not JSON in base64url.`);

/**
 * Takes a compact JWS apart. Checks that it names the scheme's algorithm and no extension that a
 * receiver would have to know.
 * @throws WebhookVerificationError `signature_malformed`, `body_too_large`
 */
export const readJws = (text: string, alg: string): Jws => {
  const [headerText = "", payloadText = "", signatureText = "", ...more] = text.split(".");
  const signature = decodeBase64url(signatureText);
  if (more.length > 0 || headerText === "" || signature === undefined || signature.length === 0)
    return refuse("signature_malformed", "The JWS is not header, payload and signature in base64url.");
  const header = unprovenJson(textIn(headerText)) ?? notJson("header");
  if (at(header, "alg") !== alg) refuse("signature_malformed", `The JWS is not signed with ${alg}.`);
  if (at(header, "crit") !== undefined || at(header, "b64") !== undefined)
    refuse("signature_malformed", "The JWS names an extension that is not known.");
  const keyId = at(header, "kid");
  return {
    header,
    keyId: typeof keyId === "string" && keyId !== "" ? keyId : undefined,
    headerText,
    payloadText,
    signature,
  };
};

/** The payload of a JWS as JSON. @throws WebhookVerificationError `signature_malformed` */
export const payloadOf = (jws: Jws): unknown => jsonText(textIn(jws.payloadText)) ?? notJson("payload");

/**
 * Converts a number among the claims (RFC 7519) to milliseconds since the epoch; `undefined` if it
 * is not a number.
 */
export const numericDate = (claims: unknown, name: string): number | undefined => {
  const value = at(claims, name);
  return typeof value === "number" && Number.isFinite(value) ? value * 1000 : undefined;
};

/** Signs a payload and returns the whole compact form. */
export const writeJws = async (header: object, payload: Uint8Array, key: SigningKey): Promise<string> => {
  const named = key.id === undefined ? header : { ...header, kid: key.id };
  const content = `${encodeBase64url(utf8(JSON.stringify(named)))}.${encodeBase64url(payload)}`;
  return `${content}.${encodeBase64url(await key.sign([content]))}`;
};
