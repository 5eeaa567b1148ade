/**
 * The colours, type and spacing of every page: the documentation, the pages for people with accounts,
 * and the console.
 */
export const designTokens = `:root {
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #14171c);
  --panel: light-dark(#f5f6f8, #1c2027);
  --ink: light-dark(#1c2330, #e4e8ee);
  --soft: light-dark(#566072, #a3adbb);
  --line: light-dark(#dce0e6, #323944);
  --accent: light-dark(#0b57c4, #8db7ff);
  --get: light-dark(#0b6b50, #5fd4ad);
  --post: light-dark(#0b57c4, #8db7ff);
  --put: light-dark(#7a4c00, #f0bd5c);
  --delete: light-dark(#a91d2d, #ff9aa2);
  --warn: light-dark(#7a4c00, #f0bd5c);
  --warn-paper: light-dark(#fff5dd, #33290f);
  --sans: system-ui, -apple-system, "Segoe UI", sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  --gap: 0.25rem;
  --round: 5px;
}
`;
