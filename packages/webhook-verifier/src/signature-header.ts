import type { Encoding } from "./encoding.ts";
import { refuse } from "./errors.ts";
import { findHeader, getHeader, type HeaderSource } from "./headers.ts";
import type { Candidate } from "./scheme.ts";

/** Where signatures stand and how they are written. */
export interface SignatureLayout {
  /** In the sender's spelling. Several: any of them may hold one (Box, DocuSign); at least one must. */
  readonly header: string | readonly string[];
  readonly encoding: Encoding;
  /** Text before the signature: `sha256=`. */
  readonly prefix?: string;
  /**
   * For headers made of `name=value` pairs: what divides them, the name of the time (if it stands there) and of the
   * signatures. Other names are passed over, so that a sender can add newer versions beside the old.
   */
  readonly pairs?: { readonly separator: "," | ";"; readonly timestamp?: string; readonly signature: string };
}

/** What a signature header says. */
export interface SignatureHeader {
  readonly signatures: readonly Candidate[];
  /** As written; only where the layout says that it stands there. */
  readonly timestamp?: string;
}

const maxCandidates = 5;

const twice = (header: string): string => `${header} came more than once.`;

/** Decodes what can be decoded; refuses none and more than five. */
const candidatesOf = (texts: readonly string[], encoding: Encoding, header: string): readonly Candidate[] => {
  if (texts.length > maxCandidates)
    refuse("signature_malformed", `${header} has more than ${maxCandidates} signatures.`);
  // No sender lists a signature twice: this is a header that came twice and was joined on its way.
  if (texts.length > 1 && new Set(texts).size !== texts.length) refuse("header_repeated", twice(header));
  const candidates: Candidate[] = [];
  for (const text of texts) {
    const bytes = encoding.decode(text);
    if (bytes !== undefined && bytes.length > 0) candidates.push({ bytes });
  }
  return candidates.length > 0
    ? candidates
    : refuse("signature_malformed", `${header} holds no signature in ${encoding.name}.`);
};

const readPairs = (value: string, header: string, layout: SignatureLayout): SignatureHeader => {
  const {
    separator,
    timestamp: timeName,
    signature: signatureName,
  } = layout.pairs ?? { separator: ",", signature: "" };
  // With semicolons between pairs, a comma is where a proxy has joined two headers.
  if (separator === ";" && value.includes(",")) refuse("header_repeated", twice(header));
  const texts: string[] = [];
  let timestamp: string | undefined;
  for (let from = 0; from <= value.length; ) {
    const found = value.indexOf(separator, from);
    const end = found < 0 ? value.length : found;
    while (value.charCodeAt(from) === 32) from++;
    const equals = value.indexOf("=", from);
    const name = equals < 0 || equals > end ? "" : value.slice(from, equals);
    if (name === signatureName) texts.push(value.slice(equals + 1, end).trimEnd());
    else if (name === timeName && name !== "") {
      if (timestamp !== undefined) refuse("header_repeated", twice(header));
      timestamp = value.slice(equals + 1, end).trimEnd();
    }
    from = end + 1;
  }
  if (texts.length === 0) refuse("signature_missing", `${header} has no ${signatureName}.`);
  const signatures = candidatesOf(texts, layout.encoding, header);
  if (timeName === undefined) return { signatures };
  return { signatures, timestamp: timestamp ?? refuse("header_malformed", `${header} has no ${timeName}.`) };
};

const readPlain = (value: string, header: string, { prefix = "", encoding }: SignatureLayout): readonly Candidate[] =>
  value.startsWith(prefix)
    ? candidatesOf([prefix === "" ? value : value.slice(prefix.length)], encoding, header)
    : refuse("signature_malformed", `${header} does not begin with ${prefix}`);

/** Reads the signatures of a message. @throws WebhookVerificationError `header_…`, `signature_…` */
export const readSignature = (headers: HeaderSource, layout: SignatureLayout): SignatureHeader => {
  const { header } = layout;
  if (typeof header === "string") {
    const value = getHeader(headers, header.toLowerCase());
    return layout.pairs === undefined
      ? { signatures: readPlain(value, header, layout) }
      : readPairs(value, header, layout);
  }
  const signatures = header.flatMap((name) => {
    const value = findHeader(headers, name.toLowerCase());
    return value === undefined ? [] : readPlain(value, name, layout);
  });
  if (signatures.length > 0) return { signatures };
  return refuse("header_missing", `None of ${header.join(", ")} is there.`);
};
