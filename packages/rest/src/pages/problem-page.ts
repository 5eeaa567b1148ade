import type { ErrorFacts } from "@postern/core/internal";
import type { ProductInForce } from "../product.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { escapeHtml, inline, pageOf } from "./html.ts";

/** An error code as a page: what happened, why, and how to fix it. It needs no script. */
export const problemPage = (
  product: ProductInForce,
  code: string,
  { status, title, why, mend }: ErrorFacts,
  versions: readonly Pick<ApiVersion, "id">[],
): string =>
  pageOf({
    product,
    title: `${title} (${code})`,
    versions,
    script: false,
    main: `<h1>${escapeHtml(title)}</h1>
<p class="facts"><span class="badge">${status}</span><code>${escapeHtml(code)}</code></p>
<h2>Why</h2>
<p>${inline(why)}</p>
<h2>How to mend it</h2>
<p>${inline(mend)}</p>
<p class="lead">The answer that you got says more: <code>detail</code> says what was wrong with your request, <code>errors</code> where, and
<code>request_id</code> finds the request in the server's log. Let programs read <code>code</code>: it never changes.
Also as <a href="?format=json">JSON</a> and <a href="?format=markdown">Markdown</a>.</p>`,
  });

/** The same as Markdown. */
export const problemMarkdown = (code: string, { status, title, why, mend }: ErrorFacts): string =>
  `# ${title}\n\n\`${code}\`, status ${status}\n\n## Why\n\n${why}\n\n## How to mend it\n\n${mend}\n`;
