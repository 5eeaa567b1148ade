import type { RequestFacts } from "../operations/operation.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { type Deprecation, startOf } from "./deprecation.ts";

export const pageOfDeprecation = (id: string): string => `/api/deprecations/${id}`;

/** The same thing in the version that takes this one's place, where a version or an operation of the same path goes away. */
const successorOf = (
  { target, replacement }: Deprecation,
  versions: readonly ApiVersion[],
  facts: Pick<RequestFacts, "base" | "target" | "version">,
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
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and links for what a request uses that will go away. Of several dates the earliest counts; every
 * one has its links.
 */
export const deprecationHeaders = (
  used: readonly Deprecation[],
  versions: readonly ApiVersion[],
  facts: Pick<RequestFacts, "base" | "target" | "version">,
  link: string | undefined,
): Readonly<Record<string, string>> => {
  if (used.length === 0) return {};
  const deprecated = Math.min(...used.map((one) => startOf(one.deprecated)));
  const sunset = Math.min(...used.map((one) => startOf(one.sunset)));
  const links = used.flatMap((one) => {
    const page = pageOfDeprecation(one.id);
    const successor = successorOf(one, versions, facts);
    return [
      `<${page}>; rel="deprecation"; type="text/html"`,
      `<${page}>; rel="sunset"; type="text/html"`,
      ...(successor === undefined ? [] : [`<${successor}>; rel="successor-version"`]),
    ];
  });
  return {
    deprecation: `@${deprecated / 1000}`,
    sunset: new Date(sunset).toUTCString(),
    link: [...(link === undefined ? [] : [link]), ...links].join(", "),
  };
};
