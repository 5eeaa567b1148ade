import type { StoredEvent } from "@postern/core/ports";
import { sha256Hex, type VerificationTrace } from "@postern/webhook-verifier";
import { keyHeader } from "./outside-body.ts";
import type { Provider } from "./provider.ts";
import { storedRepeat } from "./repeat-key.ts";

/**
 * The headers that the verification of a delivery looks at; lower-case names. Settings of its sender may
 * name the one of the signature.
 */
const headersOfSignature = (
  { credentials, scheme: { layout } }: Provider["verifier"],
  covered: readonly string[],
): readonly string[] => {
  const named = [...credentials, ...covered].flatMap((place) => (place.startsWith("header:") ? [place.slice(7)] : []));
  const beside = [layout?.idHeader, layout?.timestamp?.header, layout?.keyIdHeader];
  return [...new Set([...named, ...beside].flatMap((name) => name?.toLowerCase() ?? []))];
};

/**
 * How a stored event was verified, from what is kept of it. Its signature is not kept, so it cannot be
 * verified again, and the digest of what was signed is known only where that is the body alone. Of the
 * headers that were looked at, those that are not kept have neither a length nor a value.
 */
export const traceOfEvent = async (
  provider: Provider | undefined,
  { headers, covered, body, occurredAt, receivedAt, dedupeKey }: StoredEvent,
): Promise<VerificationTrace> => {
  const verifier = provider?.verifier;
  const scheme = verifier?.scheme;
  const signed = (covered ?? scheme?.covered ?? []) as VerificationTrace["covered"];
  const bytes = body && { bytes: body.length, sha256: await sha256Hex(body) };
  const { by, windowSeconds } = storedRepeat(dedupeKey);
  const { [keyHeader]: id } = headers;
  const content = scheme?.layout?.signed;
  return {
    scheme: scheme?.name ?? "",
    valid: true,
    headers: (verifier === undefined ? [] : headersOfSignature(verifier, signed)).map((name) => {
      const value = headers[name];
      return { name, length: value?.length, value };
    }),
    covered: signed,
    content,
    signed: content === "{body}" ? bytes : undefined,
    body: bytes,
    keys: id === undefined ? undefined : { tried: undefined, id },
    time:
      occurredAt === undefined
        ? undefined
        : {
            signedAt: occurredAt,
            skewSeconds: Math.round((receivedAt - occurredAt) / 1000),
            toleranceSeconds: scheme?.toleranceSeconds,
          },
    repeat: { by: by === "id" ? "signed-id" : by, windowSeconds, key: dedupeKey },
  };
};
