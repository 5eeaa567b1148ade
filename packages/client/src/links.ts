export interface WebLink {
  readonly target: string;
  readonly rel: string;
}

/**
 * Reads the links of a `Link` header (RFC 8288) as Postern servers write it: no `>` in targets and
 * no comma in parameters.
 */
export const linksOf = (header: string | null): readonly WebLink[] =>
  [...(header ?? "").matchAll(/<([^>]*)>((?:;[^,<]*)*)/g)].map(([, target = "", parameters = ""]) => ({
    target,
    rel: /;\s*rel="?([^";]*)/.exec(parameters)?.[1] ?? "",
  }));
