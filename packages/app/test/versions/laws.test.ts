import {
  type ChangeKind,
  type Effect,
  nestField,
  type Operation,
  removeField,
  renameField,
  replaceField,
  requireHeader,
  tableEntry,
  type VersionChange,
  wrapLists,
} from "@postern/rest";
import { checkerOf, conversionOf } from "@postern/rest/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { testApi } from "../api.ts";

const author = z
  .object({ id: z.string(), full_name: z.string().optional() })
  .meta({ id: "law_author", "x-resource": "law_author" });
const members = {
  title: z.string().max(50).optional(),
  text: z.string().nullable().optional(),
  place: z.strictObject({ city: z.string(), country: z.string() }).optional(),
  rating: z.int().min(0).max(10).optional(),
};
const note = z
  .object({ id: z.string().optional(), ...members, author: author.nullable().optional() })
  .meta({ id: "law_note", "x-resource": "law_note" });
const written = z.strictObject(members).meta({ id: "law_note_write", "x-resource": "law_note" });
const notes = z.object({ data: z.array(note), page: z.object({ limit: z.int() }) }).meta({ "x-list": true });

const operation = (method: Operation["method"], answer: z.ZodType, body?: z.ZodType): Operation =>
  tableEntry({
    id: "law.operation",
    method,
    path: "/law-notes",
    access: "public",
    summary: "",
    tag: "law",
    ...(body === undefined ? {} : { body }),
    success: { status: 200, description: "", body: answer },
    handle: () => Promise.reject(new Error("never called")),
  });

/** Changes that can be made one after the other in any order, each from the newest form of its member back. */
const pool: readonly (readonly Effect[])[] = [
  [wrapLists()],
  [renameField({ resource: "law_note", from: "headline", to: "title" })],
  [renameField({ resource: "law_note", from: "content", to: "text" })],
  [nestField({ resource: "law_note", from: "city", into: "place", as: "city" })],
  [
    replaceField({
      resource: "law_note",
      from: "rating",
      to: "rating",
      schemaDown: () => ({ type: "string", enum: ["low", "high"] }),
      down: (value) => (Number(value) < 5 ? "low" : "high"),
      up: (value) => (value === "low" ? 0 : 10),
    }),
  ],
  [removeField({ resource: "law_note", field: "mood", schema: z.enum(["calm"]), value: "calm" })],
  [renameField({ resource: "law_author", from: "display_name", to: "full_name" })],
  [requireHeader("if-match")],
];

const kind: ChangeKind = "changed";
const changesOf = (order: readonly (readonly Effect[])[]): readonly VersionChange[] =>
  order.map((effects, index) => ({ id: `c${index}`, kind, title: "", why: "", migration: "", effects }));

const undo = fc.shuffledSubarray([...pool]).map(changesOf);
const text = fc.string({ maxLength: 20 });
const writable = fc.record(
  {
    title: text,
    text: fc.option(text, { nil: null }),
    place: fc.record({ city: text, country: text }),
    rating: fc.integer({ min: 0, max: 10 }),
  },
  { requiredKeys: [] },
);
const row = fc
  .tuple(writable, fc.option(fc.record({ id: text, full_name: text }), { nil: null }))
  .map(([values, by]) => ({ id: "1", ...values, author: by }));

describe("whatever was changed, in whatever order", () => {
  test("an older answer satisfies the older schema, alone and in a list", () => {
    fc.assert(
      fc.property(undo, fc.array(row, { maxLength: 4 }), (changes, rows) => {
        const one = conversionOf(operation("GET", note), changes);
        const many = conversionOf(operation("GET", notes), changes);
        for (const [conversion, body] of [
          ...rows.map((single) => [one, single] as const),
          [many, { data: rows, page: { limit: 20 } }] as const,
        ]) {
          const answer = conversion.up({ query: new Map(), body: undefined }).answerDown({ status: 200, body });
          if (conversion.answer === undefined) throw new Error("no schema");
          expect(checkerOf(conversion.answer).safeParse(answer.body).error).toBeUndefined();
        }
      }),
    );
  });

  test("a row that comes back as it was read changes nothing, by PUT and by PATCH", () => {
    fc.assert(
      fc.property(undo, writable, (changes, stored) => {
        const read = conversionOf(operation("GET", note), changes)
          .up({ query: new Map(), body: undefined })
          .answerDown({ status: 200, body: stored }).body;
        for (const method of ["PUT", "PATCH"] as const) {
          const up = conversionOf(operation(method, note, written), changes).up({ query: new Map(), body: read });
          // In a patch null means "none", and core fills in what none is.
          expect({ text: stored.text, ...(up.applyTo(stored) as object) }).toEqual({ text: undefined, ...stored });
        }
      }),
    );
  });

  test("what the older version patches it reads back, and nothing else changes", () => {
    fc.assert(
      fc.property(undo, writable, writable, (changes, stored, other) => {
        const convert = (body: unknown): Record<string, unknown> =>
          conversionOf(operation("GET", note), changes)
            .up({ query: new Map(), body: undefined })
            .answerDown({ status: 200, body }).body as Record<string, unknown>;
        const patch = Object.fromEntries(Object.entries(convert(other)).filter(([, value]) => value !== null));
        const conversion = conversionOf(operation("PATCH", note, written), changes);
        const merged = conversion.up({ query: new Map(), body: patch }).applyTo(stored);
        expect(convert(merged)).toMatchObject(patch);
        for (const [name, value] of Object.entries(stored)) {
          if (!(name in other)) expect(merged).toHaveProperty(name, value);
        }
      }),
    );
  });

  test("a name of the newer version is unknown in the older one", () => {
    fc.assert(
      fc.property(undo, fc.constantFrom("title", "text", "place"), (changes, name) => {
        const conversion = conversionOf(operation("PUT", note, written), changes);
        const known = Object.keys(conversion.body?.components.law_note_write?.properties ?? {});
        const { body } = conversion.up({ query: new Map(), body: { [name]: "x" } });
        const accepted = Object.keys(body as object).every((member) => Object.hasOwn(members, member));
        expect(accepted).toBe(known.includes(name));
      }),
    );
  });
});

const statuses = ["none", "trialing", "active", "past_due", "canceled"] as const;
const userWrite = fc.record(
  {
    name: fc.constantFrom("Ada", "Ada L"),
    phone: fc.option(fc.constantFrom("+44", "+1"), { nil: null }),
    subscription_status: fc.constantFrom(...statuses),
    preferences: fc.dictionary(fc.constantFrom("a", "b"), fc.integer({ min: 0, max: 2 })),
  },
  { requiredKeys: [] },
);

describe("a user", () => {
  test("written through v1 is read back through v1 as it was written, whatever v2 does in between", async () => {
    const api = testApi();
    const root = await api.admin();
    const ada = await api.user("ada");
    const path = `/users/${ada.id}`;
    const openapi = await api.call("GET", "/openapi.json", { version: "v1" });
    const { schemas } = openapi.body.components;
    const v1Schema = checkerOf({ schema: { $ref: "#/components/schemas/user" }, components: schemas });
    await fc.assert(
      fc.asyncProperty(userWrite, fc.constantFrom(...statuses), fc.boolean(), async (patch, status, between) => {
        await api.ports.clock.advance(1000);
        if (between) {
          await api.call("PATCH", path, { token: root.token, body: { subscription: { status } } });
        }
        const options = { token: root.token, version: "v1" };
        const before = (await api.call("GET", path, options)).body;
        const patched = await api.call("PATCH", path, { ...options, body: patch });
        expect(patched.status).toBe(200);
        expect(v1Schema.safeParse(patched.body).error).toBeUndefined();
        const expected = { ...before, ...patch, updated_at: patched.body.updated_at };
        expect(patched.body).toEqual({ ...expected, preferences: { ...before.preferences, ...patch.preferences } });
        expect((await api.call("PUT", path, { ...options, body: patched.body })).body).toEqual(patched.body);
      }),
      { numRuns: 50 },
    );
  });
});
