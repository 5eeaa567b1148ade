export interface WebLink {
  readonly target: string;
  readonly rel: string;
}

/** The links of a `Link` header (RFC 8288), as servers of Postern write it: targets hold no `>` and parameters no comma. */
export const linksOf = (header: string | null): readonly WebLink[] =>
  [...(header ?? "").matchAll(/<([^>]*)>((?:;[^,<]*)*)/g)].map(([, target = "", parameters = ""]) => ({
    target,
    rel: /;\s*rel="?([^";]*)/.exec(parameters)?.[1] ?? "",
  }));
