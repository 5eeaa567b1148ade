import { builtInDeprecations } from "@postern/app";
import { type Difference, renameField, type VersionChange } from "@postern/rest";
import { entriesOf } from "@postern/rest/internal";
import { describe, expect, test } from "vitest";
import { builtInCorrections } from "../src/versions/built-in-corrections.ts";
import { testApi } from "./api.ts";

const form = { type: "string", maxLength: 50 };
const at = (field: string) =>
  ({ type: "field", location: "response", name: `post.${field}`, resource: "post", field }) as const;
const differences: readonly Difference[] = [
  { kind: "removed", target: at("headline"), from: { ...form, description: "The headline." }, breaking: true },
  { kind: "added", target: at("title"), to: { ...form, description: "The title." }, breaking: false },
];
const change: VersionChange = {
  id: "titles",
  kind: "changed",
  title: "Headlines are titles",
  why: "Because.",
  migration: "Use title.",
  effects: [],
};
const version = { id: "v2", released: "2026-11-21" } as const;

/** The entries of all pages. */
const everyEntry = async (call: ReturnType<typeof testApi>["call"], query: string) => {
  const entries = [];
  let cursor = "";
  for (;;) {
    const { body } = await call("GET", `/changelog?${query}&limit=100${cursor}`);
    entries.push(...body.data);
    if (!body.page.has_more) return entries;
    cursor = `&cursor=${body.page.next_cursor}`;
  }
};

describe("the change log", () => {
  test("asks about something that went while something alike came", () => {
    const { unexplained } = entriesOf(change, version, differences);
    expect(unexplained).toEqual([{ change: "titles", removed: "post.headline", added: "post.title" }]);
  });

  test("tells a rename as a rename", () => {
    const effects = [renameField({ resource: "post", from: "headline", to: "title" })];
    const { entries, unexplained } = entriesOf({ ...change, effects }, version, differences);
    expect(unexplained).toEqual([]);
    expect(entries).toMatchObject([{ kind: "renamed", breaking: true, from: "post.headline", to: "post.title" }]);
  });

  test("is served as data, narrowed as asked", async () => {
    const { call } = testApi();
    const of = async (query: string) => (await call("GET", `/changelog${query}`)).body.data;
    const deprecated = await of("?version=v1&kind=deprecated&limit=100");
    expect(deprecated.map((one: { deprecation_id: string }) => one.deprecation_id).toSorted()).toEqual(
      builtInDeprecations.flatMap(({ id, target }) => (target.version === "v1" ? [id] : [])).toSorted(),
    );
    const breaking = await of("?version=v1&kind=fixed&breaking=true&limit=100");
    expect(breaking).toEqual(breaking.map((one: object) => ({ ...one, kind: "fixed", breaking: true })));
    expect(breaking).toMatchObject(
      builtInCorrections
        .filter((one) => one.breaking)
        .map(({ id }) => ({ id: `v1-fixed-${id}`, deprecation_id: null })),
    );
    expect(await of("?kind=renamed")).toHaveLength(3);
    expect(await of("?breaking=false&version=v2&kind=changed")).toEqual([]);
    expect(await of("?since=2099-01-01")).toEqual([]);
    expect((await call("GET", "/changelog?kind=other")).status).toBe(400);
  });

  test("tells each new member, and each change once", async () => {
    const { call } = testApi();
    const data = await everyEntry(call, "version=v2");
    const changes = data.filter(({ kind }: { kind: string }) => kind !== "fixed");
    const titles: string[] = changes.map(({ title }: { title: string }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    const added = changes.filter(({ kind }: { kind: string }) => kind === "added");
    const names: string[] = added.map(({ target }: { target: { name: string } }) => target.name);
    expect(names).toEqual(
      expect.arrayContaining([
        "user.verified_email",
        "user.second_factor_at",
        "POST /posts",
        "filters of times; filter[…][null]",
        "page.limit",
        "page.has_more",
        "page.next_cursor",
        "page.prev_cursor",
        "user.subscription.since",
      ]),
    );
  });

  test("is paged like any list, and its cursors hold for the same question alone", async () => {
    const { call } = testApi();
    const all = { data: await everyEntry(call, "") };
    const ids: string[] = [];
    let target: string | undefined = "/changelog?version=v2&limit=20";
    let pages = 0;
    while (target !== undefined) {
      const { body, headers } = await call("GET", target);
      ids.push(...body.data.map(({ id }: { id: string }) => id));
      target = /<([^>]+)>; rel="next"/.exec(headers.link ?? "")?.[1]?.replace("/api/v2", "");
      pages += 1;
    }
    const ofV2 = all.data.filter((entry: { api_version: string }) => entry.api_version === "v2");
    expect(ids).toEqual(ofV2.map(({ id }: { id: string }) => id));
    expect([new Set(ids).size, pages]).toEqual([ids.length, Math.ceil(ids.length / 20)]);
    expect(pages).toBeGreaterThan(1);

    const { body } = await call("GET", "/changelog?version=v2&limit=2");
    const other = await call("GET", `/changelog?limit=2&cursor=${body.page.next_cursor}`);
    expect([other.status, other.body.code]).toEqual([400, "invalid_cursor"]);
  });

  test.each([
    ["html", "text/html", "<h1>Change log</h1>"],
    ["atom", "application/atom+xml", '<feed xmlns="http://www.w3.org/2005/Atom">'],
    ["markdown", "text/markdown", "- **renamed, breaking** `post.content → post.body`"],
  ])("is served as %s", async (format, type, holds) => {
    const { call } = testApi();
    const { status, headers, text } = await call("GET", `/changelog?format=${format}`);
    expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: `${type}; charset=utf-8` });
    expect(text).toContain(holds);
  });
});
