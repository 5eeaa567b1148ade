import { equal, textOf } from "#platform";
import { WebhookVerificationError } from "../errors.ts";
import { encodeHex } from "../hex.ts";
import type { Algorithm } from "../platform/contract.ts";

import { type Der, expectDer, oidOf, readAll, readDer } from "./der.ts";
import * as tags from "./der-tags.ts";
import { ecdsaDer } from "./ecdsa-der.ts";
import { ed25519Public } from "./ed25519.ts";
import { rsa } from "./rsa.ts";
import { fromSpki, type KeyParts } from "./spki.ts";

/** The parts of an X.509 certificate (RFC 5280) that are read. */
export interface Certificate {
  readonly der: Uint8Array;
  readonly spki: Uint8Array;
  /** Names as they are written, compared byte by byte. */
  readonly issuer: string;
  readonly subject: string;
  /** The subject's last common name. */
  readonly commonName: string | undefined;
  /** DNS names of the subject. */
  readonly dnsNames: readonly string[];
  /** Epoch milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Whether it may issue certificates. */
  readonly isAuthority: boolean;
  /** Object identifiers of its extensions, as hex of their encoded bodies. */
  readonly extensions: ReadonlySet<string>;
  readonly tbs: Uint8Array;
  readonly signatureOid: string;
  readonly signature: Uint8Array;
}

const oids = { commonName: "550403", basicConstraints: "551d13", keyUsage: "551d0f", altName: "551d11" } as const;

/** UTCTime (two-digit years from 1950) or GeneralizedTime, both in seconds and UTC. */
const timeOf = ({ tag, body }: Der): number => {
  const text = textOf(body) ?? "";
  const full = tag === 0x17 ? `${Number(text.slice(0, 2)) < 50 ? "20" : "19"}${text}` : text;
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full);
  if (match === null || (tag !== 0x17 && tag !== 0x18)) throw new TypeError("not a time");
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
};

const commonNameOf = (subject: Uint8Array): string | undefined =>
  readAll(subject)
    .flatMap(({ body }) => readAll(body))
    .map(({ body }) => readAll(body))
    .filter((parts) => oidOf(expectDer(parts, 0, tags.oid)) === oids.commonName)
    .map((parts) => textOf(parts[1]?.body ?? new Uint8Array()))
    .at(-1);

/** Extensions by identifier, the bodies of their OCTET STRINGs as values. */
const extensionsOf = (list: Der | undefined): ReadonlyMap<string, Uint8Array> => {
  const found = new Map<string, Uint8Array>();
  if (list === undefined) return found;
  for (const { body } of readAll(readDer(list.body).body)) {
    const parts = readAll(body);
    found.set(oidOf(expectDer(parts, 0, tags.oid)), expectDer(parts, parts.length - 1, tags.octets).body);
  }
  return found;
};

/** Whether basic constraints say CA and key usage, if present, says keyCertSign (bit 5). */
const isAuthority = (extensions: ReadonlyMap<string, Uint8Array>): boolean => {
  const constraints = extensions.get(oids.basicConstraints);
  const usage = extensions.get(oids.keyUsage);
  const ca = constraints === undefined ? undefined : readAll(readDer(constraints).body)[0];
  const signs = usage === undefined || ((readDer(usage).body[1] ?? 0) & 0x04) !== 0;
  return ca?.tag === 0x01 && ca.body[0] === 0xff && signs;
};

const dnsNamesOf = (extensions: ReadonlyMap<string, Uint8Array>): readonly string[] => {
  const names = extensions.get(oids.altName);
  if (names === undefined) return [];
  return readAll(readDer(names).body).flatMap(({ tag, body }) => (tag === 0x82 ? (textOf(body) ?? []) : []));
};

/** Reads a certificate in DER; bytes after it are refused. @throws TypeError */
export const readCertificate = (der: Uint8Array): Certificate => {
  const outer = readDer(der);
  if (outer.whole.length !== der.length) throw new TypeError("more than a certificate");
  const [tbs, algorithm, signature] = readAll(outer.body);
  if (tbs === undefined || algorithm === undefined || signature?.tag !== tags.bits)
    throw new TypeError("not a certificate");
  const all = readAll(tbs.body);
  // The version is optional and stands first, as [0].
  const fields = all[0]?.tag === 0xa0 ? all.slice(1) : all;
  const [notBefore, notAfter] = readAll(expectDer(fields, 3, tags.sequence).body);
  if (notBefore === undefined || notAfter === undefined) throw new TypeError("no validity");
  const inner = expectDer(fields, 1, tags.sequence);
  if (encodeHex(inner.whole) !== encodeHex(algorithm.whole)) throw new TypeError("two signature algorithms");
  const extensions = extensionsOf(fields.find(({ tag }) => tag === 0xa3));
  const subject = expectDer(fields, 4, tags.sequence);
  return {
    der,
    spki: expectDer(fields, 5, tags.sequence).whole,
    issuer: encodeHex(expectDer(fields, 2, tags.sequence).whole),
    subject: encodeHex(subject.whole),
    commonName: commonNameOf(subject.body),
    dnsNames: dnsNamesOf(extensions),
    notBefore: timeOf(notBefore),
    notAfter: timeOf(notAfter),
    isAuthority: isAuthority(extensions),
    extensions: new Set(extensions.keys()),
    tbs: tbs.whole,
    signatureOid: oidOf(expectDer(readAll(algorithm.body), 0, tags.oid)),
    signature: signature.body.subarray(1),
  };
};

/** Signature algorithms of certificates. The curve of ECDSA is that of the issuer's key. */
const signatureAlgorithms: Readonly<Record<string, readonly Algorithm[]>> = {
  "2a864886f70d01010b": ["rsa-sha256"],
  "2a864886f70d01010c": ["rsa-sha384"],
  "2a864886f70d01010d": ["rsa-sha512"],
  "2a8648ce3d040302": ["ecdsa-p256-sha256-der", "ecdsa-p384-sha256-der"],
  "2a8648ce3d040303": ["ecdsa-p256-sha384-der", "ecdsa-p384-sha384-der"],
  "2b6570": ["ed25519"],
};

const broken = (why: string, cause?: unknown): never => {
  throw new WebhookVerificationError("certificate_invalid", `The certificate chain does not hold: ${why}`, { cause });
};

/** Certificates may hold keys of every kind. */
const everyKind: KeyParts = { ed25519: ed25519Public, rsa, der: ecdsaDer };

/**
 * Whether `issuer` signed `certificate`. The issuer's key must be of a kind in `keys`. @throws
 * WebhookVerificationError or WebhookConfigError if that cannot be checked.
 */
export const isSignedBy = async (certificate: Certificate, issuer: Certificate, keys: KeyParts): Promise<boolean> => {
  const algorithms = signatureAlgorithms[certificate.signatureOid];
  if (algorithms === undefined) return broken("it is signed with an algorithm that is not trusted.");
  return fromSpki(issuer.spki, algorithms, keys).holds([{ bytes: certificate.signature }], [certificate.tbs]);
};

/**
 * Checks a chain, leaf first. Every certificate must be valid at `at` and signed by the next one.
 * The last one must be a root of `roots` or signed by one. Every issuer must be allowed to issue. A
 * chain has at most five.
 * @throws WebhookVerificationError `certificate_invalid`
 */
export const checkChain = async (
  chain: readonly Certificate[],
  roots: readonly Certificate[],
  at: number,
): Promise<void> => {
  if (chain.length === 0 || chain.length > 5) broken(`it has ${chain.length} certificates.`);
  for (const { notBefore, notAfter } of chain)
    if (at < notBefore || at > notAfter) broken("a certificate is expired or not yet valid.");
  for (const [index, certificate] of chain.entries()) {
    const pinned = roots.some(({ der }) => equal(der, certificate.der));
    if (pinned) return;
    const issuer = chain[index + 1] ?? roots.find(({ subject }) => subject === certificate.issuer);
    if (issuer === undefined) return broken("it does not end at a root you trust.");
    if (issuer.subject !== certificate.issuer || !issuer.isAuthority)
      broken("a certificate was issued by one that may not issue it.");
    if (at < issuer.notBefore || at > issuer.notAfter) broken("the root is expired or not yet valid.");
    let signed = false;
    try {
      signed = await isSignedBy(certificate, issuer, everyKind);
    } catch (cause) {
      broken("a signature in it cannot be checked.", cause);
    }
    if (!signed) broken("a signature in it is wrong.");
    // An issuer taken from the roots ends the chain.
    if (index === chain.length - 1) return;
  }
};
