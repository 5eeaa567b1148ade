import { comment, post } from "@postern/app";
import type { ResourceRepository, Row } from "@postern/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const mebibytes = 1024 * 1024;

/** Ada with posts of these bodies, stored past the API. */
const withPosts = async (bodies: readonly string[], answerBounds?: { bytes: number; rows: number }) => {
  const api = testApi(answerBounds === undefined ? {} : { settings: { answerBounds } });
  const ada = await api.user("ada");
  const resources = api.ports.storage.resources;
  const first = await api.call("POST", `/users/${ada.id}/posts`, {
    token: ada.token,
    body: { title: "A post", body: "x" },
  });
  const id = (n: number) => `01900000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
  const stored = await resources.find(post, first.body.id, { where: { all: [] } });
  await resources.delete(post, first.body.id, { where: { all: [] } });
  const { revision, ...row } = stored as Row;
  for (const [n, body] of bodies.entries()) {
    const at = new Date(Date.parse("2026-01-01T00:00:00Z") + n * 1000).toISOString();
    await resources.insert(post, { ...row, id: id(n), title: `No. ${n}`, body, created_at: at });
  }
  const remark = (n: number, postNumber: number, body: string) =>
    resources.insert(comment, {
      id: id(10_000 + n),
      post_id: id(postNumber),
      user_id: ada.id,
      body,
      created_at: String(row.created_at),
      updated_at: String(row.updated_at),
    });
  const list = (query: string, version = "v2") =>
    api.call("GET", `/users/${ada.id}/posts?${query}`, { token: ada.token, version });
  return { ...api, ada, id, remark, list };
};

type Scene = Awaited<ReturnType<typeof withPosts>>;

/** The titles of every page, following one cursor. */
const walk = async ({ list }: Scene, query: string, cursor: "next_cursor" | "prev_cursor", from?: string) => {
  const pages: { titles: string[]; bytes: number }[] = [];
  let at = from;
  do {
    const { status, body } = await list(`${query}${at === undefined ? "" : `&cursor=${at}`}`);
    expect(status, JSON.stringify(body).slice(0, 300)).toBe(200);
    pages.push({ titles: body.data.map(({ title }: { title: string }) => title), bytes: bytesOf(body) });
    if (cursor === "next_cursor") expect(body.page.has_more).toBe(body.page.next_cursor !== null);
    at = body.page[cursor] ?? undefined;
  } while (at !== undefined);
  return pages;
};

describe("an answer", () => {
  test("ends its page before it holds more than 8 MiB, and goes on there", async () => {
    const scene = await withPosts(Array.from({ length: 100 }, () => "x".repeat(99_000)));
    const pages = await walk(scene, "limit=100", "next_cursor");
    expect(pages.map(({ titles }) => titles.length)).toEqual([84, 16]);
    expect(pages.flatMap(({ titles }) => titles)).toEqual(Array.from({ length: 100 }, (_, n) => `No. ${n}`));
    for (const { bytes } of pages) expect(bytes).toBeLessThan(8 * mebibytes);
  });

  test("links to the rest in v1, which has lists without a page", async () => {
    const { list } = await withPosts(
      Array.from({ length: 10 }, () => "x".repeat(900)),
      { bytes: 9000, rows: 100 },
    );
    const { body, headers } = await list("", "v1");
    expect(body).toHaveLength(7);
    expect(headers.link).toContain('rel="next"');
  });

  test("counts what is included as often as it stands in the answer", async () => {
    const bounds = { bytes: 840_000, rows: 10_000 };
    const scene = await withPosts(
      Array.from({ length: 30 }, () => "x".repeat(9000)),
      bounds,
    );
    const pages = await walk(scene, "limit=100&include=author.posts", "next_cursor");
    // Each post of 9 kB brings its author with 20 of them.
    expect(pages.map(({ titles }) => titles.length)).toEqual([4, 4, 4, 4, 4, 4, 4, 2]);
    for (const { bytes } of pages) expect(bytes).toBeLessThan(bounds.bytes);
  });

  test("ends before it holds more than 10,000 rows", async () => {
    const scene = await withPosts(
      Array.from({ length: 60 }, () => "x"),
      { bytes: 8 * mebibytes, rows: 100 },
    );
    const pages = await walk(scene, "limit=100&include=author.posts", "next_cursor");
    // 22 rows each: a post, its author, 20 posts of theirs.
    expect(pages.map(({ titles }) => titles.length)).toEqual(Array.from({ length: 15 }, () => 4));
  });

  test.each([
    ["", "fields"],
    ["?fields=id,body", "fields"],
    ["?include=comments&fields=id", "include"],
    ["?include=comments.post&fields=id&fields[comments]=id", "include"],
  ])("refuses one post%s that is too large by itself, and says what to leave out", async (query, parameter) => {
    const { call, ada, id, remark, list } = await withPosts(["x".repeat(12_000)], { bytes: 10_000, rows: 50 });
    for (let n = 0; n < 20; n += 1) await remark(n, 0, "y".repeat(1000));
    const one = await call("GET", `/posts/${id(0)}${query}`, { token: ada.token });
    expect([one.status, one.body.code]).toEqual([400, "answer_too_large"]);
    expect(one.body.errors).toMatchObject([{ parameter, code: "answer_too_large" }]);
    const many = await list(query.slice(1));
    expect(many.body).toMatchObject({ code: "answer_too_large", errors: [{ parameter }] });
    expect((await list("fields=id,title")).body.data).toEqual([{ id: id(0), title: "No. 0" }]);
  });

  test("reads not much more than it holds, however much there is", async () => {
    const scene = await withPosts(Array.from({ length: 100 }, () => "x".repeat(99_000)));
    let read = 0;
    const { resources } = scene.ports.storage;
    const counted = <Rows extends readonly Row[]>(rows: Rows): Rows => {
      read += bytesOf(rows);
      return rows;
    };
    const { list, findEach, listBelow } = { ...resources };
    const watched: Partial<ResourceRepository> = {
      list: async (...asked) => counted(await list(...asked)),
      findEach: async (...asked) => counted(await findEach(...asked)),
      listBelow: async (...asked) => counted(await listBelow(...asked)),
    };
    Object.assign(resources, watched);
    for (let n = 0; n < 20; n += 1) await scene.remark(n, n, "y".repeat(9000));
    const { body } = await scene.list("limit=100&include=author.posts,comments.post");
    expect(body.data.length).toBeGreaterThan(0);
    expect(read).toBeLessThan(11 * mebibytes);
  });

  test("waits for memory before it reads long texts, and is refused when there is none for 2 s", async () => {
    const settings = {
      answerBounds: { bytes: 700_000, rows: 100 },
      answersBytes: 1_600_000,
    };
    const { ports, call, user } = testApi({ settings });
    const users = [];
    for (const name of ["ada", "bob", "cyd", "dee"]) {
      const { id, token } = await user(name);
      const body = { title: "A post", body: "x".repeat(99_000) };
      for (let n = 0; n < 3; n += 1) await call("POST", `/users/${id}/posts`, { token, body });
      users.push({ id, token });
    }
    const { resources } = ports.storage;
    const { findEach } = resources;
    const reading: (() => void)[] = [];
    Object.assign(resources, {
      findEach: async (...asked: Parameters<typeof findEach>) => {
        await new Promise<void>((resolve) => reading.push(resolve));
        return findEach(...asked);
      },
    });
    const lists = users.map(({ id, token }, n) =>
      call("GET", `/users/${id}/posts?limit=3`, { token, address: `192.0.2.${n + 1}` }),
    );
    // There are 700,000 bytes for texts: enough for two answers of 300,000. The next one begins after
    // the first has left time for others.
    await expect.poll(() => reading.length).toBe(2);
    await ports.clock.advance(100);
    reading[0]?.();
    await Promise.race(lists);
    await ports.clock.advance(99);
    expect(reading).toHaveLength(2);
    await ports.clock.advance(1);
    await expect.poll(() => reading.length).toBe(3);
    await ports.clock.advance(2_000);
    expect(reading).toHaveLength(3);
    for (const read of reading) read();
    const answers = await Promise.all(lists);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 503]);
    const refused = answers.find(({ status }) => status === 503);
    expect(refused).toMatchObject({ body: { code: "overloaded" }, headers: { "retry-after": "1" } });
  });

  test("leaves a row out that was deleted while its text was being read", async () => {
    const scene = await withPosts(["x".repeat(70_000), "x".repeat(70_000), "short"]);
    const { resources } = scene.ports.storage;
    const { findEach } = resources;
    Object.assign(resources, {
      findEach: async (...asked: Parameters<typeof findEach>) => {
        await resources.delete(post, scene.id(0), { where: { all: [] } });
        return findEach(...asked);
      },
    });
    const { body } = await scene.list("");
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual(["No. 1", "No. 2"]);
    expect(body.page.has_more).toBe(false);
  });

  test("shows every row once, in either direction, whatever its text is", async () => {
    const text = fc
      .tuple(
        fc.constantFrom("x", '"', "\\", "\n", "\u0001", "ä", "€", "😀", '{"a":"\u001f"}'),
        fc.integer({ min: 1, max: 3000 }),
      )
      .map(([piece, times]) => piece.repeat(times));
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 12 }),
        fc.constantFrom("limit=5", "limit=100", "limit=3&include=author", "limit=100&include=comments"),
        async (bodies, query) => {
          const largest = Math.max(...bodies.map((body) => bytesOf(body)));
          const bounds = { bytes: largest + 4000, rows: 1000 };
          const scene = await withPosts(bodies, bounds);
          const all = bodies.map((_, n) => `No. ${n}`);
          const pages = await walk(scene, query, "next_cursor");
          expect(pages.flatMap(({ titles }) => titles)).toEqual(all);
          for (const { bytes } of pages) expect(bytes).toBeLessThan(bounds.bytes + 1000);
          // The whole list, from an empty page behind its end.
          const { body: reversed } = await scene.list(`${query}&sort=-created_at`);
          expect(reversed.data[0].title).toBe(all.at(-1));
          const last = await lastCursor(scene, query);
          if (last === undefined) return;
          const back = await walk(scene, query, "prev_cursor", last);
          const shown = back.toReversed().flatMap(({ titles }) => titles);
          expect(shown).toEqual(all.slice(0, shown.length));
          expect(shown.length + (pages.at(-1)?.titles.length ?? 0)).toBe(all.length);
        },
      ),
      { numRuns: 25 },
    );
  });
});

/** `prev_cursor` of the last page. */
const lastCursor = async ({ list }: Scene, query: string): Promise<string | undefined> => {
  let page: { next_cursor: string | null; prev_cursor: string | null } | undefined;
  do {
    const { body } = await list(`${query}${page === undefined ? "" : `&cursor=${page.next_cursor}`}`);
    page = body.page;
  } while (page?.next_cursor !== null && page !== undefined);
  return page?.prev_cursor ?? undefined;
};
