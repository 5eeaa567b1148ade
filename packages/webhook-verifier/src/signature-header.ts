import type { Encoding } from "./encoding.ts";
import { refuse } from "./errors.ts";
import { behind, findHeader, type HeaderSource, missing } from "./headers.ts";
import type { Candidate } from "./platform/contract.ts";

/** The headers of the signatures, and how they are written. */
export interface SignatureLayout {
  /**
   * The header in the sender's spelling. If there are several, each may hold a signature (Box,
   * DocuSign), and at least one must.
   */
  readonly header: string | readonly string[];
  readonly encoding: Encoding;
  /** Text before the signature, such as `sha256=`. */
  readonly prefix?: string;
  /**
   * For headers made of `name=value` pairs: the separator, the name of the time (if it is there)
   * and the name of the signatures. Other names are ignored, so that a sender can add newer
   * versions beside the old.
   */
  readonly pairs?: {
    readonly separator: "," | ";" | "&" | " ";
    readonly timestamp?: string;
    readonly signature: string;
  };
}

/** What a signature header says. */
export interface SignatureHeader {
  readonly signatures: readonly Candidate[];
  /** The time as it was written, if the layout says that it is in this header. */
  readonly timestamp?: string;
}

const maxCandidates = 5;

/** Refuses a message with no signature, or with more than five: each is tried with every key. */
export const bounded = (candidates: readonly Candidate[], header: string, kind: string): readonly Candidate[] =>
  candidates.length > 0 && candidates.length <= maxCandidates
    ? candidates
    : refuse("signature_malformed", `${header} holds no signature in ${kind}, or more than ${maxCandidates}.`);

/**
 * Decodes the signatures that can be decoded. It refuses none at all and more than five. A
 * signature that occurs twice counts once.
 */
export const candidatesOf = (texts: readonly string[], header: string, encoding: Encoding): readonly Candidate[] => {
  const candidates: Candidate[] = [];
  // Broken signatures count as well: no sender sends so many.
  if (texts.length <= maxCandidates)
    for (const text of texts.length === 1 ? texts : new Set(texts)) {
      const bytes = encoding.decode(text);
      if (bytes?.length) candidates.push({ bytes });
    }
  if (candidates.length === 0 && texts.every((text) => text === ""))
    refuse("signature_missing", `${header} has an empty signature.`);
  return bounded(candidates, header, encoding.name);
};

/** Reads the signatures of a message. @throws WebhookVerificationError `header_…`, `signature_…` */
export type ReadSignatures = (headers: HeaderSource) => SignatureHeader;

/** Makes the reader of headers that hold one signature each. */
export const plainReader = ({ header, encoding, prefix = "" }: SignatureLayout): ReadSignatures => {
  const names = [header].flat().map((name) => name.toLowerCase());
  const [name = ""] = names;
  return (headers) => {
    const values: string[] = [];
    for (const one of names) {
      const value = findHeader(headers, one);
      if (value === undefined) continue;
      values.push(behind(value, prefix) ?? refuse("signature_malformed", `${name} does not begin with ${prefix}`));
    }
    if (values.length === 0) missing(names.join(", "));
    return { signatures: candidatesOf(values, name, encoding) };
  };
};
