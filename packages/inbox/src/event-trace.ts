import type { StoredEvent } from "@postern/core/ports";
import { type Scheme, sha256Hex, type VerificationTrace } from "@postern/webhook-verifier";
import { keyHeader } from "./outside-body.ts";
import type { Provider } from "./provider.ts";
import { storedRepeat } from "./repeat-key.ts";

/** The headers that the verification of a delivery looks at; lower-case names. */
const headersOfSignature = ({ credentials, covered, layout }: Scheme): readonly string[] => {
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
  const scheme = provider?.verifier.scheme;
  const bytes = body && { bytes: body.length, sha256: await sha256Hex(body) };
  const { by, windowSeconds } = storedRepeat(dedupeKey);
  const { [keyHeader]: id } = headers;
  const content = scheme?.layout?.signed;
  return {
    scheme: scheme?.name ?? "",
    valid: true,
    headers: (scheme === undefined ? [] : headersOfSignature(scheme)).map((name) => {
      const value = headers[name];
      return { name, length: value?.length, value };
    }),
    covered: (covered ?? scheme?.covered ?? []) as VerificationTrace["covered"],
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
