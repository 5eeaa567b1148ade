import { z } from "zod";
import { hostOf } from "../runtime.ts";

const longest = 254;

/** What a URL would read as the end of a host, or as an escape: all of ASCII that no domain has. */
const noDomain = /[^A-Za-z0-9.\-\u0080-\u{10ffff}]/u;

/** A domain in the form of URLs; `undefined` for a text that is none, and for an IP address. */
const asciiDomain = (domain: string): string | undefined => {
  if (noDomain.test(domain)) return undefined;
  try {
    const host = hostOf(`http://${domain}`);
    return /^[\d.]+$/.test(host) ? undefined : host;
  } catch {
    return undefined;
  }
};

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
  const domain = trimmed.slice(at + 1);
  return `${lowerCase(trimmed.slice(0, at))}@${asciiDomain(domain) ?? lowerCase(domain)}`;
};

/** Some texts have the letters of a domain and are none, such as `xn--a.com`. */
const hasDomain = (text: string): boolean => {
  const domain = text.slice(text.lastIndexOf("@") + 1);
  return asciiDomain(domain) === domain;
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
  .check(z.email({ pattern: address }), ({ value, issues }) => {
    if (address.test(value) && !hasDomain(value))
      issues.push({ code: "invalid_format", format: "email", input: value });
  });
