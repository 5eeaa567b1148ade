import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, posix } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Where a link to a file goes that is no page of the site. */
const repository = "https://github.com/postern/postern";

/** A page of the site. */
export interface Page {
  /** The file in the repository. */
  readonly source: string;
  /** The file in the site: `start.md` is shown at `/start.html`. */
  readonly path: string;
  /** Its name in the sidebar. */
  readonly title: string;
  /** Its first heading. */
  readonly heading: string;
}

/** A part of the sidebar. */
export interface Group {
  readonly title: string;
  readonly pages: readonly Page[];
  /** Pages that are listed only beside one another: there are too many for every sidebar. */
  readonly more?: readonly Page[];
}

const readSource = (source: string): string => readFileSync(join(root, source), "utf8");

/** The path of a page in the site. A README is the first page of its folder. */
const pathOf = (source: string): string => {
  const inFolder = /^(?:packages|apps)\/([a-z0-9-]+)\/README\.md$/.exec(source);
  if (inFolder !== null) return `packages/${inFolder[1]}.md`;
  return source
    .replace(/^docs\//, "")
    .replace(/README\.md$/, "index.md")
    .toLowerCase();
};

const page = (source: string, title?: string): Page => {
  const heading = /^# (.+)$/m.exec(readSource(source))?.[1]?.replaceAll("`", "") ?? source;
  return { source, path: pathOf(source), title: title ?? heading, heading };
};

const pagesIn = (folder: string): readonly Page[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md") && name !== "README.md" && name !== "index.md")
    .toSorted()
    .map((name) => page(`${folder}/${name}`));

/** The packages that people install come first. */
const packagesFirst = [
  "packages/postern",
  "packages/webhook-verifier",
  "packages/testing",
  "packages/create-postern",
  "packages/client",
  "packages/cli",
  "apps/server",
];
const packages: readonly Page[] = [
  ...new Set([...packagesFirst, ...readdirSync(join(root, "packages")).map((name) => `packages/${name}`)]),
].flatMap((folder) => (existsSync(join(root, folder, "README.md")) ? [page(`${folder}/README.md`)] : []));

/** What operators do most often, first. */
const taskNames = ["an-event-failed", "rotate-a-key", "remove-a-deprecated-field"];

/** The sidebar, in the order in which a new user needs the pages. */
export const groups: readonly Group[] = [
  { title: "Start", pages: [page("docs/README.md", "What Postern is"), page("docs/start.md"), page("docs/dev.md")] },
  { title: "Write handlers and jobs", pages: [page("docs/handlers.md")] },
  { title: "Your resources", pages: [page("docs/resources.md"), page("docs/hooks.md"), page("docs/access.md")] },
  {
    title: "Your own endpoints",
    pages: [page("docs/operations.md"), page("docs/signed-in.md"), page("docs/mails.md")],
  },
  { title: "Your own product", pages: [page("docs/product.md")] },
  { title: "Versions", pages: [page("docs/versions.md"), page("docs/contract.md")] },
  { title: "Embed", pages: [page("docs/embed/README.md", "In your own application"), ...pagesIn("docs/embed")] },
  {
    title: "Senders",
    pages: [page("docs/senders/README.md", "All senders")],
    more: pagesIn("docs/senders").toSorted((one, other) => one.title.localeCompare(other.title, "en")),
  },
  { title: "Test", pages: [page("docs/testing.md", "Test your handlers")] },
  { title: "Deploy", pages: [page("docs/deploy.md"), page("docs/scale.md")] },
  {
    title: "Operate",
    pages: [
      page("docs/operate.md"),
      page("docs/agents.md"),
      page("docs/console.md"),
      ...taskNames.map((name) => page(`docs/tasks/${name}.md`)),
    ],
  },
  { title: "Upgrade", pages: [page("docs/upgrading.md")] },
  { title: "Security", pages: [page("docs/security.md"), page("docs/oauth.md"), page("docs/asvs.md")] },
  {
    title: "Performance",
    pages: [page("docs/performance/README.md", "What is fast, and why"), ...pagesIn("docs/performance")],
  },
  {
    title: "Reference",
    pages: [
      page("docs/configuration.md"),
      page("docs/cli.md"),
      page("docs/errors.md"),
      page("docs/metrics.md"),
      page("docs/limits.md"),
      page("docs/ports.md"),
      page("docs/states.md"),
      page("docs/adapters.md"),
      page("docs/architecture.md"),
      page("docs/dependencies.md"),
      page("docs/glossary.md"),
    ],
  },
  { title: "Packages", pages: packages },
  { title: "Compare", pages: [page("docs/compare.md")] },
  { title: "Decisions", pages: [page("docs/adr/README.md", "All decisions")], more: pagesIn("docs/adr") },
].filter(({ pages }) => pages.length > 0);

export const pages: readonly Page[] = groups.flatMap(({ pages, more = [] }) => [...pages, ...more]);

const bySource: ReadonlyMap<string, Page> = new Map(pages.map((one) => [one.source, one]));

const externalLink = /^(?:[a-z]+:|#|\/)/;

/** A link of a source file, as the page of the site needs it. */
export const siteLink = (from: Page, link: string): string => {
  if (externalLink.test(link)) return link;
  const [target = "", anchor] = link.split("#");
  const path = normalize(join(dirname(from.source), target)).replace(/\/$/, "");
  const to = bySource.get(path) ?? bySource.get(`${path}/README.md`);
  const fragment = anchor === undefined ? "" : `#${anchor}`;
  if (to !== undefined) return relativePath(from.path, to.path) + fragment;
  if (path.startsWith("docs/pictures/")) return path.replace("docs", "");
  return `${repository}/${/\.[a-z]+$/.test(path) ? "blob" : "tree"}/main/${path}${fragment}`;
};

const relativePath = (from: string, to: string): string => {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
};

/** Changes the text outside of blocks of code. */
const outsideCode = (text: string, change: (prose: string) => string): string =>
  text
    .split(/(^```.*?^```$)/ms)
    .map((part) => (part.startsWith("```") ? part : change(part)))
    .join("");

/** The Markdown of a page, with links that lead to other pages of the site. It is also its twin. */
export const siteText = (one: Page): string =>
  outsideCode(readSource(one.source), (prose) =>
    prose
      .replaceAll(/^<!-- .* -->\n/gm, "")
      .replaceAll(/\]\(([^)\s]+)\)/g, (_, link: string) => `](${siteLink(one, link)})`),
  );

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");

/** The first sentence of a page, without links and marks. */
const summaryOf = ({ source, heading }: Page): string => {
  if (source.startsWith("docs/senders/") && !source.endsWith("README.md"))
    return `What to click at ${heading}, what to set here, and what a repeat is.`;
  const paragraph = readSource(source)
    .replace(/^# .+$/m, "")
    .split("\n\n")
    .map((text) => text.trim())
    .find((text) => /^[A-Z`*[]/.test(text) && !text.startsWith("Date: "));
  const plain = (paragraph ?? "")
    .replaceAll("\n", " ")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .replace(/^In short\. /, "");
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, ".") ?? plain;
};

/** `llms.txt` (llmstxt.org): every page with its first sentence, for programs that read. */
export const llmsText = (): string =>
  [
    "# Postern",
    "",
    `> ${summaryOf(page("README.md"))}`,
    "",
    "Each page below is Markdown. Without `.md` and with `.html` it is the page for people.",
    "",
    ...groups.flatMap(({ title, pages: own, more = [] }) => [
      `## ${title}`,
      "",
      ...[...own, ...more].map((one) => `- [${one.heading}](/${one.path}): ${summaryOf(one)}`),
      "",
    ]),
  ].join("\n");

interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarItem[];
}

const itemOf = ({ path, title }: Page): SidebarItem => ({ text: title, link: `/${path}` });

/** The sidebars, by the start of the address: the pages of a long part are listed beside one another only. */
export const sidebars = (): Readonly<Record<string, readonly SidebarItem[]>> => {
  const sidebar = (long?: Group): readonly SidebarItem[] =>
    groups.map((group) => ({
      text: group.title,
      items: [...group.pages, ...(group === long ? (group.more ?? []) : [])].map(itemOf),
    }));
  const long = groups.filter(({ more = [] }) => more.length > 0);
  return {
    ...Object.fromEntries(long.map((group) => [`/${posix.dirname(group.pages[0]?.path ?? "")}/`, sidebar(group)])),
    "/": sidebar(),
  };
};
