import type { Encoding } from "./encoding.ts";
import { refuse } from "./errors.ts";
import { getHeader, twice } from "./headers.ts";
import { candidatesOf, type ReadSignatures, type SignatureHeader, type SignatureLayout } from "./signature-header.ts";

type Pairs = NonNullable<SignatureLayout["pairs"]>;

/** A header made of pairs. */
export interface PairsLayout extends SignatureLayout {
  readonly pairs: Pairs;
}

const readPairs = (
  value: string,
  header: string,
  encoding: Encoding,
  { separator, timestamp: timeName, signature: signatureName }: Pairs,
): SignatureHeader => {
  // If no commas separate the pairs, one shows that a proxy has joined two headers.
  if (separator !== "," && value.includes(",")) twice(header);
  const texts: string[] = [];
  let timestamp: string | undefined;
  for (let from = 0; from <= value.length; ) {
    const next = value.indexOf(separator, from);
    const end = next < 0 ? value.length : next;
    while (value.charCodeAt(from) === 32) from++;
    const equals = value.indexOf("=", from);
    const name = equals < 0 || equals > end ? "" : value.slice(from, equals);
    if (name === signatureName) texts.push(value.slice(equals + 1, end).trimEnd());
    else if (name === timeName && name !== "") {
      if (timestamp !== undefined) twice(header);
      timestamp = value.slice(equals + 1, end).trimEnd();
    }
    from = end + 1;
  }
  if (texts.length === 0) refuse("signature_missing", `${header} has no ${signatureName}.`);
  const signatures = candidatesOf(texts, header, encoding);
  if (timeName === undefined) return { signatures };
  return { signatures, timestamp: timestamp ?? refuse("header_malformed", `${header} has no ${timeName}.`) };
};

/** Makes the reader of a header of pairs. */
export const pairsReader = ({ header, encoding, pairs }: PairsLayout): ReadSignatures => {
  const name = ([header].flat()[0] ?? "").toLowerCase();
  return (headers) => readPairs(getHeader(headers, name), name, encoding, pairs);
};
