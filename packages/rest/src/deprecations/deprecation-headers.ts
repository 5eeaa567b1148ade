import type { RequestFacts } from "../operations/operation.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { type Deprecation, startOf } from "./deprecation.ts";

export const pageOfDeprecation = (id: string): string => `/api/deprecations/${id}`;

type Place = Pick<RequestFacts, "base" | "target" | "version">;

/** What comes before `/api` in the paths of a request: the mount path and the base path. */
const rootOf = ({ base, version }: Place): string => {
  const api = base.endsWith(`/${version.id}`) ? base.slice(0, -version.id.length - 1) : base;
  return api.slice(0, -"/api".length);
};

/**
 * The path, below the root, of the same thing in the version that replaces this one; only for a
 * version, or for an operation whose path stays the same.
 */
const successorOf = (
  { target, replacement }: Deprecation,
  versions: readonly ApiVersion[],
  facts: Place,
): string | undefined => {
  if ("resource" in target || "parameter" in target) return undefined;
  const [path = ""] = facts.target.split("?", 1);
  const inner = path.slice(facts.base.length);
  const next = versions.find(({ id }) => id === replacement.version);
  if (next === undefined || next.id === facts.version.id) return undefined;
  if (!("operation" in target)) return `/api/${next.id}${inner}`;
  const current = versions.find(({ id }) => id === facts.version.id);
  const here = current?.operations.find(({ id }) => id === target.operation)?.path;
  const there = next.operations.find(({ id }) => id === (replacement.operation ?? target.operation))?.path;
  return here !== undefined && here === there ? `/api/${next.id}${inner}` : undefined;
};

/**
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and links for everything deprecated that a request
 * uses, at least one thing. If there are several dates, the headers have the earliest. Each entry has its own links.
 */
export const deprecationHeaders = (
  used: readonly Deprecation[],
  versions: readonly ApiVersion[],
  facts: Place,
  link: string | undefined,
): Readonly<Record<string, string>> => {
  const deprecated = Math.min(...used.map((one) => startOf(one.deprecated)));
  const sunset = Math.min(...used.map((one) => startOf(one.sunset)));
  const root = rootOf(facts);
  const links = used.flatMap((one) => {
    const page = root + pageOfDeprecation(one.id);
    const successor = successorOf(one, versions, facts);
    return [
      `<${page}>; rel="deprecation"; type="text/html"`,
      `<${page}>; rel="sunset"; type="text/html"`,
      ...(successor === undefined ? [] : [`<${root}${successor}>; rel="successor-version"`]),
    ];
  });
  return {
    deprecation: `@${deprecated / 1000}`,
    sunset: new Date(sunset).toUTCString(),
    link: [...(link === undefined ? [] : [link]), ...links].join(", "),
  };
};
