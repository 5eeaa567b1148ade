import { decodeBase64 } from "./base64.ts";
import { getHeader, type HeaderSource, twice } from "./headers.ts";
import type { Candidate } from "./platform/contract.ts";
import { bounded } from "./signature-header.ts";

/**
 * Reads a header that lists signatures in base64, separated by commas: one for each secret that is
 * valid.
 * @throws WebhookVerificationError `header_…`, `signature_malformed`
 */
export const commaList = (headers: HeaderSource, name: string): readonly Candidate[] => {
  const texts = getHeader(headers, name).split(",");
  // No sender lists a signature twice. If one occurs twice, the header was sent twice and joined on
  // the way.
  if (new Set(texts.map((text) => text.trim())).size < texts.length) twice(name);
  const candidates = texts.slice(0, 6).flatMap((text) => {
    const bytes = decodeBase64(text);
    return bytes?.length ? [{ bytes }] : [];
  });
  return bounded(candidates, name, "base64");
};
