import type { Part, PlacedOperation } from "../openapi/document-parts.ts";
import { escapeHtml, inline } from "./html.ts";

/** The operations with a tag, in the order of the document. */
export const inTag = (operations: readonly PlacedOperation[], tag: unknown): readonly PlacedOperation[] =>
  operations.filter(({ operation }) => Array.isArray(operation.tags) && operation.tags.includes(tag));

/** The beginning of a summary, which is enough to find it: `Pause a queue`. */
const shortOf = ({ operation }: PlacedOperation): string => String(operation.summary).split(/[:;] | \(/)[0] ?? "";

const entryOf = (shown: PlacedOperation): string =>
  `<li data-path="${escapeHtml(shown.path)}"><a href="#${shown.id}"><span class="method method-${shown.method.toLowerCase()}">${shown.method}</span><span>${inline(shortOf(shown))}</span></a></li>`;

/**
 * The menu beside the page. It is closed at first, because on a phone it would hide the page. Where
 * there is room beside the page, the style or the script opens it.
 */
export const menuOf = (tags: readonly Part[], operations: readonly PlacedOperation[]): string =>
  `<aside aria-label="Operations"><details id="menu"><summary>All operations</summary>
<div hidden><label for="search">Find an operation <kbd>/</kbd></label><input id="search" type="search" autocomplete="off" spellcheck="false"></div>
${tags
  .map(
    ({ name }) => `<section><h2>${escapeHtml(String(name))}</h2><ul>
${inTag(operations, name).map(entryOf).join("\n")}
</ul></section>`,
  )
  .join("\n")}
</details></aside>`;
