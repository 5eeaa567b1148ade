import { type AppOptions, createApp, type Part, post } from "@postern/app";
import { defineResource, ownedBy, reference, text } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { on } from "@postern/inbox";
import { expect, test } from "vitest";

const appWith = (options: Omit<AppOptions, "ports">) => createApp({ ports: memoryPorts(), ...options });

const idsOf = (options: Omit<AppOptions, "ports">): readonly string[] =>
  (appWith(options).versions.at(-1)?.operations ?? []).map(({ id }) => id);

const operator = { kind: "operator", name: "test" } as const;

test("an application has all parts unless it says which", () => {
  const ids = idsOf({});
  expect(ids).toEqual(idsOf({ parts: ["users", "posts", "inbox"] }));
  expect(ids).toEqual(expect.arrayContaining(["users.create", "posts.list", "webhooks.receive", "admin.jobs.list"]));
});

test("an application of the inbox alone has no users, no sign-in and no posts", async () => {
  const ids = idsOf({ parts: ["inbox"] });
  expect(ids.filter((id) => /^(users|sessions|posts|comments)\./.test(id))).toEqual([]);
  expect(ids).toEqual(expect.arrayContaining(["webhooks.receive", "admin.events.list", "admin.jobs.list"]));
  const app = appWith({ parts: ["inbox"], handlers: [on("*", "*", async () => undefined)] });
  expect(JSON.stringify(app.openApi("v1"))).not.toMatch(/subscription|\/users/);
  expect((await app.run({ operation: "admin.events.list", principal: operator })).status).toBe(200);
});

test("an application of users and its own resources has neither posts nor webhooks", () => {
  const note = defineResource({
    name: "note",
    plural: "notes",
    description: "A note.",
    fields: {
      user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
      text: text(100, { description: "What it says." }),
    },
    owner: "user_id",
    access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
  });
  const ids = idsOf({ parts: ["users"], resources: [note] });
  expect(ids.filter((id) => /^(posts|comments|webhooks|admin\.(events|providers))/.test(id))).toEqual([]);
  expect(ids).toEqual(expect.arrayContaining(["users.create", "notes.create"]));
});

test("a resource of one's own may have the name of one that is left out", () => {
  const { name, plural } = post;
  const own = defineResource({
    name,
    plural,
    description: "A post of one's own.",
    fields: { user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }) },
    owner: "user_id",
    access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
  });
  expect(idsOf({ parts: ["users"], resources: [own] })).toContain("posts.read");
});

test("without users the application says who calls", async () => {
  const app = appWith({
    parts: ["inbox"],
    authenticate: async ({ headers }) => (headers["x-admin"] === "yes" ? operator : undefined),
  });
  const version = app.versions.at(-1);
  const operation = version?.operations.find(({ id }) => id === "admin.events.list");
  if (version === undefined || operation === undefined) throw new Error("there is no such operation");
  const ask = (headers: Record<string, string>) =>
    app.handle({
      operation,
      facts: { id: "1", version, base: "/api/v2", target: "/api/v2/admin/events", address: "192.0.2.1" },
      params: {},
      query: [],
      headers,
      body: async () => undefined,
      credential: undefined,
    });
  expect((await ask({ "x-admin": "yes" })).status).toBe(200);
  expect((await ask({})).status).toBe(401);
});

test.each<[string, Omit<AppOptions, "ports">, string]>([
  ["posts without users", { parts: ["posts"] }, '"posts" needs "users"'],
  ["a part that does not exist", { parts: ["inboxes" as Part] }, 'there is no part "inboxes"'],
  ["handlers without the inbox", { parts: ["users"], handlers: [on("*", "*", async () => undefined)] }, '"inbox"'],
  ["two ways to find out who calls", { authenticate: async () => undefined }, '"users" finds out itself'],
])("refuses %s", (_what, options, sentence) => {
  expect(() => appWith(options)).toThrow(sentence);
});
