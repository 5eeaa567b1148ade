import { designTokens } from "./tokens.ts";

/** The style of our pages. System fonts and no images, so nothing is loaded from elsewhere. */
export const docsStyle = `${designTokens}html { font: 16px/1.55 var(--sans); }
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; }
body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: break-word; }
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100vw; top: 0; padding: 0.6rem 1rem; background: var(--paper); z-index: 3; }
.skip:focus { left: 0; }
header { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; align-items: center; padding: 0.7rem 1.5rem; background: var(--panel); border-bottom: 1px solid var(--line); }
.brand { margin: 0; font-weight: 700; letter-spacing: -0.01em; }
.brand span { color: var(--soft); font-weight: 400; }
header nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
header nav a { padding: 0.2rem 0; min-height: 1.75rem; min-width: 1.5rem; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; }
header nav a:hover { color: var(--ink); }
header nav a[aria-current] { color: var(--ink); border-color: var(--accent); font-weight: 600; }
.columns { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 82rem; margin: 0 auto; }
.columns.single { grid-template-columns: minmax(0, 1fr); max-width: 52rem; }
aside { position: sticky; top: 3.4rem; align-self: start; max-height: calc(100vh - 3.4rem); overflow-y: auto; padding: 1.5rem 0.5rem 2rem 1.5rem; font-size: 0.9rem; }
aside h2 { margin: 1.2rem 0 0.3rem; font-size: 0.75rem; text-transform: uppercase; letter-spacing: 0.06em; color: var(--soft); }
aside ul { list-style: none; margin: 0; padding: 0; }
aside li a { display: flex; gap: 0.5rem; min-height: 1.7rem; padding: 0.22rem 0.4rem; color: var(--ink); text-decoration: none; border-radius: 4px; }
aside li a span:last-child { min-width: 0; overflow-wrap: anywhere; }
aside li a:hover { background: var(--panel); }
#menu > summary { display: none; }
#menu::details-content { content-visibility: visible; }
main { padding: 1.5rem 2rem 5rem; min-width: 0; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0.4rem 0 1rem; letter-spacing: -0.02em; }
main h2 { margin: 2.5rem 0 0.5rem; font-size: 1.3rem; }
main h2[id^="tag-"]::first-letter { text-transform: uppercase; }
main h3 { margin: 1.4rem 0 0.4rem; font-size: 1rem; }
main h4 { margin: 1.2rem 0 0.4rem; font-size: 0.95rem; }
code, pre, .method, textarea { font-family: var(--mono); font-size: 0.87em; }
p code, td code, dd code, li code { background: var(--panel); padding: 0.08em 0.3em; border-radius: 3px; }
pre { margin: 0.5rem 0; padding: 0.8rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; }
.lead { color: var(--soft); max-width: 46rem; }
.operation { border: 1px solid var(--line); border-radius: 8px; margin: 0.6rem 0; background: var(--paper); }
.operation > summary { display: flex; flex-wrap: wrap; gap: 0.2rem 0.8rem; align-items: baseline; padding: 0.6rem 0.9rem; cursor: pointer; list-style-position: inside; }
.operation[open] > summary { border-bottom: 1px solid var(--line); background: var(--panel); border-radius: 8px 8px 0 0; }
.operation > summary .path { font-weight: 600; overflow-wrap: anywhere; }
.operation > summary .what { color: var(--soft); flex: 1 1 14rem; }
.operation .inside { padding: 0.4rem 1rem 1.2rem; }
.method { font-weight: 700; min-width: 3.6rem; display: inline-block; }
aside .method { min-width: 3.1rem; font-size: 0.72rem; line-height: 1.9; }
.method-get { color: var(--get); } .method-post { color: var(--post); } .method-put, .method-patch { color: var(--put); } .method-delete { color: var(--delete); }
.badge { display: inline-block; padding: 0 0.5em; margin-right: 0.4em; border: 1px solid currentColor; border-radius: 1em; font-size: 0.78rem; color: var(--soft); white-space: nowrap; }
.badge.breaking, .badge.deprecated, .badge.state-deprecated, .badge.state-sunset, .badge.kind-removed, .badge.kind-deprecated { color: var(--warn); }
.badge.kind-renamed, .badge.kind-changed { color: var(--accent); } .badge.kind-added { color: var(--get); }
.differs { margin: 0.2rem 0 0; padding: 0.15rem 0.6rem; border-left: 3px solid var(--warn); background: var(--warn-paper); font-size: 0.9rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th { text-align: left; font-size: 0.75rem; text-transform: uppercase; letter-spacing: 0.05em; color: var(--soft); font-weight: 600; }
th, td { padding: 0.4rem 0.8rem 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; }
td .type { color: var(--soft); }
details.more > .differs:first-of-type { margin-top: 0.4rem; }
details.more > summary { cursor: pointer; color: var(--soft); padding: 0.3rem 0; }
.facts { display: flex; flex-wrap: wrap; gap: 0.3rem 0.8rem; align-items: center; color: var(--soft); margin: 0.3rem 0; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; }
dl.facts dt { font-weight: 600; } dl.facts dd { margin: 0; color: var(--ink); }
.entry { padding: 0.6rem 0 1rem; border-bottom: 1px solid var(--line); }
.entry h3 { margin: 0.2rem 0; }
form.try { margin-top: 1rem; padding: 0.9rem 1rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); }
form.try h4 { margin: 0 0 0.6rem; }
.field { display: grid; grid-template-columns: minmax(7rem, 14rem) minmax(0, 1fr); gap: 0.4rem 0.8rem; align-items: center; margin: 0.35rem 0; }
.field label { font-family: var(--mono); font-size: 0.85rem; overflow-wrap: anywhere; }
.field.tall { align-items: start; }
input, textarea { width: 100%; padding: 0.35rem 0.5rem; color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: 4px; font-size: 0.9rem; }
input { font-family: inherit; }
textarea { min-height: 9rem; resize: vertical; }
button { font: inherit; font-weight: 600; padding: 0.35rem 1.1rem; color: var(--paper); background: var(--accent); border: 0; border-radius: 5px; cursor: pointer; }
.sample { margin: 0.6rem 0; }
.sample .copy { padding: 0.15rem 0.7rem; margin-bottom: 0.3rem; font-size: 0.85rem; }
button:disabled { opacity: 0.6; cursor: progress; }
.credential { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; margin: 1rem 0; padding: 0.8rem 1rem; border: 1px solid var(--line); border-radius: 8px; }
.credential > div { flex: 1 1 18rem; }
.credential p { flex: 1 1 100%; margin: 0; color: var(--soft); font-size: 0.9rem; }
output { display: block; margin-top: 0.8rem; }
output:empty { display: none; }
.status { font-weight: 700; }
.asking main { max-width: 28rem; margin: 8vh auto 2rem; padding: 1.2rem 2rem 1.5rem; border: 1px solid var(--line); border-radius: 10px; }
.asking h1 { font-size: 1.5rem; }
.asking label { display: block; font-weight: 600; }
.asking .check { display: flex; gap: 0.6rem; align-items: center; min-height: 2rem; font-weight: 400; }
.asking .check input { flex: none; width: 1.2rem; height: 1.2rem; margin: 0; accent-color: var(--accent); }
.asking input:not([type="checkbox"]) { margin-top: 0.25rem; min-height: 2.6rem; font-size: 1rem; font-weight: 400; }
.asking button { min-height: 2.6rem; margin-right: 0.5rem; }
.asking button.quiet { color: var(--ink); background: var(--panel); border: 1px solid var(--soft); }
.asking [role="alert"] { padding: 0.6rem 0.8rem; border-left: 3px solid var(--warn); background: var(--warn-paper); }
.asking [role="status"]:not(:empty) { padding: 0.6rem 0.8rem; border-left: 3px solid var(--accent); background: var(--panel); }
.asking ul { padding-left: 1.2rem; }
.asking li { margin: 0.35rem 0; }
.asking li code { display: block; padding: 0; color: var(--soft); background: none; }
[hidden] { display: none !important; }
@media (max-width: 56rem) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  aside { position: static; max-height: none; margin: 0; padding: 0 1rem; border-bottom: 1px solid var(--line); }
  #menu > summary { display: list-item; padding: 0.8rem 0; font-weight: 600; cursor: pointer; }
  #menu::details-content { content-visibility: hidden; }
  #menu[open]::details-content { content-visibility: visible; padding-bottom: 1rem; }
  header { position: static; padding: 0.7rem 1rem; }
  html { scroll-padding-top: 0.5rem; }
  main { padding: 1rem 1rem 4rem; }
  .asking main { margin: 1rem; padding: 1rem; }
  .field { grid-template-columns: minmax(0, 1fr); }
  .scroll table, .scroll tbody, .scroll tr, .scroll td { display: block; }
  .scroll thead { position: absolute; left: -100vw; }
  .scroll tr { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  .scroll td { padding: 0.1rem 0; border: 0; white-space: normal; }
}
`;
