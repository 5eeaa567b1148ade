import { algorithms } from "./algorithms.ts";
import { misconfigured } from "./errors.ts";
import type { Location, SchemeLayout } from "./scheme.ts";

const wrong = (what: string, instead: string): never => misconfigured("setting_invalid", `${what}: ${instead}`);

/** What was given, as far as it can be shown: never the whole of an object. */
const shown = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : typeof value);

/** @throws WebhookConfigError `setting_invalid` */
const checkPlace = (name: string, place: Location | undefined): void => {
  if (place === undefined) return;
  for (const one of [place].flat())
    if (typeof one !== "string" || !/^(body:.+|header:[^A-Z]+)$/s.test(one))
      wrong(
        `${name} is ${shown(one)}`,
        "write header:<name in lower case> or body:<path>, such as header:x-event-id or body:data.id.",
      );
};

/** @throws WebhookConfigError `setting_invalid` */
const checkEncoding = (encoding: unknown): void => {
  if (typeof (encoding as { readonly decode?: unknown } | undefined)?.decode !== "function")
    wrong(
      `encoding is ${shown(encoding)}`,
      "give a codec that this package exports: hex, base64, base64url or plainText.",
    );
};

/** A name that a header can have: a token of RFC 9110, section 5.6.2. */
const isHeaderName = (name: unknown): boolean => typeof name === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(name);

/** @throws WebhookConfigError `setting_invalid` */
const checkHeader = (what: string, name: unknown): void => {
  if (!isHeaderName(name)) wrong(`${what} is ${shown(name)}`, 'name the header, such as "X-Acme-Signature".');
};

const units: readonly unknown[] = ["s", "ms", "iso", "iso-utc", "http"];

/**
 * Refuses what can never verify a message. A program without types can give anything, and would
 * otherwise learn of it from the first delivery that is refused.
 * @throws WebhookConfigError `setting_invalid`
 */
export const checkLayout = (layout: SchemeLayout): void => {
  const { name, key, signature, signed, timestamp: time, idHeader, keyIdHeader } = layout;
  if (typeof name !== "string" || name === "")
    wrong(`name is ${shown(name)}`, 'give the scheme a name, such as "acme".');
  if (typeof key?.verifying !== "function")
    wrong(
      `key is ${shown(key)}`,
      'say how keys are written, such as textSecret("hmac-sha256") or publicKey("ed25519").',
    );
  for (const algorithm of key.algorithms ?? [])
    if (!algorithms.includes(algorithm))
      wrong(`the key's algorithm is ${shown(algorithm)}`, `there are ${algorithms.join(", ")}.`);
  const headers = [signature?.header].flat();
  if (headers.length === 0) checkHeader("signature.header", undefined);
  for (const header of headers) checkHeader("signature.header", header);
  for (const [what, header] of Object.entries({ "timestamp.header": time?.header, idHeader, keyIdHeader }))
    if (header !== undefined) checkHeader(what, header);
  checkEncoding(signature.encoding);
  if (typeof signed !== "string") wrong(`signed is ${shown(signed)}`, 'give a template, such as "{body}".');
  if (!signed.includes("{")) wrong(`signed is ${shown(signed)}`, 'a template names what is signed, such as "{body}".');
  const timed = time?.header !== undefined || signature.pairs?.timestamp !== undefined;
  if (signed.includes("{timestamp}") && !(time && timed))
    wrong(
      "{timestamp} has no place",
      'say where the time is: `timestamp: { header: "X-Acme-Time", unit: "s" }`, or `timestamp` in `signature.pairs` with `timestamp: { unit: "s" }`.',
    );
  if (time && !timed && time.body === undefined)
    wrong("timestamp has no place", "add its header, its path in the body, or its name in `signature.pairs`.");
  if (time && !units.includes(time.unit))
    wrong(`timestamp.unit is ${shown(time.unit)}`, "it may be s, ms, iso, iso-utc or http.");
  if (signed.includes("{id}") && idHeader === undefined) wrong("{id} has no place", "name its header in `idHeader`.");
  if (signed.includes("{key-id}") && keyIdHeader === undefined)
    wrong("{key-id} has no place", "name its header in `keyIdHeader`.");
  checkPlace("id", layout.id);
  checkPlace("type", layout.type);
  for (const [what, place] of Object.entries(layout.metadata ?? {})) checkPlace(`metadata.${what}`, place);
};
