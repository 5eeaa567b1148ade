import type { ProductInForce } from "../product.ts";
import { escapeHtml } from "./html.ts";

export interface FeedEntry {
  readonly id: string;
  readonly title: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly link: string;
  readonly text: string;
}

const momentOf = (day: string): string => `${day}T00:00:00Z`;

/**
 * An Atom feed (RFC 4287). Its ids are not addresses, so they stay the same wherever the server
 * runs.
 */
export const atomFeed = (feed: {
  readonly product: Pick<ProductInForce, "title" | "tag">;
  readonly name: string;
  readonly title: string;
  readonly entries: readonly FeedEntry[];
}): string => {
  const updated =
    feed.entries
      .map(({ day }) => day)
      .toSorted()
      .at(-1) ?? "1970-01-01";
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>tag:${feed.product.tag},2026:${feed.name}</id>
<title>${escapeHtml(feed.title)}</title>
<updated>${momentOf(updated)}</updated>
<author><name>${escapeHtml(feed.product.title)}</name></author>
<link rel="self" href="/api/${feed.name}?format=atom"/>
<link rel="alternate" type="text/html" href="/api/${feed.name}?format=html"/>
${feed.entries
  .map(
    (entry) => `<entry>
<id>tag:${feed.product.tag},2026:${feed.name}:${escapeHtml(entry.id)}</id>
<title>${escapeHtml(entry.title)}</title>
<updated>${momentOf(entry.day)}</updated>
<link rel="alternate" type="text/html" href="${escapeHtml(entry.link)}"/>
<content type="text">${escapeHtml(entry.text)}</content>
</entry>`,
  )
  .join("\n")}
</feed>
`;
};
