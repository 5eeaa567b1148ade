import { AppError, type Ports } from "@postern/core";
import { utf8Decode } from "@postern/core/internal";
import type { ForeignJwk, OutboundRequest } from "@postern/core/ports";
import { isIssuer, type NamedIssuer, originOf, settingName } from "./outside-issuer.ts";

/** Bounds of an issuer's answers: the largest issuers have some ten keys, in 20 KiB. */
const timeoutMs = 5_000;
const mostDocumentBytes = 64 * 1024;
const mostSetBytes = 256 * 1024;
const mostKeys = 100;

/** What is needed to read the keys of an issuer. */
export type KeyReading = Pick<Ports, "fetcher" | "jwtVerifier">;

const unusable = (detail: string, cause?: unknown): AppError => new AppError("upstream_unreachable", { detail, cause });

type Json = Readonly<Record<string, unknown>>;

/** @throws AppError `upstream_unreachable`, `upstream_timeout`. */
const readObject = async (
  { fetcher }: Pick<KeyReading, "fetcher">,
  asked: Pick<OutboundRequest, "url" | "allowPrivate" | "timeoutMs" | "maxResponseBytes">,
): Promise<Json> => {
  const headers = { accept: "application/json" };
  const { url, maxResponseBytes } = asked;
  const answer = await fetcher.fetch({ ...asked, method: "GET", headers });
  if (answer.status !== 200) throw unusable(`${url} answers ${answer.status} in place of 200.`);
  try {
    const value: unknown = JSON.parse(utf8Decode(answer.body));
    if (typeof value === "object" && value !== null) return { ...value };
  } catch (cause) {
    throw unusable(`${url} does not answer with JSON of at most ${maxResponseBytes} bytes.`, cause);
  }
  throw unusable(`${url} does not answer with a JSON object.`);
};

/**
 * The URL of the key set under which this server reaches it: where the issuer has another address
 * here, what is below its public URL, or on its public host, is below or on the other one.
 */
const reached = (url: string, issuer: string, base: string): string => {
  const publicBase = issuer.replace(/\/$/, "");
  if (url.startsWith(`${publicBase}/`)) return base + url.slice(publicBase.length);
  const [own = "", other = ""] = [publicBase, base].map((one) => /^\w+:\/\/[^/]+/.exec(one)?.[0]);
  return url.startsWith(`${own}/`) ? other + url.slice(own.length) : url;
};

/**
 * The keys that an issuer publishes now, by OpenID Connect Discovery 1.0. Its own host may have a
 * private address, because the operator named it, and so may the host of `internalUrl`. Another host
 * that its document names may not.
 * @throws AppError `upstream_unreachable`, `upstream_timeout`; the message says what is wrong.
 */
export const readPublishedKeys = async (
  ports: KeyReading,
  outside: Pick<NamedIssuer, "issuer" | "internalUrl" | "nameOf">,
): Promise<readonly ForeignJwk[]> => {
  const { issuer, internalUrl = issuer } = outside;
  const base = internalUrl.replace(/\/$/, "");
  const home = originOf(base);
  if (home === undefined || !isIssuer(issuer)) throw unusable(`${issuer} is not the URL of an issuer.`);
  const place = `${base}/.well-known/openid-configuration`;
  const found = await readObject(ports, {
    url: place,
    allowPrivate: true,
    timeoutMs,
    maxResponseBytes: mostDocumentBytes,
  });
  // Section 4.3: a document of another issuer would make us accept the keys of that issuer.
  if (found.issuer !== issuer && found.issuer !== internalUrl) {
    throw unusable(
      `${place} is about the issuer ${JSON.stringify(found.issuer)?.slice(0, 300)}, not ${issuer}. ${settingName(outside, "issuer")} must be as the issuer names itself; if this server reaches it by another address, that is ${settingName(outside, "internalUrl")}.`,
    );
  }
  const url = typeof found.jwks_uri === "string" ? reached(found.jwks_uri, issuer, base) : "";
  const origin = originOf(url);
  if (origin === undefined || (origin.scheme !== "https" && home.scheme === "https")) {
    throw unusable(`${place} names no https URL as its jwks_uri.`);
  }
  const { keys } = await readObject(ports, {
    url,
    allowPrivate: origin.host === home.host,
    timeoutMs,
    maxResponseBytes: mostSetBytes,
  });
  if (!Array.isArray(keys)) throw unusable(`${url} is not a JSON Web Key Set.`);
  return keys
    .filter((key): key is ForeignJwk => typeof key === "object" && key !== null && ports.jwtVerifier.isUsable(key))
    .slice(0, mostKeys);
};
