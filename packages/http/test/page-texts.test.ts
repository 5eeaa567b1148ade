import { type App, builtInVersions } from "@postern/app";
import { removeEndpoint, tableEntry } from "@postern/rest";
import { SaxesParser } from "saxes";
import { describe, expect, test } from "vitest";
import { fetchHandler } from "../src/fetch/index.ts";
import { makeApp } from "../src/testing/app-under-test.ts";
import { expectProblem } from "../src/testing/problem.ts";

interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/** The root element of a document. @throws for one that is not well-formed. */
const parseXml = (xml: string): XmlElement => {
  const top: XmlElement = { name: "", attributes: {}, children: [], text: "" };
  const open = [top];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const element: XmlElement = { name, attributes, children: [], text: "" };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("text", (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on("closetag", () => void open.pop());
  parser.write(xml).close();
  const [root] = top.children;
  if (root === undefined) throw new Error("there is no element");
  return root;
};

const all = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.name === name);
const textOf = (element: XmlElement, name: string): string => {
  const found = all(element, name);
  expect(found, `${name} in ${element.name}`).toHaveLength(1);
  return found[0]?.text ?? "";
};
const linkOf = (element: XmlElement, rel: string): string =>
  all(element, "link").find(({ attributes }) => attributes.rel === rel)?.attributes.href ?? "";

/**
 * Asks without a server: these tests are about the texts, and `page-forms.ts` about how they are
 * chosen.
 */
const asking = (app: App) => {
  const answer = fetchHandler(app);
  return (path: string, accept = "*/*") => answer(new Request(`http://a${path}`, { headers: { accept } }));
};

const pages = [
  ["changelog", "Change log of the API"],
  ["deprecations", "Deprecations of the API"],
] as const;

describe.each(pages)("/api/%s", (name, title) => {
  const ask = asking(makeApp().app);
  const get = async (accept: string) => ask(`/api/${name}`, accept);
  /** The change log is a list of pages; deprecations are one page. */
  const everything = async (): Promise<{ id: string }[]> => {
    const entries: { id: string }[] = [];
    let next: string | undefined = name === "changelog" ? `/api/${name}?limit=100` : `/api/${name}`;
    while (next !== undefined) {
      const answer: Response = await ask(next, "application/json");
      entries.push(...((await answer.json()) as { data: { id: string }[] }).data);
      next = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
    }
    return entries;
  };

  test("is a page with one heading, an entry for everything, and nothing from elsewhere", async () => {
    const data = await everything();
    const answer = await get("text/html");
    const html = await answer.text();
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/i);
    expect(html).toContain(`<title>${title}`);
    expect(html.match(/<h1[ >]/g)).toHaveLength(1);
    expect(html.match(/<article /g)).toHaveLength(data.length);
    for (const { id } of data) expect(html).toContain(` id="${id}"`);
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  test("is a well-formed Atom feed with an entry for everything", async () => {
    const data = await everything();
    const feed = parseXml(await (await get("application/atom+xml")).text());
    expect({ name: feed.name, xmlns: feed.attributes.xmlns }).toEqual({
      name: "feed",
      xmlns: "http://www.w3.org/2005/Atom",
    });
    expect(textOf(feed, "title")).toBe(title);
    expect(linkOf(feed, "self")).toBe(`/api/${name}?format=atom`);
    const entries = all(feed, "entry");
    expect(data.length).toBeGreaterThan(0);
    expect(entries.map((entry) => textOf(entry, "id"))).toEqual(data.map(({ id }) => `tag:postern,2026:${name}:${id}`));
    expect(new Set([textOf(feed, "id"), ...entries.map((entry) => textOf(entry, "id"))]).size).toBe(data.length + 1);
    const moments = entries.map((entry) => textOf(entry, "updated"));
    for (const moment of moments) expect(moment).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z$/);
    expect(textOf(feed, "updated")).toBe(moments.toSorted().at(-1));
    for (const entry of entries) {
      expect(textOf(entry, "title")).not.toBe("");
      expect(textOf(entry, "content")).not.toBe("");
      expect(linkOf(entry, "alternate")).toMatch(/^\/api\//);
    }
  });
});

test("the title of a change appears in the feed and on the page as it was written", async () => {
  const title = `Less than < & more than > "quoted" ]]>`;
  const gone = tableEntry({
    id: "greetings.read",
    method: "GET",
    path: "/greetings",
    access: "public",
    summary: "Greet",
    tag: "about",
    success: { status: 204, description: "Greeted." },
    handle: async () => ({ status: 204 }),
  });
  const change = {
    id: "no-greetings",
    kind: "removed",
    title,
    why: "<b>",
    migration: "&amp;",
    effects: [removeEndpoint(gone)],
  } as const;
  const versions = [...builtInVersions, { id: "v3", released: "2027-01-01", changes: [change] } as const];
  const ask = asking(makeApp({ versions }).app);

  const [entry] = all(parseXml(await (await ask("/api/changelog?format=atom&version=v3")).text()), "entry");
  if (entry === undefined) throw new Error("there is no entry");
  expect(textOf(entry, "title")).toContain(title);
  expect(textOf(entry, "content")).toBe("<b> &amp;");
  expect(await (await ask("/api/changelog?format=html&version=v3")).text()).not.toContain("<b>");

  expect((await ask("/api/v2/greetings")).status).toBe(204);
  await expectProblem(await ask("/api/v3/greetings"), "route_not_found");
});
