import { type App, type AppOptions, beforeWrite, createApp, user, userWith } from "@postern/app";
import { createAppOf } from "@postern/app/internal";
import {
  allRows,
  choice,
  integer,
  nullable,
  type Resource,
  type RowOf,
  type RowsOf,
  reference,
  text,
} from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { removeField, renameField, type VersionChange, type VersionDefinition } from "@postern/rest";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { documentOf, testApi } from "./api.ts";
import { mailScene, password } from "./mail-scene.ts";
import { scene as issuerScene } from "./outside-issuer-scene.ts";

const member = userWith({
  fields: {
    company: nullable(text(80, { signUp: true, filter: "everyone", description: "Where they work." })),
    handle: nullable(text(30, { unique: true, write: "everyone", description: "Their short name." })),
    credit: integer({ default: 5, description: "What they may still order." }),
    tier: choice(["free", "paid"], { default: "free", write: "admin", description: "What they pay for." }),
  },
  without: ["phone", "address", "preferences", "subscription"],
});

const blank = { company: null, handle: null, credit: 5, tier: "free" };
const versions: readonly VersionDefinition[] = [{ id: "v1", released: "2027-01-01", changes: [], builtIn: 1 }];
const options = { user: member, versions, parts: ["users"] } satisfies Partial<AppOptions>;
const body = { name: "Ada", email: "ada@example.com", password };
const schemasOf = (app: Pick<App, "openApi">): Readonly<Record<string, unknown>> =>
  Object(app.openApi("v1").components).schemas;
const leftOut = /"(phone|address|preferences|subscription)"/;

describe("a field of an application on user", () => {
  test("is set at sign-up only where it says so, and by callers later only where it says so", async () => {
    const { call, admin } = testApi(options);
    for (const [field, value] of Object.entries({ handle: "ada", credit: 9, tier: "paid" })) {
      const refused = await call("POST", "/users", { body: { ...body, [field]: value } });
      expect([field, refused.status, refused.body.errors]).toEqual([
        field,
        400,
        [expect.objectContaining({ pointer: `/${field}`, code: "field_read_only" })],
      ]);
    }
    const made = await call("POST", "/users", { body: { ...body, company: "Mill" } });
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ ...blank, company: "Mill" })]);
    const { access_token: token } = (await call("POST", "/sessions", { body: { email: body.email, password } })).body;
    const change = async (given: object, by = token) => {
      const { status, body: told } = await call("PATCH", `/users/${made.body.id}`, { token: by, body: given });
      return [status, told.code ?? told];
    };
    expect(await change({ handle: "ada" })).toEqual([200, expect.objectContaining({ handle: "ada" })]);
    for (const given of [{ company: "Shop" }, { credit: 9 }, { tier: "paid" }]) {
      expect(await change(given)).toEqual([400, "field_read_only"]);
    }
    const { token: operator } = await admin();
    expect(await change({ tier: "paid" }, operator)).toEqual([200, expect.objectContaining({ tier: "paid" })]);
    expect(await change({ credit: 9 }, operator)).toEqual([400, "field_read_only"]);
    const listed = await call("GET", "/users?filter[company]=Mill", { token: operator });
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([made.body.id]);
  });

  test("has its default in accounts that are made in another way than by sign-up", async () => {
    const { call, admin, app } = testApi({
      ...options,
      roles: { clerk: { scopes: ["users:read"], description: "Reads." } },
    });
    const { token } = await admin();
    const invited = await call("POST", "/admin/invitations", {
      token,
      body: { name: "Bob", email: "bob@example.com", role: "clerk" },
    });
    expect(invited.body).toMatchObject({ ...blank, role: "clerk" });
    const principal = { kind: "operator", name: "test" } as const;
    const made = await app.run({ operation: "users.create", principal, body });
    expect(made.body).toMatchObject(blank);
    const outside = issuerScene({}, options);
    expect((await outside.me(outside.token())).body).toMatchObject({ ...blank, email: "eve@example.com" });
  });

  test("keeps the value of a sign-up that waits for its address", async () => {
    const { call, work, tokenFor } = await mailScene({ confirmAddresses: true }, {}, options);
    expect((await call("POST", "/users", { body: { ...body, company: "Mill" } })).status).toBe(202);
    await work();
    const made = await call("POST", `/sign-ups/${tokenFor(body.email, "sign-up")}`);
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ ...blank, company: "Mill" })]);
  });

  test("is in documents as callers write and read it", async () => {
    const { call } = testApi(options);
    const { components } = await documentOf(call, "v1");
    const { user_sign_up: signUp, user: row, user_update: change } = components.schemas;
    const own = ({ properties }: { properties: Record<string, { readOnly?: boolean }> }) =>
      Object.keys(blank).flatMap((name) =>
        properties[name] === undefined ? [] : [`${name}${properties[name].readOnly === true ? " (read-only)" : ""}`],
      );
    expect([own(signUp), own(row), own(change)]).toEqual([
      ["company"],
      ["company", "handle", "credit", "tier"],
      ["company (read-only)", "handle", "credit (read-only)", "tier"],
    ]);
  });

  test("is seen by hooks, also where Postern's own code writes the account", async () => {
    const seen: unknown[] = [];
    const hook = beforeWrite(member, ({ before, row }) => {
      seen.push([before?.handle, row?.handle, row?.credit]);
      return before === null ? { credit: 7 } : {};
    });
    const ports = memoryPorts();
    const api = testApi({ ...options, ports, hooks: [hook] }, ports);
    const { id, token } = await api.user("ada");
    await api.call("PATCH", `/users/${id}`, { token, body: { handle: "ada" } });
    await api.app.storage.resources.update(user, { id, scope: allRows("test") }, { name: "Countess" });
    expect(seen).toEqual([
      [undefined, null, 5],
      [null, "ada", 7],
      ["ada", "ada", 7],
    ]);
  });

  test("is known to the rows of the application's own code", async () => {
    expectTypeOf<Pick<RowOf<typeof member>, "company" | "credit" | "tier" | "email">>().toEqualTypeOf<{
      readonly company: string | null;
      readonly credit: number;
      readonly tier: "free" | "paid";
      readonly email: string;
    }>();
    expectTypeOf<keyof RowsOf<readonly [typeof member]>>().toEqualTypeOf<"users">();
    const ports = memoryPorts();
    const api = testApi({ ...options, ports }, ports);
    const { id, token } = await api.user("ada");
    await api.app.transaction(async ({ rows }) => {
      await rows.users?.update(id, { credit: 3, phone: "1" });
    });
    const read = await api.call("GET", "/users/me", { token });
    expect(read.body).toMatchObject({ credit: 3 });
    expect(read.body).not.toHaveProperty("phone");
  });

  test.each([
    [{ fields: { plan: text(9, { description: "A." }) } }, /field "plan": give it a default, or make it nullable/],
    [{ fields: { email: nullable(text(9, { description: "A." })) } }, /field "email": the name is Postern's own/],
    [{ fields: { phone: nullable(text(9, { description: "A." })) }, without: ["phone"] }, /the name is Postern's own/],
    [
      { fields: { nick: nullable(text(9, { unique: true, signUp: true, description: "A." })) } },
      /field "nick": a stranger could learn at sign-up which values are taken/,
    ],
    [
      { fields: { boss_id: nullable(reference("user", { onDelete: "cascade", description: "A." })) } },
      /field "boss_id": a user refers to nothing/,
    ],
    [{ fields: { Plan: nullable(text(9, { description: "A." })) } }, /the field "Plan" must be snake_case/],
    [{ without: ["adress"] }, /without: "adress" cannot be left out; did you mean "address"\?/],
    [{ without: ["email"] }, /without: "email" cannot be left out; phone, address, preferences, subscription can/],
    [{ field: {} }, /userWith: there is no option "field"/],
  ])("is refused if it cannot work: %#", (given, said) => {
    expect(() => userWith(given as never)).toThrow(said);
  });

  test.each([
    [{ user: { fields: {} } }, /user: make it with userWith/],
    [{ user: member, parts: ["inbox"] }, /user: it needs the part "users"/],
  ])("is refused in options that do not fit: %#", (given, said) => {
    expect(() => createApp({ ports: memoryPorts(), ...(given as object) })).toThrow(said);
  });
});

describe("a built-in field that an application leaves out", () => {
  test("is in no answer, body, filter, sort or document, and a new account has its default", async () => {
    const { call, user: signUp, app, ports } = testApi(options);
    const { id, token } = await signUp("ada");
    const answers = [
      await call("GET", "/users/me", { token }),
      await call("PATCH", `/users/${id}`, { token, body: { name: "Countess" } }),
      await call("PUT", `/users/${id}`, { token, body: { name: "Ada", email: "ada@example.com" } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(JSON.stringify(answers.map((one) => one.body))).not.toMatch(leftOut);
    const schemas = schemasOf(app);
    expect(JSON.stringify([schemas.user, schemas.user_sign_up])).not.toMatch(leftOut);
    const refused = [
      await call("GET", "/users/me?fields=phone", { token }),
      await call("PATCH", `/users/${id}`, { token, body: { phone: "1" } }),
      await call("POST", "/users", { body: { ...body, email: "b@example.com", subscription: { status: "active" } } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    const stored = await ports.storage.resources.find(user, id, allRows("test"));
    expect(stored).toMatchObject({
      phone: null,
      preferences: {},
      subscription: { status: "none", since: null },
    });
  });

  const change = (id: string, ...effects: VersionChange["effects"]): VersionChange => ({
    id,
    kind: "renamed",
    title: `It has ${id}`,
    why: "It is better.",
    migration: "Use the new one.",
    effects,
  });
  /** Later Posterns: `phone` is called `telephone`, or is gone. */
  const later = {
    renames: {
      name: "telephone",
      effects: [renameField({ resource: "user", from: "phone", to: "telephone" })],
    },
    removes: {
      name: undefined,
      effects: [removeField({ resource: "user", field: "phone", schema: z.string().nullable(), value: null })],
    },
  } as const;
  const withoutPhone = (given: Resource, name: string | undefined): Resource => {
    const fields = Object.fromEntries(
      Object.entries(given.fields).flatMap(([own, field]) =>
        own !== "phone" ? [[own, field]] : name === undefined ? [] : [[name, field]],
      ),
    );
    return { ...given, fields, fieldNames: Object.keys(fields) };
  };

  test.each(Object.keys(later) as (keyof typeof later)[])(
    "is in no version of an application, also when a later Postern %s it",
    (how) => {
      const { name, effects } = later[how];
      const changes = [change("phones-have-changed", ...effects)];
      const upgraded = {
        shapes: [changes],
        newest: (one: Resource) => (one.name === "user" ? withoutPhone(one, name) : one),
      };
      const both: readonly VersionDefinition[] = [...versions, { id: "v2", released: "2027-02-01", changes }];
      const shown = (given: AppOptions["user"] | undefined, table: readonly VersionDefinition[]): string => {
        const app = createAppOf(upgraded, {
          ports: memoryPorts(),
          parts: ["users"],
          versions: table,
          ...(given === undefined ? {} : { user: given }),
        });
        const schemas = schemasOf(app);
        return JSON.stringify([schemas.user, schemas.user_update, app.changeLog()]);
      };
      for (const table of [versions, both]) {
        expect(shown(member, table)).not.toMatch(/phone"/);
        expect(shown(undefined, table)).toMatch(/phone"/);
      }
    },
  );

  test("takes the bare server's change of it, and what announces it, out of the versions", () => {
    const { versions: _own, ...bare } = options;
    const { app } = testApi(bare);
    expect(JSON.stringify([app.openApi("v1"), app.changeLog()])).not.toMatch(/subscription/);
  });
});

test("an export has what is stored of a field that is left out now, and nothing where it is empty", async () => {
  const ports = memoryPorts();
  const before = testApi({ versions, ports }, ports);
  const { id, token } = await before.user("ada");
  await before.call("PATCH", `/users/${id}`, { token, body: { phone: "12" } });
  const api = testApi({ ...options, ports }, ports);
  const worker = api.app.worker({ name: "only", concurrency: 1 });
  await worker.start();
  const asked = await api.call("POST", "/users/me/exports", { token, body: {} });
  for (let looked = 0; looked < 50; looked += 1) {
    await worker.runDue();
    await ports.clock.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { text: archive = "" } = await api.call("GET", `/users/me/exports/${asked.body.id}/archive`, { token });
  expect(JSON.parse(archive).user).toMatchObject({ name: "ada", phone: "12" });
  expect(archive).not.toMatch(/"(address|preferences|subscription)":[^"]/);
});
