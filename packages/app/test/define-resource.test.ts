import {
  choice,
  decimal,
  defineResource,
  nullable,
  ownedBy,
  type ResourceDefinition,
  reference,
  text,
  timestamp,
} from "@postern/core";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const rule = ownedBy("user_id");
const whose = reference("user", { onDelete: "cascade", as: "owner", description: "Whose." });
const title = text(20, { filter: "everyone", sort: "everyone", description: "What it is called." });

const declare = (changes: Partial<ResourceDefinition> = {}) =>
  defineResource({
    name: "parcel",
    plural: "parcels",
    description: "A parcel.",
    fields: { user_id: whose, title },
    owner: "user_id",
    access: { read: rule, update: rule, delete: rule },
    ...changes,
  });
const withFields = (fields: ResourceDefinition["fields"]) => declare({ fields: { user_id: whose, ...fields } });

describe("a declaration", () => {
  const thirty = "a".repeat(30);
  const state = choice(["a", "b"], { default: "a", description: "State." });
  const stamped = nullable(timestamp({ description: "When." }));
  const lifecycle = { field: "state", initial: ["a"], moves: { a: ["b"] }, stamps: { b: "at" } };

  test.each<[string, () => unknown, string]>([
    ["a name in another spelling", () => declare({ name: "Parcel" }), "the name must be snake_case"],
    ["a plural in another spelling", () => declare({ plural: "my_parcels" }), "must be kebab-case"],
    ["a long name", () => declare({ name: `${thirty}a` }), "longer than 30 characters"],
    ["a long field", () => withFields({ [`${thirty}a`]: title }), "longer than 30 characters"],
    ["a path of ours", () => declare({ plural: "webhooks" }), "the path /webhooks is taken"],
    ["the path of a version", () => declare({ plural: "v3" }), "the path /v3 is taken"],
    ["a field that all have", () => withFields({ revision: title }), 'has a field "revision" already'],
    [
      "a field that objects inherit",
      () => withFields({ constructor: title }),
      'every object has a "constructor" already',
    ],
    [
      "a relation that objects inherit",
      () => withFields({ other_id: reference("user", { onDelete: "cascade", as: "constructor", description: "x" }) }),
      'every object has a "constructor" already',
    ],
    [
      "a default that is none",
      () => withFields({ note: text(2, { default: "long", description: "x" }) }),
      "has a default",
    ],
    [
      "a unique amount",
      () => withFields({ sum: decimal({ digits: 9, decimals: 2, unique: true, description: "x" }) }),
      "cannot be unique",
    ],
    [
      "a list by an unknown field",
      () => declare({ lists: [["colour"]] }),
      'names "colour", by which no caller can sort',
    ],
    ["a list that names a field twice", () => declare({ lists: [["id", "-id"]] }), "names a field twice"],
    [
      "a name from before that is taken",
      () => withFields({ title, name: { ...title, renamedFrom: "title" } }),
      'was called "title", which is another field now',
    ],
    ["an owner that is not there", () => declare({ owner: "boss" }), 'the owner field "boss" is not declared'],
    ["an owner that is nobody", () => declare({ owner: "title" }), 'must be a reference to "user"'],
    [
      "a parent by another field",
      () => declare({ parent: { resource: "post", field: "user_id", createRequires: "read" } }),
      'must be a reference to "post"',
    ],
    ["a lifecycle without its field", () => declare({ lifecycle }), "which is no choice of states"],
    [
      "a move to a state that is not there",
      () =>
        declare({ fields: { user_id: whose, state, at: stamped }, lifecycle: { ...lifecycle, moves: { a: ["c"] } } }),
      'names the state "c"',
    ],
    [
      "a start that the default is not",
      () => declare({ fields: { user_id: whose, state, at: stamped }, lifecycle: { ...lifecycle, initial: ["b"] } }),
      'does not begin in "a"',
    ],
    [
      "a stamp on a field that is not a moment",
      () => declare({ fields: { user_id: whose, state, at: title }, lifecycle }),
      'stamps "at"',
    ],
  ])("with %s is refused when it is read", (_what, read, refusal) => {
    expect(read).toThrow(TypeError);
    expect(read).toThrow(refusal);
  });

  test("may use the words of SQL and of the query, and thirty letters for a name", async () => {
    const parcel = declare({
      name: thirty,
      plural: thirty,
      fields: { user_id: whose, group: title, select: title, limit: title, sort: title, data: title, [thirty]: title },
    });
    const { call, user } = testApi({ resources: [parcel] });
    const { token } = await user("ada");
    const body = { group: "g", select: "s", limit: "l", sort: "o", data: "d", [thirty]: "t" };
    const made = await call("POST", `/${thirty}`, { token, body });
    expect([made.status, made.body]).toMatchObject([201, body]);
    const query = `limit=1&sort=-limit,sort&filter[limit]=l&filter[data][ne]=x&fields=id,data,limit&include=owner&total=true`;
    for (const version of ["v1", "v2"]) {
      const list = await call("GET", `/${thirty}?${query}`, { token, version });
      const [row] = version === "v1" ? list.body : list.body.data;
      expect(row).toMatchObject({ id: made.body.id, data: "d", limit: "l", owner: { name: "ada" } });
    }
  });
});
