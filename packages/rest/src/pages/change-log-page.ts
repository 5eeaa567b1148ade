import type { ChangeLogEntry } from "../changelog/change-log-entry.ts";
import type { ProductInForce } from "../product.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { atomFeed } from "./atom.ts";
import { escapeHtml, inline, pageOf } from "./html.ts";

/** `post.content → post.body` */
const whatOf = ({ from, to, target }: ChangeLogEntry): string => {
  const parts = [from, to].filter((part) => part !== null);
  return parts.length === 2 && target.type === "field" ? parts.join(" → ") : target.name;
};

const article = (entry: ChangeLogEntry): string => `<article class="entry" id="${escapeHtml(entry.id)}">
<h3>${inline(entry.title)}</h3>
<p class="facts"><span class="badge kind-${entry.kind}">${entry.kind}</span>${
  entry.breaking ? '<span class="badge breaking">breaking</span>' : ""
}<code>${escapeHtml(whatOf(entry))}</code><time datetime="${entry.date}">${entry.date}</time></p>
<p>${inline(entry.description)}</p>
<p><strong>To move on:</strong> ${inline(entry.migration)}</p>
${
  entry.target.operations.length === 0
    ? ""
    : `<p class="operations">Concerns ${entry.target.operations
        .map((id) => `<a href="/api/${entry.api_version}/docs#${escapeHtml(id)}"><code>${escapeHtml(id)}</code></a>`)
        .join(", ")}.</p>`
}${entry.deprecation_id === null ? "" : `<p><a href="/api/deprecations/${escapeHtml(entry.deprecation_id)}">When it goes away</a></p>`}
</article>`;

/** The entries of each version, newest version first. */
const byVersion = (entries: readonly ChangeLogEntry[]) =>
  [...new Set(entries.map(({ api_version }) => api_version))]
    .toSorted()
    .toReversed()
    .map((version) => ({ version, entries: entries.filter(({ api_version }) => api_version === version) }));

export const changeLogPage = (
  product: ProductInForce,
  entries: readonly ChangeLogEntry[],
  versions: readonly ApiVersion[],
): string =>
  pageOf({
    product,
    title: "Change log of the API",
    current: "changelog",
    versions,
    feed: "/api/changelog?format=atom",
    main: `<h1>Change log</h1>
<p>What changed for programs that use the API. Also as <a href="/api/changelog?format=json">JSON</a>,
<a href="/api/changelog?format=markdown">Markdown</a> and <a href="/api/changelog?format=atom">feed</a>; <code>?version=</code>, <code>?kind=</code>,
<code>?breaking=</code> and <code>?since=</code> narrow it.</p>
${byVersion(entries)
  .map(
    (one) => `<section><h2 id="${one.version}">${one.version}</h2>\n${one.entries.map(article).join("\n")}\n</section>`,
  )
  .join("\n")}
${entries.length === 0 ? "<p>Nothing that fits.</p>" : ""}`,
  });

export const changeLogFeed = (product: ProductInForce, entries: readonly ChangeLogEntry[]): string =>
  atomFeed({
    product,
    name: "changelog",
    title: "Change log of the API",
    entries: entries.map((entry) => ({
      id: entry.id,
      title: `${entry.api_version}: ${entry.title} (${whatOf(entry)})`,
      day: entry.date,
      link: `/api/changelog?format=html#${entry.id}`,
      text: `${entry.description} ${entry.migration}`,
    })),
  });

export const changeLogMarkdown = (entries: readonly ChangeLogEntry[]): string => {
  const lines = byVersion(entries).flatMap((one) => [
    `## ${one.version}`,
    "",
    ...one.entries.flatMap((entry) => [
      `- **${entry.kind}${entry.breaking ? ", breaking" : ""}** \`${whatOf(entry)}\` (${entry.date}): ${entry.title}.`,
      `  ${entry.description} ${entry.migration}`,
    ]),
    "",
  ]);
  return ["# Change log of the API", "", ...lines].join("\n");
};
