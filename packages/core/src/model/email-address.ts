import { z } from "zod";
import { asciiDomain } from "./punycode.ts";

const longest = 254;

/**
 * The one form in which an address is stored and compared: without spaces around it, which a
 * browser's suggestions add, in lower case, and with an ASCII domain. For any text; a text that is
 * no address stays none.
 */
export const canonicalAddress = (text: string): string => {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf("@");
  // A text that is too long is refused, so nothing is done with it.
  if (at < 0 || trimmed.length > longest) return lowerCase(trimmed);
  return `${lowerCase(trimmed.slice(0, at))}@${asciiDomain(trimmed.slice(at + 1))}`;
};

/** Only ASCII letters, because some others have an ASCII letter as their lower case. */
const lowerCase = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The dot-atom of RFC 5322, section 3.2.3, in ASCII, at a domain of two labels or more. */
const address =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;

/** The same as a pattern of JSON Schema. */
export const emailPattern: string = address.source;

/** An email address (RFC 5321), which becomes canonical. */
export const emailAddress = z
  .string()
  .overwrite(canonicalAddress)
  .max(longest)
  .check(z.email({ pattern: address }));
