import { type App, builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import type { Deprecation } from "@postern/rest";
import { expect, test } from "vitest";
import { slowClock } from "../../rest/test/slow-clock.ts";
import { testApi } from "./api.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

test.each(["v1", "v2"] as const)(
  "documents and pages of %s are made and digested once, until something on them changes",
  async (version) => {
    const { secretBox: inner, clock } = memoryPorts();
    const digested: string[] = [];
    const secretBox: typeof inner = {
      ...inner,
      digest: (text) => {
        if (text.length > 50_000) digested.push(text.slice(0, 15));
        return inner.digest(text);
      },
    };
    const dayAfter = (days: number) => new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 10);
    const soon: Deprecation = {
      id: "old-list",
      target: { version, operation: "users.list" },
      announced: dayAfter(-1),
      deprecated: dayAfter(30),
      sunset: dayAfter(400),
      replacement: { version: "v2", operation: "posts.list-all" },
      reason: "There is another one.",
      migration: "Use the other one.",
    };
    const { call, ports } = testApi({ deprecations: [soon] }, { secretBox });
    const read = async (path: string) => (await call("GET", path, { version })).text ?? "";
    const page = await read("/docs");
    expect(page).toContain('<span class="badge deprecated">announced</span>');
    for (let count = 0; count < 3; count += 1) {
      expect(await read("/docs")).toBe(page);
      expect((await read("/openapi.json")).length).toBeGreaterThan(50_000);
    }
    expect(digested).toEqual(["<!doctype html>", '{"openapi":"3.1']);
    await ports.clock.advance(31 * 86_400_000);
    expect(await read("/docs")).toContain('<span class="badge deprecated">deprecated</span>');
  },
);

test("texts of the change log are written and digested once, those of a filter each time", async () => {
  const { secretBox: inner } = memoryPorts();
  const digested = new Map<string, number>();
  const secretBox: typeof inner = {
    ...inner,
    digest: (text) => {
      if (text.length > 1000) digested.set(text, (digested.get(text) ?? 0) + 1);
      return inner.digest(text);
    },
  };
  const { call } = testApi({}, { secretBox });
  const read = async (query: string) => (await call("GET", `/changelog?${query}`)).text ?? "";
  const kept = ["html", "atom", "markdown"].flatMap((form) => [`format=${form}`, `format=${form}&version=v1`]);
  for (const query of kept) {
    const text = await read(query);
    expect(await read(query)).toBe(text);
    expect([query, digested.get(text)]).toEqual([query, 1]);
  }
  expect(new Set(await Promise.all(kept.map(read))).size).toBe(kept.length);
  for (const query of [
    "format=html&kind=fixed",
    "format=html&breaking=true",
    "format=html&since=2026-01-01&version=v9",
  ]) {
    const text = await read(query);
    await read(query);
    expect([query, digested.get(text)]).toEqual([query, 2]);
  }
});

test.each(["v1", "v2"])(
  "the page of %s tells a correction of both versions once, and what a webhook's body is",
  async (version) => {
    const { text = "" } = await testApi().call("GET", "/docs", { version });
    const sectionOf = (id: string): string =>
      text.split(`<details class="operation" id="${id}">`)[1]?.split("</details>\n")[0] ?? "";
    const notes = [...sectionOf("posts.create-own").matchAll(/<p class="differs">(.*?) ·/g)].map(([, note]) => note);
    expect(notes.filter((note) => note?.includes("<code>POST /posts</code>"))).toEqual([
      `New in ${version}: <code>POST /posts</code> is new`,
    ]);
    expect(sectionOf("webhooks.receive")).toContain(
      "<p>The body as the sender sends it, byte for byte; the signature covers these bytes. At most 5,242,880 bytes.</p>",
    );
  },
);

test("the document names the longest webhook that is taken", async () => {
  const limitIn = (app: App) => {
    const { paths } = app.openApi("v2") as { paths: Record<string, { post: { requestBody: unknown } }> };
    return paths["/webhooks/{provider}"]?.post.requestBody;
  };
  const schema = (maxLength: number) => ({
    content: { "*/*": { schema: { maxLength } } },
  });
  expect(limitIn(createApp({ versions: builtInVersions, ports: memoryPorts() }))).toMatchObject(schema(5_242_880));
  const other = createApp({
    versions: builtInVersions,
    ports: memoryPorts(),
    settings: { webhookLimitBytes: 26_214_400 },
  });
  expect(limitIn(other)).toMatchObject(schema(26_214_400));
});

test("documents are made in short turns, and a reader who comes meanwhile waits for them", async () => {
  const clock = slowClock();
  const app = createApp({ versions: builtInVersions, ports: { ...memoryPorts(), clock } });
  let isPrepared = false;
  const prepared = app.prepareDocuments().then(() => {
    isPrepared = true;
  });
  const reader = app.run({ operation: "about.openapi", principal: { kind: "operator", name: "test" } });
  let isAnswered = false;
  void reader.then(() => {
    isAnswered = true;
  });
  let turns = 0;
  for (; !isPrepared && turns < 10_000; turns += 1) {
    clock.waiting.shift()?.();
    await settled();
    if (turns === 3) expect([isPrepared, isAnswered]).toEqual([false, false]);
  }
  await prepared;
  expect(turns).toBeGreaterThan(20);
  // The reader's turn comes after the pause.
  for (; !isAnswered && turns < 10_000; turns += 1) {
    clock.waiting.shift()?.();
    await settled();
  }
  expect((await reader).body).toBe(app.openApi("v2"));
  expect(app.changeLog().entries.length).toBeGreaterThan(0);
});

test("documents that nobody has prepared are made in short turns for the first who asks, once for all", async () => {
  const clock = slowClock();
  const app = createApp({ versions: builtInVersions, ports: { ...memoryPorts(), clock } });
  const principal = { kind: "operator", name: "test" } as const;
  const asked = ["about.openapi", "about.docs", "about.changelog", "about.openapi"].map((operation) =>
    app.run({ operation, principal }),
  );
  let isAnswered = false;
  const answered = Promise.all(asked).then((answers) => {
    isAnswered = true;
    return answers;
  });
  let turns = 0;
  for (; !isAnswered && turns < 10_000; turns += 1) {
    clock.waiting.shift()?.();
    await settled();
  }
  expect(turns).toBeGreaterThan(20);
  const [document, page, changes, again] = await answered;
  expect([document?.status, page?.status, changes?.status]).toEqual([200, 200, 200]);
  expect(again?.body).toBe(document?.body);
  expect(app.openApi("v2")).toBe(document?.body);
  // What is made is there at once: the clock does not go on.
  const pageAgain = await app.run({ operation: "about.docs", principal });
  expect(pageAgain.text).toBe(page?.text);
});
