import { refuse } from "../errors.ts";
import type { Fetch, KeySource } from "../scheme.ts";
import { type Certificate, checkChain, readCertificate } from "./certificate.ts";
import { invalidKey, type Key } from "./key.ts";
import { keyLookup } from "./key-lookup.ts";
import { fetchText, urlOn } from "./key-set.ts";
import { readPem } from "./pem.ts";

/** How signing certificates that a message points to are fetched and trusted. */
export interface CertificateOptions {
  /** The platform's `fetch` unless given. */
  readonly fetch?: Fetch | undefined;
  /**
   * Roots as PEM. With them the certificates at the URL must form a chain to one of these; without them the fetched
   * certificate is trusted because it came over TLS from the sender's own host.
   */
  readonly roots?: readonly string[] | undefined;
  /** How long a certificate is used without fetching it again; 86400 unless given. */
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

/**
 * Certificates by the URL that messages name. The host must pass `isHost`, the leaf must be valid now and carry a name that
 * passes `isName`, and the chain must reach a root where roots are given.
 */
export const certificateSource = (
  rules: { readonly isHost: (host: string) => boolean; readonly isName: (name: string) => boolean },
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
  let now = 0;
  const source = keyLookup(
    async (url): Promise<Key | undefined> => {
      const address =
        urlOn(url, rules.isHost) ??
        refuse("key_url_refused", "The message names a certificate address that is not the sender's.");
      const chain = read(await fetchText(address, fetch));
      const [leaf] = chain;
      if (leaf === undefined) return refuse("certificate_invalid", "The sender's answer holds no certificate.");
      await checkChain(chain, trusted.length > 0 ? trusted : chain.slice(-1), now);
      if (![leaf.commonName ?? "", ...leaf.dnsNames].some(rules.isName))
        refuse("certificate_invalid", "The certificate belongs to somebody else.");
      return { key: leaf.spki, notBefore: leaf.notBefore, notAfter: leaf.notAfter };
    },
    maxAgeSeconds === undefined ? {} : { maxAgeSeconds },
  );
  return {
    find: (keyId, at) => {
      now = at;
      return source.find(keyId, at);
    },
  };
};
