import { hash } from "#platform";
import { encodeBase64 } from "./base64.ts";
import { refuse } from "./errors.ts";
import {
  componentsOf,
  isDigest,
  type Message,
  registered,
  requiredComponents,
  signatureBase,
} from "./message-signature.ts";
import type { Draft, SigningKeys } from "./scheme.ts";
import { settingOf } from "./settings.ts";
import { readDictionary } from "./structured-fields.ts";

/** A request or response before it is signed. */
export type MessageDraft = Pick<Draft, "body" | "timestamp" | "settings"> &
  Omit<Message, "headers" | "trailers"> & {
    readonly headers: Readonly<Record<string, string>>;
    readonly trailers: Readonly<Record<string, string>> | undefined;
  };

/** What is sent in addition to the body. Names are in lower case. */
export interface SignedFields {
  readonly headers: Readonly<Record<string, string>>;
  readonly trailers?: Readonly<Record<string, string>>;
}

const lowered = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * Signs as RFC 9421 says, with a digest of the body. The digest is in a trailer if `components` ask
 * for that. It is separate from reading, so that a receiver does not ship it.
 */
export const signMessage = async (
  { body, timestamp, settings, headers, trailers, ...rest }: MessageDraft,
  [signer]: SigningKeys,
): Promise<SignedFields> => {
  const label = settingOf(settings, "label") ?? "sig";
  const tag = settingOf(settings, "tag");
  const message = { ...rest, headers: lowered(headers), trailers: trailers && lowered(trailers) };
  const components = requiredComponents(settings, message).map((name) => (name.startsWith('"') ? name : `"${name}"`));
  const text = [
    `${label}=(${components.join(" ")})`,
    `created=${Math.floor(timestamp / 1000)}`,
    ...(signer.id === undefined ? [] : [`keyid="${signer.id}"`]),
    `alg="${registered(signer.algorithm)}"`,
    ...(tag === undefined ? [] : [`tag="${tag}"`]),
  ].join(";");
  const params = readDictionary(text)?.get(label) ?? refuse("header_malformed", "The components cannot be written.");
  const digest = { "content-digest": `sha-256=:${encodeBase64(await hash("sha256", [body]))}:` };
  const places = componentsOf(params).filter(isDigest);
  const inTrailer = places.some(({ parameters }) => parameters.has("tr"));
  // A sender puts the digest after the body because it does not know it before.
  const inHeader = !inTrailer || places.some(({ parameters }) => !parameters.has("tr"));
  const sent = { ...message.headers, ...(inHeader && digest) };
  const after = inTrailer ? { ...message.trailers, ...digest } : message.trailers;
  const signature = await signer.sign([signatureBase(params, { ...message, headers: sent, trailers: after })]);
  return {
    headers: {
      ...sent,
      "signature-input": `${label}=${params.text}`,
      signature: `${label}=:${encodeBase64(signature)}:`,
    },
    ...(after !== undefined && { trailers: after }),
  };
};
