import { builtInVersions, createApp } from "@postern/app";
import { choice, defineResource, integer, jsonObject, nullable, ownedBy, reference, text } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import {
  type Effect,
  nestField,
  removeEndpoint,
  removeField,
  renameEndpoint,
  renameField,
  replaceField,
  tableEntry,
  type VersionDefinition,
  wrapLists,
} from "@postern/rest";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { testApi } from "../api.ts";

const rule = ownedBy("user_id");
const thing = defineResource({
  name: "thing",
  plural: "things",
  description: "A thing.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
    colour: choice(["red", "blue"], { default: "red", filter: "everyone", sort: "everyone", description: "How." }),
    size: integer({ default: 0, filter: "everyone", description: "How big." }),
    label: text(20, { default: "x", description: "What." }),
    place: {
      ...jsonObject({ default: { city: "Rome" }, description: "Where." }),
      schema: z.strictObject({ city: z.string() }),
    },
    maybe: nullable({ ...jsonObject({ description: "Where." }), schema: z.strictObject({ city: z.string() }) }),
    free: jsonObject({ default: {}, description: "Anything." }),
  },
  owner: "user_id",
  parent: { resource: "user", field: "user_id", createRequires: "update" },
  access: { read: rule, update: rule, delete: rule },
});

const changeOf = (id: string, ...effects: readonly Effect[]) =>
  ({ id, kind: "changed", title: id, why: "Why.", migration: "How.", effects }) as const;
const versionsWith = (...effects: readonly Effect[]): readonly VersionDefinition[] => [
  ...builtInVersions,
  { id: "v3", released: "2026-11-22", changes: [changeOf("the-change", ...effects)] },
];
const made = (versions: readonly VersionDefinition[]) => () =>
  createApp({ ports: memoryPorts(), resources: [thing], versions });
const onThing = { resource: "thing" } as const;
const whole = {
  schemaDown: (schema: object) => schema,
  down: (value: unknown) => value,
  up: (value: unknown) => value,
};
const old = (id: string, path: string) =>
  tableEntry({
    id,
    method: "GET",
    path,
    access: "public",
    summary: "Old",
    tag: "old",
    success: { status: 200, description: "Old." },
    handle: async () => ({ status: 200 }),
  });

describe("a version table that cannot work does not start", () => {
  test.each<[string, readonly Effect[], string]>([
    [
      "of a resource that is not there",
      [renameField({ resource: "thign", from: "a", to: "colour" })],
      'there is no resource "thign"; did you mean "thing"?',
    ],
    [
      "of a member that is not there",
      [renameField({ ...onThing, from: "a", to: "color" })],
      '"thing" has no member "color" in the newer version; did you mean "colour"?',
    ],
    [
      "onto a name that is in use",
      [renameField({ ...onThing, from: "size", to: "colour" })],
      '"thing.size" is a member of the newer version, too',
    ],
    [
      "onto the name of a relation",
      [renameField({ ...onThing, from: "owner", to: "colour" })],
      '"thing.owner" is a member of the newer version, too',
    ],
    [
      "of two names to one",
      [renameField({ ...onThing, from: "a", to: "colour" }), renameField({ ...onThing, from: "b", to: "colour" })],
      'two effects are about "thing.colour"',
    ],
    [
      "of one name to two",
      [renameField({ ...onThing, from: "a", to: "colour" }), renameField({ ...onThing, from: "a", to: "size" })],
      'two effects give the older version "thing.a"',
    ],
    [
      "that removes what is there",
      [removeField({ ...onThing, field: "size", schema: z.int(), value: 1 })],
      '"thing.size" is still there',
    ],
    [
      "with a value that its schema refuses",
      [removeField({ ...onThing, field: "mood", schema: z.int(), value: "calm" })],
      'the value of "thing.mood" does not satisfy its schema',
    ],
    [
      "into a text",
      [nestField({ ...onThing, from: "city", into: "label", as: "city" })],
      '"thing.label" is no object with the member "city"',
    ],
    [
      "into an object of any members",
      [nestField({ ...onThing, from: "city", into: "free", as: "city" })],
      '"thing.free" is no object',
    ],
    [
      "into an object without the member",
      [nestField({ ...onThing, from: "city", into: "place", as: "citi" })],
      '"thing.place" has no member "citi"; did you mean "city"?',
    ],
    [
      "into an object that can be null",
      [nestField({ ...onThing, from: "city", into: "maybe", as: "city" })],
      '"thing.maybe" can be null',
    ],
    [
      "with a schema that throws",
      [
        replaceField({
          ...onThing,
          from: "size",
          to: "size",
          ...whole,
          schemaDown: () => {
            throw new Error("no way");
          },
        }),
      ],
      'the schema of "thing.size" cannot be made: no way',
    ],
    [
      "of a path that is not there",
      [renameEndpoint({ from: "/a/{id}", to: "/thigs/{id}" })],
      'there is no path /thigs/{id}; did you mean "/things/{id}"?',
    ],
    [
      "of a path onto another one",
      [renameEndpoint({ from: "/posts/{id}", to: "/things/{id}" })],
      "the newer version has operations at /posts/{id}, too",
    ],
    [
      "that removes an operation that is there",
      [removeEndpoint(old("things.read", "/old"))],
      'the newer version still has the operation "things.read"',
    ],
    [
      "that removes what stands at a path in use",
      [removeEndpoint(old("old.read", "/things/{id}"))],
      "the newer version has another operation at GET /things/{id}",
    ],
    ["that wraps lists twice", [wrapLists(), wrapLists()], "lists are wrapped once"],
  ])("a change %s", (_what, effects, message) => {
    expect(made(versionsWith(...effects))).toThrow(`version v3, change "the-change": ${message}`);
  });

  test("all faults are told at once, of all changes", () => {
    const versions: readonly VersionDefinition[] = [
      ...versionsWith(renameField({ ...onThing, from: "a", to: "nothing" })),
      {
        id: "v4",
        released: "2026-11-23",
        changes: [
          changeOf("first", renameField({ ...onThing, from: "color", to: "colour" })),
          changeOf("second", removeField({ ...onThing, field: "size", schema: z.int(), value: 1 })),
          changeOf("the-change"),
        ],
      },
    ];
    expect(made(versions)).toThrow(
      expect.objectContaining({
        faults: [
          'there are two version changes named "the-change"',
          expect.stringContaining('version v3, change "the-change": "thing" has no member "nothing"'),
          expect.stringContaining('version v4, change "second": "thing.size" is still there'),
        ],
      }),
    );
  });
});

describe("a version table that works starts", () => {
  test("with a chain of changes of one member, and names that change places", () => {
    const versions: readonly VersionDefinition[] = [
      ...versionsWith(
        renameField({ ...onThing, from: "colour", to: "shade" }),
        renameField({ ...onThing, from: "label", to: "size" }),
        renameField({ ...onThing, from: "size", to: "label" }),
      ),
      {
        id: "v4",
        released: "2026-11-23",
        changes: [changeOf("again", renameField({ ...onThing, from: "shade", to: "colour" }))],
      },
    ];
    expect(made(versions)).not.toThrow();
  });

  test.each([
    [[{ id: "v1", released: "2026-01-01", changes: [] }]],
    [
      [
        { id: "v5", released: "2026-01-01", changes: [] },
        { id: "v7", released: "2026-01-02", changes: [changeOf("one", wrapLists())] },
      ],
    ],
  ] as const)("also without the built-in versions", async (versions) => {
    const { call } = testApi({ versions });
    const { id } = versions[0];
    expect((await call("GET", "/changelog", { version: id })).status).toBe(200);
    expect((await call("GET", "/openapi.json", { version: id })).status).toBe(200);
  });
});

describe("the change log", () => {
  test("tells the rename of a field that can be filtered by once", async () => {
    const { call } = testApi({
      resources: [thing],
      versions: versionsWith(renameField({ ...onThing, from: "color", to: "colour" })),
    });
    const { data } = (await call("GET", "/changelog?version=v3", { version: "v3" })).body;
    expect(data).toEqual([
      expect.objectContaining({ kind: "renamed", from: "thing.color", to: "thing.colour", breaking: true }),
    ]);
  });

  test("tells another form of such a field without its filters", async () => {
    const { call } = testApi({
      resources: [thing],
      versions: versionsWith(
        replaceField({
          ...onThing,
          from: "size",
          to: "size",
          ...whole,
          schemaDown: () => ({ type: "string" }),
          down: String,
          up: Number,
        }),
      ),
    });
    const { data } = (await call("GET", "/changelog?version=v3", { version: "v3" })).body;
    expect(data).toEqual([expect.objectContaining({ kind: "changed", from: "string", to: "integer" })]);
  });
});
