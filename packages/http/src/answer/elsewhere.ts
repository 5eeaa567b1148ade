import { AppError } from "@postern/core";
import { versionOf } from "@postern/rest";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { allMethods, answerOptions, answerRead, nothingThere } from "../head/methods.ts";
import type { Answer } from "../http-app.ts";
import { answerRooted, rootedWellKnown } from "./answer-rooted.ts";

const catalogPath = "/.well-known/api-catalog";
const securityPath = "/.well-known/security.txt";

/**
 * Readers of security.txt ask again after this time (RFC 9116, section 2.5.5, wants less than a
 * year).
 */
const securityExpiresMs = 90 * 24 * 3_600_000;

/**
 * Answers the well-known paths of a server (RFC 8615), which stand at its root whatever the base
 * path is; `undefined` for any other path. @throws AppError `method_not_allowed`.
 */
const answerWellKnown = (parts: GatewayParts, exchange: Exchange): Promise<Answer> | undefined => {
  const { fullPath } = exchange;
  const isSecurity = fullPath === securityPath && parts.settings.securityContacts.length > 0;
  if (fullPath !== catalogPath && !isSecurity) return undefined;
  exchange.route = fullPath;
  return answerRead(exchange.request.method, () => (isSecurity ? securityOf(parts) : catalogOf(parts)));
};

/**
 * The versions of the API as a set of links (RFC 9727, RFC 9264). They are relative unless
 * `publicUrl` is set.
 */
const catalogOf = ({ app, settings: { publicOrigin = "", basePath } }: GatewayParts): Answer => {
  const root = publicOrigin + basePath;
  const link = (path: string, type: string) => [{ href: root + path, type }];
  const linkset = [
    {
      anchor: publicOrigin + catalogPath,
      item: app.versions.map(({ id }) => ({ href: `${root}/api/${id}` })),
    },
    ...app.versions.map(({ id }) => ({
      anchor: `${root}/api/${id}`,
      "service-desc": link(`/api/${id}/openapi.json`, "application/json"),
      "service-doc": link(`/api/${id}/docs`, "text/html"),
      "service-meta": link(`/api/changelog?version=${id}`, "application/json"),
      status: link("/health/ready", "application/json"),
    })),
  ];
  return {
    status: 200,
    headers: {
      "content-type": 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      link: `<${publicOrigin}${catalogPath}>; rel="api-catalog"`,
    },
    body: { linkset },
  };
};

/** The contacts for reports of weaknesses (RFC 9116). */
const securityOf = ({ settings: { securityContacts, publicOrigin } }: GatewayParts): Answer => {
  const expires = new Date(Date.now() + securityExpiresMs).toISOString();
  const lines = [
    ...securityContacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires}`,
    ...(publicOrigin === undefined ? [] : [`Canonical: ${publicOrigin}${securityPath}`]),
  ];
  return { status: 200, text: lines.map((line) => `${line}\n`).join("") };
};

const versionSegment = /^\/api\/(v\d+)(?=\/|$)/;

/**
 * The answer to a path that has no endpoint.
 * @throws AppError `unknown_version`, `route_not_found`, `method_not_allowed`.
 */
export const answerElsewhere = async (parts: GatewayParts, exchange: Exchange): Promise<Answer> => {
  const { path, fullPath, request } = exchange;
  const segment = versionSegment.exec(path ?? "")?.[1];
  if (segment !== undefined) exchange.version = versionOf(parts.app.versions, segment);
  const rooted = rootedWellKnown(parts, exchange);
  if (rooted !== undefined) return answerRooted(parts, exchange, rooted);
  const wellKnown = answerWellKnown(parts, exchange);
  if (wellKnown !== undefined) return wellKnown;
  // RFC 9110, section 9.3.7: a question about the server as a whole.
  if (fullPath === "*" && request.method === "OPTIONS") return answerOptions([allMethods]);
  const named = /^(.*\/webhooks\/[^/]+)\/+$/.exec(fullPath)?.[1];
  if (named === undefined) throw nothingThere();
  throw new AppError("route_not_found", {
    detail: `There is nothing at this path, which ends in a slash too many; send to ${named}.`,
  });
};
