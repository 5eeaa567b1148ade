import { defineConfig } from "vitepress";
import { anchorOf, sidebars } from "./pages.ts";

export default defineConfig({
  title: "Postern",
  description: "A web API server and a durable webhook inbox, in TypeScript.",
  lang: "en",
  // `scripts/site.ts` writes the pages there.
  srcDir: "../.cache/site",
  base: process.env.SITE_BASE ?? "/",
  metaChunk: true,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${process.env.SITE_BASE ?? "/"}pictures/postern.svg` }]],
  markdown: {
    // Pages are text: what looks like a tag is none.
    html: false,
    // Nor are braces attributes of what stands before them.
    attrs: { disable: true },
    linkify: false,
    anchor: { slugify: anchorOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    languageAlias: { nginx: "ini" },
  },
  transformHead: ({ pageData }) => [
    [
      "link",
      { rel: "alternate", type: "text/markdown", href: `${process.env.SITE_BASE ?? "/"}${pageData.relativePath}` },
    ],
  ],
  themeConfig: {
    logo: "/pictures/postern.svg",
    search: { provider: "local" },
    sidebar: sidebars(),
    nav: [
      { text: "Start", link: "/start" },
      { text: "Senders", link: "/senders/" },
      { text: "Reference", link: "/configuration" },
    ],
    outline: { level: [2, 3], label: "On this page" },
    socialLinks: [{ icon: "github", link: "https://github.com/postern/postern" }],
    docFooter: { prev: "Before", next: "Next" },
  },
});
