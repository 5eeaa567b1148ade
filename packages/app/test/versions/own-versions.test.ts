import { type AppOptions, builtInChanges, builtInVersions, createApp, user } from "@postern/app";
import { type BuiltIn, createAppOf } from "@postern/app/internal";
import type { Resource } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { renameField, requireHeader, type VersionChange, type VersionDefinition } from "@postern/rest";
import { describe, expect, test } from "vitest";
import { testApi } from "../api.ts";

const first: VersionDefinition = { id: "v1", released: "2027-01-01", changes: [], builtIn: 1 };

const change = (id: string, ...effects: VersionChange["effects"]): VersionChange => ({
  id,
  kind: "renamed",
  title: `It has ${id}`,
  why: "It is better.",
  migration: "Use the new one.",
  effects,
});

const made = (options: Omit<AppOptions, "ports"> = {}) => createApp({ ports: memoryPorts(), ...options });

describe("an application that names no versions", () => {
  const { app, call, user: signUp } = testApi({ versions: [{ ...first }] });

  test("has v1 alone, in the newest shape, and takes writes without If-Match", async () => {
    expect(made().versions.map(({ id }) => id)).toEqual(["v1"]);
    const { id, token } = await signUp("ada");
    const read = await call("GET", `/users/${id}`, { token, version: "v1" });
    expect(read.body.subscription).toEqual({ status: "none", since: null });
    const written = await call("PATCH", `/users/${id}`, { token, version: "v1", body: { phone: "1" } });
    expect(written.status).toBe(200);
    expect(JSON.stringify(made().openApi("v1"))).not.toMatch(/Answers 428/);
  });

  test("names no other version in its change log, its documents, its deprecations and its problems", () => {
    const own = made();
    expect(own.changeLog().entries).toEqual([]);
    expect(JSON.stringify([app.openApi("v1")["x-deprecations"] ?? null, own.changeLog()])).not.toMatch(/v2/);
    expect(() => own.openApi("v2")).toThrow("There is no version v2; there are v1.");
    expect(made({ versions: builtInVersions }).changeLog().entries).not.toEqual([]);
  });
});

describe("If-Match", () => {
  const header = (options: Omit<AppOptions, "ports">, version: string): boolean =>
    /Answers 428/.test(JSON.stringify(made(options).openApi(version)));
  const second = {
    id: "v2",
    released: "2027-02-01",
    changes: [change("if-match", requireHeader("if-match"))],
  } as const;

  test.each([
    ["is optional unless the application says otherwise", {}, ["v1"], []],
    ["is required in every version of an application that says so", { preconditions: "required" }, ["v1"], ["v1"]],
    ["is required from the version on that requires it", { versions: [first, second] }, ["v1", "v2"], ["v2"]],
    ["is required in v2 of the bare server", { versions: builtInVersions }, ["v1", "v2"], ["v2"]],
  ] as const)("%s", (_what, options, versions, requiring) => {
    expect(versions.filter((id) => header(options, id))).toEqual(requiring);
  });
});

/** A later Postern: what was `phone` is called `telephone`. */
const fields = Object.fromEntries(
  Object.entries(user.fields).map(([name, field]) => [name === "phone" ? "telephone" : name, field]),
);
const upgradedUser: Resource = { ...user, fields, fieldNames: Object.keys(fields) };

const renaming: readonly VersionChange[] = [
  change("users-have-telephones", renameField({ resource: "user", from: "phone", to: "telephone" })),
];

const upgraded: BuiltIn = {
  shapes: [renaming],
  newest: (one) => (one.name === "user" ? upgradedUser : one),
};

describe("an upgrade that changes the built-in resources", () => {
  const before = testApi({ versions: [first] });
  const after = testApi({ versions: [first] }, {}, (options) => createAppOf(upgraded, options));

  test("leaves the document, the change log and the answers of v1 as they were, byte for byte", async () => {
    const story = async ({ app, call, user: signUp }: typeof before) => {
      const { id, token } = await signUp("ada");
      const ask = async (...[method, target, options]: Parameters<typeof call>) => {
        const { status, body } = await call(method, target, { token, ...options, version: "v1" });
        return JSON.stringify([status, body]);
      };
      const text = [
        JSON.stringify(app.changeLog()),
        await ask("PATCH", `/users/${id}`, { body: { phone: "12" } }),
        await ask("GET", `/users/${id}?fields=phone,name`),
        await ask("PATCH", `/users/${id}`, { body: { telephone: "12" } }),
        await ask("GET", `/users/${id}?fields=nonsense`),
        await ask("PATCH", `/users/${id}`, { body: { phone: 12 } }),
      ];
      return text
        .join("\n")
        .replaceAll(id, "ID")
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
    };
    const told = await story(before);
    expect(await story(after)).toBe(told);
    expect(told).toContain('"phone":"12"');
    // The operators' part is in the newest shape at once.
    const document = ({ app }: typeof before): string =>
      JSON.stringify(app.openApi("v1"), (name, value) => (name === "invited_user" ? undefined : value));
    expect(document(after)).toBe(document(before));
  });

  test("shows in the next version once that names the changes", async () => {
    const versions = [first, { id: "v2", released: "2027-02-01", changes: renaming }] as const;
    const { call, user: signUp, app } = testApi({ versions }, {}, (options) => createAppOf(upgraded, options));
    const { id, token } = await signUp("bob");
    await call("PATCH", `/users/${id}`, { token, version: "v2", body: { telephone: "3" } });
    expect((await call("GET", `/users/${id}`, { token, version: "v1" })).body).toMatchObject({ phone: "3" });
    expect(app.changeLog().entries.map((entry) => [entry.api_version, entry.id])).toContainEqual([
      "v2",
      "v2-users-have-telephones-user-telephone",
    ]);
  });

  test("is what the application's own code and the operators' part have at once", async () => {
    const principal = { kind: "operator", name: "test" } as const;
    const body = { name: "Cleo", email: "cleo@example.com" };
    const made = await after.app.run({
      operation: "users.create",
      principal,
      body: { ...body, telephone: "4", password: "correct horse battery" },
    });
    expect(made.body).toMatchObject({ telephone: "4" });
  });

  test.each([
    [[{ ...first, builtIn: 3 }], /version v1: builtIn: there is no shape 3 of the built-in resources; the newest is 2/],
    [[{ ...first, builtIn: 0 }], /"builtIn" must be a whole number, 1 or more/],
    [[first, { id: "v2", released: "2027-02-01", changes: [], builtIn: 2 }], /builtIn belongs to the oldest version/],
    [
      [
        { ...first, builtIn: 2 },
        { id: "v2", released: "2027-02-01", changes: renaming },
      ],
      /has shape 2 already; leave out builtInChanges\(2\)/,
    ],
  ] as const)("is refused where versions do not fit it %#", (versions, said) => {
    expect(() => createAppOf(upgraded, { ports: memoryPorts(), versions: versions as never })).toThrow(said);
  });
});

test("a shape that does not exist has no changes to add", () => {
  expect(() => builtInChanges(2)).toThrow("there is no shape 2 with changes; the newest shape is 1");
});
