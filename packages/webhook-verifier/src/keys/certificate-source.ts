import { refuse } from "../errors.ts";
import { URL } from "../runtime.ts";
import type { Fetch, KeySource } from "../scheme.ts";
import { type Certificate, checkChain, readCertificate } from "./certificate.ts";
import { invalidKey, type Key } from "./key.ts";
import { keyLookup } from "./key-lookup.ts";
import { fetchText, urlOn } from "./key-set.ts";
import { readPem } from "./pem.ts";

/** How to fetch and trust the signing certificates that messages point to. */
export interface CertificateOptions {
  /** Default: the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /**
   * Roots as PEM. With roots, the certificates at the URL must form a chain to one of them. Without
   * roots, the fetched certificate is trusted because it came over TLS from the sender's own host.
   */
  readonly roots?: readonly string[] | undefined;
  /** How long a certificate is used without fetching it again. Default: 86400. */
  readonly maxAgeSeconds?: number | undefined;
}

/** Certificates of a PEM text. @throws TypeError if one cannot be read. */
const certificatesOf = (pem: string): readonly Certificate[] =>
  readPem(pem)
    .filter(({ label }) => label === "CERTIFICATE")
    .map(({ der }) => readCertificate(der));

const rootsOf = (roots: readonly string[]): readonly Certificate[] => {
  try {
    const read = roots.flatMap((pem) => certificatesOf(pem));
    return read.length > 0 || roots.length === 0 ? read : invalidKey("its roots hold no certificate.");
  } catch (cause) {
    return invalidKey("a root certificate cannot be read.", cause);
  }
};

/** Decides which certificates belong to a sender. */
export interface CertificateRules {
  /**
   * Whether a certificate may be fetched from this address. It is called only with https URLs
   * without port, credentials, query or fragment.
   */
  readonly isAddress: (host: string, path: string) => boolean;
  /**
   * Whether a certificate with this name (the subject's common name or a DNS name) is the sender's.
   */
  readonly isName: (name: string) => boolean;
}

/**
 * A certificate's URL, if `isAddress` accepts it and it is written in the one way in which senders
 * write it: https, the default port, no credentials, no query, no fragment, and nothing that
 * parsing would change. `undefined` for everything else.
 */
export const certificateUrl = (text: string, isAddress: CertificateRules["isAddress"]): string | undefined => {
  const plain = urlOn(text, () => true);
  if (plain !== text) return undefined;
  const { hostname, pathname, origin } = new URL(plain);
  return plain === origin + pathname && isAddress(hostname, pathname) ? plain : undefined;
};

/**
 * Certificates by the URL that messages name. The leaf must be valid now and have a name that
 * `isName` accepts. If roots are given, the chain must reach one. Fetches are limited like look-ups
 * by `keyLookup`: forged messages cause at most ten a minute, and the answer to each URL, good or
 * bad, is kept.
 */
export const certificateSource = (
  rules: CertificateRules,
  { fetch, roots = [], maxAgeSeconds }: CertificateOptions = {},
): KeySource => {
  const trusted = rootsOf(roots);
  const read = (pem: string): readonly Certificate[] => {
    try {
      return certificatesOf(pem);
    } catch (cause) {
      return refuse("certificate_invalid", "The sender's certificate cannot be read.", cause);
    }
  };
  const source = keyLookup(
    async (url, now): Promise<Key | undefined> => {
      const chain = read(await fetchText(url, fetch));
      const [leaf] = chain;
      if (leaf === undefined) return refuse("certificate_invalid", "The sender's answer holds no certificate.");
      await checkChain(chain, trusted.length > 0 ? trusted : chain.slice(-1), now);
      if (![leaf.commonName ?? "", ...leaf.dnsNames].some(rules.isName))
        refuse("certificate_invalid", "The certificate belongs to another sender.");
      return { key: leaf.spki, notBefore: leaf.notBefore, notAfter: leaf.notAfter };
    },
    { maxAgeSeconds },
  );
  return {
    // Other addresses are refused here, so that they use up no look-ups.
    find: (url, at) =>
      url === undefined || certificateUrl(url, rules.isAddress) !== undefined
        ? source.find(url, at)
        : refuse("key_url_refused", "The message names a certificate address that is not the sender's."),
  };
};
