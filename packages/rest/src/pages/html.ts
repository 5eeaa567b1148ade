import type { ProductInForce } from "../product.ts";
import type { ApiVersion } from "../versions/api-versions.ts";

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Text with `code` spans, which our descriptions use. */
export const inline = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

/**
 * Where pages get their style and their script from: from the same server, never from elsewhere.
 */
export const assetPaths = {
  style: "/api/assets/docs.css",
  script: "/api/assets/docs.js",
  logo: "/api/assets/logo.svg",
} as const;

/** What a page may do: use our style and script, and call the server that it came from. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

export const htmlHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": pagePolicy,
} as const;

/** The name of the product in the header of a page, with its logo if it has one. */
export const brandOf = ({ title, logo }: Pick<ProductInForce, "title" | "logo">, what: string, root = ""): string => {
  const image = logo === undefined ? "" : `<img src="${escapeHtml(root)}${assetPaths.logo}" alt="" height="20"> `;
  return `<p class="brand">${image}${escapeHtml(title)} <span>${what}</span></p>`;
};

export interface Page {
  readonly product: ProductInForce;
  readonly title: string;
  /** The version it is about; absent for pages about all of them. */
  readonly version?: string;
  /** The page's own entry in the header. */
  readonly current?: "changelog" | "deprecations";
  readonly versions: readonly Pick<ApiVersion, "id">[];
  /** A feed with the same entries as the page. */
  readonly feed?: string;
  /** False for a page with nothing to operate. */
  readonly script?: false;
  /** Shown beside the content. */
  readonly aside?: string;
  readonly main: string;
}

const currentMark = (is: boolean): string => (is ? ' aria-current="page"' : "");

/**
 * The start of every page, up to its style. `root` comes before the paths of this server. Its icon is the
 * logo of the product; without one it is empty, or a browser would ask for `/favicon.ico`.
 */
export const pageStart = ({ logo }: Pick<ProductInForce, "logo">, title: string, root = ""): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${logo === undefined ? "data:," : `${escapeHtml(root)}${assetPaths.logo}`}">
<link rel="stylesheet" href="${escapeHtml(root)}${assetPaths.style}">
`;

/** A whole page, in the frame that all of them share. */
export const pageOf = ({ product, title, version, current, versions, feed, script, aside, main }: Page): string => {
  const switcher = versions
    .map(({ id }) => `<a href="/api/${id}/docs"${currentMark(id === version)}>${id}</a>`)
    .join("\n");
  const feedLine =
    feed === undefined
      ? ""
      : `<link rel="alternate" type="application/atom+xml" href="${feed}" title="${escapeHtml(title)}">\n`;
  const scriptLine = script === false ? "" : `<script src="${assetPaths.script}" defer></script>\n`;
  return `${pageStart(product, title)}${feedLine}${scriptLine}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
${brandOf(product, /\bAPI$/i.test(product.title) ? "" : "API")}
<nav aria-label="Versions and pages">
${switcher}
<a href="/api/changelog?format=html"${currentMark(current === "changelog")}>Change log</a>
<a href="/api/deprecations?format=html"${currentMark(current === "deprecations")}>Deprecations</a>
${version === undefined ? "" : `<a href="/api/${version}/openapi.json">OpenAPI</a>`}
</nav>
</header>
<div class="columns${aside === undefined ? " single" : ""}">
${aside === undefined ? "" : aside}
<main id="content" tabindex="-1">
${main}
</main>
</div>
</body>
</html>
`;
};
