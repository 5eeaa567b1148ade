import { hash } from "#platform";
import { encodeBase64 } from "./base64.ts";
import { refuse } from "./errors.ts";
import { registered, requiredComponents, signatureBase } from "./message-signature.ts";
import type { Draft, SignedRequest, SigningKey } from "./scheme.ts";
import { settingOf } from "./settings.ts";
import { readDictionary } from "./structured-fields.ts";

/** Signs as RFC 9421 says, with a digest of the body. Apart from reading, so that a receiver does not ship it. */
export const signMessage = async (
  { method, url, headers, body, timestamp, settings }: Draft,
  [signer]: readonly SigningKey[],
): Promise<SignedRequest> => {
  if (signer === undefined) throw new TypeError("no key");
  const digest = `sha-256=:${encodeBase64(await hash("sha256", [body]))}:`;
  const sent: Record<string, string> = { ...headers, "content-digest": digest };
  const tag = settingOf(settings, "tag");
  const label = settingOf(settings, "label") ?? "sig";
  const components = requiredComponents(settings, { method, url, headers }).map((name) =>
    name.startsWith('"') ? name : `"${name}"`,
  );
  const text = [
    `${label}=(${components.join(" ")})`,
    `created=${Math.floor(timestamp / 1000)}`,
    ...(signer.id === undefined ? [] : [`keyid="${signer.id}"`]),
    `alg="${registered(signer.algorithm)}"`,
    ...(tag === undefined ? [] : [`tag="${tag}"`]),
  ].join(";");
  const params = readDictionary(text)?.get(label) ?? refuse("header_malformed", "The components cannot be written.");
  const signature = await signer.sign([signatureBase(params, { method, url, headers: sent })]);
  return {
    method,
    ...(url !== undefined && { url }),
    headers: {
      ...sent,
      "signature-input": `${label}=${params.text}`,
      signature: `${label}=:${encodeBase64(signature)}:`,
    },
    body,
  };
};
