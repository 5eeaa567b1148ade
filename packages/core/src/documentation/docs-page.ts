import type { Operation } from "../operations/operation.ts";
import { type ApiVersion, apiVersions } from "../versions/index.ts";

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** `code` spans of our own summaries. */
const inline = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

const access = { public: "anyone", user: "signed in", admin: "administrator" } as const;

const row = (operation: Operation): string => `<tr>
<td><code class="method">${operation.method}</code></td>
<td><code>${escapeHtml(operation.path)}</code></td>
<td>${inline(operation.summary)}</td>
<td>${access[operation.access]}</td>
</tr>`;

const section = (tag: string, operations: readonly Operation[]): string => `<section>
<h2 id="${escapeHtml(tag)}">${escapeHtml(tag)}</h2>
<table>
<thead><tr><th>Method</th><th>Path</th><th>What it does</th><th>Who</th></tr></thead>
<tbody>
${operations.map(row).join("\n")}
</tbody>
</table>
</section>`;

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent);vertical-align:top}
code{font-family:ui-monospace,monospace;font-size:.9em}
.method{font-weight:600}
nav a{margin-right:1rem}
pre{overflow-x:auto;padding:.8rem;border:1px solid color-mix(in srgb,currentColor 20%,transparent);border-radius:.4rem}`;

/** A page that lists what a version can do; needs no script and nothing from elsewhere. */
export const docsPageOf = (version: ApiVersion, operations: readonly Operation[]): string => {
  const shown = operations.filter(({ unversioned }) => unversioned !== true);
  const tags = [...new Set(shown.map(({ tag }) => tag))];
  const others = apiVersions.filter(({ id }) => id !== version.id);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postern API ${version.id}</title>
<style>${style}</style>
</head>
<body>
<h1>Postern API ${version.id}</h1>
<nav><a href="openapi.json">OpenAPI 3.1</a>${others.map(({ id }) => `<a href="../${id}/docs">${id}</a>`).join("")}</nav>
<p>All paths are below <code>/api/${version.id}</code>. Send JSON, and an access token as <code>Authorization: Bearer …</code>.</p>
<pre>curl -s localhost:3000/api/${version.id}/users -H 'content-type: application/json' \\
  -d '{"name":"Ada","email":"ada@example.com","password":"correct horse battery"}'
curl -s localhost:3000/api/${version.id}/sessions -H 'content-type: application/json' \\
  -d '{"email":"ada@example.com","password":"correct horse battery"}'</pre>
${tags
  .map((tag) =>
    section(
      tag,
      shown.filter((operation) => operation.tag === tag),
    ),
  )
  .join("\n")}
</body>
</html>
`;
};

/** The SHA-256 of a style or script is not known to core, so the page's policy names its one inline style. */
export const docsPagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
