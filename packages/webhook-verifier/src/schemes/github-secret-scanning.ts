import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { itemsAt } from "../items.ts";
import type { Key } from "../keys/key.ts";
import { ecdsaDerPublicKey } from "../keys/public.ts";
import { asText, at } from "../places.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Reads GitHub's list of public keys, for `jwks(url, { read: readGithubKeys })`. @throws TypeError
 * if it is none.
 */
export const readGithubKeys = (answer: unknown): readonly Key[] => {
  const keys = at(answer, "public_keys");
  if (!Array.isArray(keys)) throw new TypeError("not a list of public keys");
  return keys.map((entry: unknown) => ({
    key: asText(at(entry, "key")) ?? "",
    id: asText(at(entry, "key_identifier")) ?? "",
  }));
};

export const githubSecretScanning: Scheme = definePlainScheme({
  name: "github-secret-scanning",
  title: "GitHub secret scanning",
  promises: { id: "absent", type: "usual" },
  key: ecdsaDerPublicKey("ecdsa-p256-sha256-der"),
  signature: { header: "Github-Public-Key-Signature", encoding: base64 },
  signed: "{body}",
  keyIdHeader: "Github-Public-Key-Identifier",
  covered: ["body"],
  repeats: [sameBody(3 * day)],
  items: itemsAt(undefined, { type: "type" }),
});

export const facts: SchemeFacts = {
  keyFrom: '`jwks("https://api.github.com/meta/public_keys/secret_scanning", { read: readGithubKeys })`.',
  confidence: "confirmed",
  source:
    "https://docs.github.com/en/code-security/secret-scanning/secret-scanning-partnership-program/secret-scanning-partner-program",
  repeats: {
    source:
      "https://docs.github.com/en/code-security/secret-scanning/secret-scanning-partnership-program/secret-scanning-partner-program",
    confidence: "second-hand",
    note: "The body holds the secrets and where they were found: a second report of them is the same. The time of retries is not documented; three days are ours.",
  },
};
