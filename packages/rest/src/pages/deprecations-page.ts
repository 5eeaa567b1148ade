import { type Deprecation, replacementText, stateOf, targetText } from "../deprecations/deprecation.ts";
import { pageOfDeprecation } from "../deprecations/deprecation-headers.ts";
import type { ProductInForce } from "../product.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { atomFeed } from "./atom.ts";
import { escapeHtml, inline, pageOf } from "./html.ts";

const facts = (deprecation: Deprecation, now: number): string => `<dl class="facts">
<dt>State</dt><dd><span class="badge state-${stateOf(deprecation, now)}">${stateOf(deprecation, now)}</span></dd>
<dt>Instead</dt><dd><code>${escapeHtml(replacementText(deprecation))}</code></dd>
<dt>Announced</dt><dd><time datetime="${deprecation.announced}">${deprecation.announced}</time></dd>
<dt>Deprecated</dt><dd><time datetime="${deprecation.deprecated}">${deprecation.deprecated}</time></dd>
<dt>Sunset</dt><dd><time datetime="${deprecation.sunset}">${deprecation.sunset}</time></dd>
${(deprecation.brownOuts ?? []).map(({ from, to }) => `<dt>Switched off</dt><dd>${escapeHtml(from)} to ${escapeHtml(to)}</dd>`).join("\n")}
</dl>
<p>${inline(deprecation.reason)}</p>
<p><strong>To move on:</strong> ${inline(deprecation.migration)}</p>`;

export const deprecationsPage = (
  product: ProductInForce,
  entries: readonly Deprecation[],
  versions: readonly ApiVersion[],
  now: number,
): string =>
  pageOf({
    product,
    title: "Deprecations of the API",
    current: "deprecations",
    versions,
    feed: "/api/deprecations?format=atom",
    main: `<h1>Deprecations</h1>
<p>What will go away, and when. Answers to requests that use any of it say so in <code>Deprecation</code>, <code>Sunset</code> and <code>Link</code>. Also as
<a href="/api/deprecations?format=json">JSON</a> and <a href="/api/deprecations?format=atom">feed</a>.</p>
${entries
  .map(
    (entry) =>
      `<article class="entry"><h2 id="${entry.id}"><a href="${pageOfDeprecation(entry.id)}"><code>${escapeHtml(targetText(entry.target))}</code></a></h2>\n${facts(entry, now)}</article>`,
  )
  .join("\n")}
${entries.length === 0 ? "<p>Nothing that fits.</p>" : ""}`,
  });

export const deprecationPage = (
  product: ProductInForce,
  entry: Deprecation,
  versions: readonly ApiVersion[],
  now: number,
): string =>
  pageOf({
    product,
    title: `${targetText(entry.target)} is deprecated`,
    versions,
    main: `<h1><code>${escapeHtml(targetText(entry.target))}</code></h1>\n${facts(entry, now)}\n<p><a href="/api/deprecations?format=html">All deprecations</a></p>`,
  });

export const deprecationsFeed = (product: ProductInForce, entries: readonly Deprecation[]): string =>
  atomFeed({
    product,
    name: "deprecations",
    title: "Deprecations of the API",
    entries: entries.map((entry) => ({
      id: entry.id,
      title: `${targetText(entry.target)} goes away after ${entry.sunset}`,
      day: entry.announced,
      link: pageOfDeprecation(entry.id),
      text: `${entry.reason} ${entry.migration}`,
    })),
  });
