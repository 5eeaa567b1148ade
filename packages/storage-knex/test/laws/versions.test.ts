import { boolean, choice, defineResource, integer, nullable, reference, type Storage, text } from "@postern/core";
import {
  type Effect,
  nestField,
  removeField,
  renameEndpoint,
  renameField,
  replaceField,
  requireHeader,
  type VersionDefinition,
  wrapLists,
} from "@postern/rest";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { listed, ofUsers, place } from "../../../app/test/versions/fields-of-change.ts";
import { onEachDatabase, withKnex } from "../databases.ts";
import { type Caller, callerOn, type Reply, storeUsers } from "./caller.ts";
import { type Draw, holds, lawTimeoutMs } from "./law.ts";

/** A field of each kind that changes can be about. */
const thing = defineResource({
  name: "thing",
  plural: "things",
  description: "A thing.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
    label: text(20, { ...listed, default: "l", description: "A text." }),
    title: nullable(text(20, { ...listed, description: "A text, or none." })),
    cents: integer({ min: -999, max: 999, ...listed, default: 0, description: "A number." }),
    level: choice(["low", "mid", "high"], { ...listed, default: "low", description: "A word." }),
    done: boolean({ filter: "everyone", default: false, description: "Yes or no." }),
    place,
    secret: text(20, { read: "nobody", default: "s", description: "Never read." }),
  },
  ...ofUsers,
});

/** A member as one version has it. */
interface Shown {
  readonly name: string;
  readonly form: "text" | "number" | "word" | "yes-no" | "object" | "inner" | "constant";
  readonly draw: (draw: Draw) => unknown;
}

const word = (draw: Draw): string => draw.one(["a", "B", "ä", "label", "low", "x y"]);
const newest: readonly Shown[] = [
  { name: "label", form: "text", draw: word },
  { name: "title", form: "text", draw: (draw) => (draw.chance(0.3) ? null : word(draw)) },
  { name: "cents", form: "number", draw: (draw) => draw.from(-999, 999) },
  { name: "level", form: "word", draw: (draw) => draw.one(["low", "mid", "high"]) },
  { name: "done", form: "yes-no", draw: (draw) => draw.chance(0.5) },
  { name: "place", form: "object", draw: (draw) => ({ city: draw.chance(0.2) ? null : word(draw), country: "IT" }) },
];
const freshNames = ["alpha", "beta", "gamma", "delta", "label", "title", "cents", "level", "low", "text"];
const onThing = { resource: "thing" } as const;

/** Without what floating point adds behind the sixth decimal. */
const exact = (value: number): number => Number(value.toFixed(6));

/** An older form of a member, with both conversions. */
const reformed = (member: Shown, older: string, draw: Draw): readonly [Effect, Shown] | undefined => {
  const field = { ...onThing, from: older, to: member.name };
  if (member.form === "number" && draw.chance(0.5)) {
    const effect = replaceField({
      ...field,
      schemaDown: () => ({ type: "number" }),
      down: (value) => exact(Number(value) / 100),
      up: (value) => exact(Number(value) * 100),
    });
    return [effect, { name: older, form: "number", draw: (again) => exact((member.draw(again) as number) / 100) }];
  }
  if (member.form === "number") {
    const effect = replaceField({
      ...field,
      schemaDown: () => ({ type: "string", pattern: "^-?[0-9.]{1,10}$" }),
      down: String,
      up: Number,
    });
    return [effect, { name: older, form: "text", draw: (again) => String(member.draw(again)) }];
  }
  if (member.form === "word") {
    const effect = replaceField({
      ...field,
      schemaDown: () => ({ type: "boolean" }),
      down: (value) => value === "high",
      up: (value) => (value === true ? "high" : "low"),
    });
    return [effect, { name: older, form: "yes-no", draw: (again) => again.chance(0.5) }];
  }
  if (member.form === "yes-no") {
    const effect = replaceField({
      ...field,
      schemaDown: () => ({ type: "integer", minimum: 0, maximum: 1 }),
      down: (value) => (value === true ? 1 : 0),
      up: (value) => value === 1,
    });
    return [effect, { name: older, form: "number", draw: (again) => again.from(0, 1) }];
  }
  if (member.form === "object") {
    const effect = nestField({ ...onThing, from: older, into: member.name, as: "city" });
    return [effect, { name: older, form: "inner", draw: (again) => (again.chance(0.2) ? null : word(again)) }];
  }
  return undefined;
};

interface World {
  readonly versions: readonly VersionDefinition[];
  /** The shapes that the versions show, oldest first. */
  readonly shown: readonly (readonly Shown[])[];
  /** The paths of the list and of one row in each version. */
  readonly paths: readonly { readonly list: string; readonly one: string }[];
}

/**
 * Draws a chain of versions, beginning with the newest. Each change starts from the shape that the
 * next newer version shows.
 */
const drawWorld = (draw: Draw): World => {
  let members = newest;
  let paths = { list: "/users/{id}/things", one: "/things/{id}" };
  let wraps = true;
  const shown = [members];
  const allPaths = [paths];
  const definitions: VersionDefinition[] = [];
  const count = draw.from(2, 4);
  for (let number = count; number > 1; number -= 1) {
    const changes: VersionDefinition["changes"][number][] = [];
    for (let each = draw.from(1, 2); each > 0; each -= 1) {
      const effects: Effect[] = [];
      const touched = draw.some(members, 0.4);
      const free = draw.shuffled(freshNames.filter((name) => !members.some((member) => member.name === name)));
      const [one, other] = touched;
      if (one !== undefined && other !== undefined && draw.chance(0.3)) {
        // Two members exchange their names.
        for (const [from, to] of [
          [one, other],
          [other, one],
        ] as const) {
          effects.push(renameField({ ...onThing, from: from.name, to: to.name }));
        }
        members = members.map((member) =>
          member === one ? { ...one, name: other.name } : member === other ? { ...other, name: one.name } : member,
        );
      } else {
        for (const member of touched) {
          if (member.form === "constant") continue;
          const older = draw.chance(0.3) ? member.name : (free.pop() ?? member.name);
          const made = draw.chance(0.5) ? reformed(member, older, draw) : undefined;
          if (made === undefined && older === member.name) continue;
          const [effect, next] = made ?? [
            renameField({ ...onThing, from: older, to: member.name }),
            { ...member, name: older },
          ];
          effects.push(effect);
          members = members.map((each) => (each === member ? next : each));
        }
      }
      const name = free.pop();
      if (name !== undefined && draw.chance(0.3)) {
        effects.push(removeField({ ...onThing, field: name, schema: z.enum(["calm", "wild"]), value: "calm" }));
        members = [...members, { name, form: "constant", draw: () => "calm" }];
      }
      if (wraps && draw.chance(0.2)) {
        effects.push(wrapLists());
        wraps = false;
      }
      if (draw.chance(0.2)) effects.push(requireHeader("if-match"));
      if (draw.chance(0.3)) {
        const plural = `olds-${number}-${each}`;
        const next = { list: `/users/{id}/${plural}`, one: `/${plural}/{id}` };
        effects.push(
          renameEndpoint({ from: next.list, to: paths.list }),
          renameEndpoint({ from: next.one, to: paths.one }),
        );
        paths = next;
      }
      changes.unshift({ id: `c-${number}-${each}`, kind: "changed", title: "T", why: "W", migration: "M", effects });
    }
    definitions.unshift({ id: `v${number}`, released: `2026-01-0${number}`, changes });
    shown.unshift(members);
    allPaths.unshift(paths);
  }
  return { versions: [{ id: "v1", released: "2026-01-01", changes: [] }, ...definitions], shown, paths: allPaths };
};

type Row = Record<string, unknown>;

/** One version of a world, and the newest beside it. */
interface Scene {
  readonly caller: Caller;
  readonly version: string;
  readonly shown: readonly Shown[];
  readonly list: string;
  readonly one: (id: unknown) => string;
}

const told = (scene: Scene, what: string, reply: Reply): string =>
  `${scene.version} ${what}: ${JSON.stringify(reply.body)}`;

const send = async (scene: Scene, method: string, target: string, body?: unknown): Promise<Reply> => {
  const reply = await scene.caller.call("ada", method, target, body, scene.version);
  expect(reply.status, told(scene, `${method} ${target}`, reply)).toBeLessThan(500);
  expect(JSON.stringify(reply.body ?? {}), `${method} ${target}`).not.toMatch(/undefined|\u{FFFF}/u);
  return reply;
};

const rowsOf = ({ body }: Reply): readonly Row[] => (Array.isArray(body) ? body : body.data);

const stored = async ({ caller }: Scene, id: unknown): Promise<Row> => {
  const { body } = await caller.call("ada", "GET", `/things/${id}`);
  const { updated_at: _changed, ...row } = body;
  return row;
};

const drawValues = (scene: Scene, draw: Draw): Row =>
  Object.fromEntries(
    draw
      .some(
        scene.shown.filter(({ form }) => form !== "object"),
        0.6,
      )
      .map((member) => [member.name, member.draw(draw)]),
  );

/** A row that is read and put back stays the same. A patch changes only what it names. */
const writesKeepTheirWord = async (scene: Scene, draw: Draw): Promise<void> => {
  const row = draw.one(rowsOf(await send(scene, "GET", `${scene.list}?limit=100`)));
  const before = await stored(scene, row.id);
  const back = await send(scene, "PUT", scene.one(row.id), row);
  expect(back.status, told(scene, `PUT ${JSON.stringify(row)}`, back)).toBe(200);
  expect(await stored(scene, row.id)).toEqual(before);

  const patch = drawValues(scene, draw);
  const patched = await send(scene, "PATCH", scene.one(row.id), patch);
  expect(patched.status, told(scene, `PATCH ${JSON.stringify(patch)}`, patched)).toBe(200);
  expect({ ...patched.body, updated_at: null }).toEqual({ ...row, ...patch, updated_at: null });
  expect((await send(scene, "GET", scene.one(row.id))).body).toEqual(patched.body);
};

/** A new row shows what was sent, and the defaults of what was left out. */
const createsKeepTheirWord = async (scene: Scene, draw: Draw): Promise<void> => {
  const values = drawValues(scene, draw);
  const made = await send(scene, "POST", scene.list, values);
  expect(made.status, told(scene, `POST ${JSON.stringify(values)}`, made)).toBe(201);
  expect(made.body).toMatchObject(values);
};

/**
 * A filter finds the rows that show the value, and an order is that of the shown values. Otherwise
 * the version refuses them.
 */
const listsKeepTheirWord = async (scene: Scene, draw: Draw): Promise<void> => {
  const all = rowsOf(await send(scene, "GET", `${scene.list}?limit=100`));
  for (const { name, form } of scene.shown) {
    const value = draw.one(all)[name];
    if (value !== null && typeof value !== "object") {
      const op = draw.one(["eq", "ne", "lt", "gte"]);
      const query = new URLSearchParams({ limit: "100", [`filter[${name}][${op}]`]: String(value) });
      const reply = await send(scene, "GET", `${scene.list}?${query}`);
      expect([200, 400], told(scene, String(query), reply)).toContain(reply.status);
      if (form === "constant" || form === "inner") expect(reply.status).toBe(400);
      else if (op === "eq") expect(reply.status, told(scene, String(query), reply)).toBe(200);
      if (reply.status === 200) {
        const holdsFor: Record<string, (row: Row) => boolean> = {
          eq: (row) => row[name] === value,
          ne: (row) => row[name] !== null && row[name] !== value,
          lt: (row) => row[name] !== null && Number(row[name]) < Number(value),
          gte: (row) => row[name] !== null && Number(row[name]) >= Number(value),
        };
        const ids = (rows: readonly Row[]): unknown[] => rows.map(({ id }) => id).toSorted();
        expect(ids(rowsOf(reply)), String(query)).toEqual(ids(all.filter((row) => holdsFor[op]?.(row) === true)));
      }
    }
    const sorted = await send(scene, "GET", `${scene.list}?limit=100&sort=${name}`);
    if (sorted.status !== 200) continue;
    const values = rowsOf(sorted).map((row) => row[name]);
    const order = values.toSorted((one, other) => {
      if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
      if (typeof one === "number") return one - Number(other);
      return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
    });
    expect(values, `${scene.version} sort=${name}`).toEqual(order);
  }
};

/**
 * A version shows its own members, knows no others, selects by them, and gives different selections
 * different tags.
 */
const namesKeepTheirWord = async (scene: Scene, draw: Draw): Promise<void> => {
  const row = draw.one(rowsOf(await send(scene, "GET", `${scene.list}?limit=100`)));
  const own = new Set(["id", "user_id", "created_at", "updated_at", ...scene.shown.map(({ name }) => name)]);
  expect(new Set(Object.keys(row))).toEqual(own);
  const strange = [...freshNames, ...newest.map(({ name }) => name)].filter((name) => !own.has(name));
  if (strange.length > 0) {
    const name = draw.one(strange);
    for (const query of [`sort=${name}`, `filter[${name}]=1`, `fields=${name}`]) {
      expect((await send(scene, "GET", `${scene.list}?${query}`)).status, `${scene.version} ${query}`).toBe(400);
    }
    const refused = await send(scene, "PATCH", scene.one(row.id), { [name]: "x" });
    expect(refused.body).toMatchObject({ status: 400, errors: [{ pointer: `/${name}`, code: "unknown_field" }] });
  }
  const tags = new Map<string, string>();
  for (let n = 0; n < 3; n += 1) {
    const fields = ["id", ...draw.some(scene.shown).map(({ name }) => name)];
    const { body, headers } = await send(scene, "GET", `${scene.one(row.id)}?fields=${fields}`);
    expect(Object.keys(body).toSorted()).toEqual(fields.toSorted());
    const content = JSON.stringify(body);
    expect(tags.get(headers.etag ?? "") ?? content, `${scene.version} ${fields}`).toBe(content);
    tags.set(headers.etag ?? "", content);
  }
};

/** Links lead to something in their own version. */
const linksKeepTheirWord = async (scene: Scene): Promise<void> => {
  const below = (link: string): string => link.slice(`/api/${scene.version}`.length);
  const made = await send(scene, "POST", scene.list, {});
  if (made.status === 201)
    expect((await send(scene, "GET", below(made.headers.location ?? ""))).body).toEqual(made.body);
  const { body } = await send(scene, "GET", "/users/me?include=things");
  expect((await send(scene, "GET", below(body.things.link))).status).toBe(200);
};

/** The whole change log of a version. */
const logOf = async (caller: Scene["caller"], version: string): Promise<readonly { readonly id: string }[]> => {
  const entries: { readonly id: string }[] = [];
  for (let cursor = ""; ; ) {
    const target = `/changelog?limit=100&version=${version}${cursor}`;
    const { status, body } = await caller.call("ada", "GET", target, undefined, "");
    expect(status).toBe(200);
    const { data, page } = body as { data: typeof entries; page: { next_cursor: string | null } };
    entries.push(...data);
    if (page.next_cursor === null) return entries;
    cursor = `&cursor=${page.next_cursor}`;
  }
};

const live = async (draw: Draw, storageFor?: () => Promise<Storage>): Promise<void> => {
  const world = drawWorld(draw);
  const used = await storageFor?.();
  const { storage, ...caller } = callerOn({ parts: ["users"], resources: [thing], versions: world.versions }, used);
  await storeUsers(storage);
  for (let n = 0; n < 5; n += 1) {
    const values = Object.fromEntries(newest.map((member) => [member.name, member.draw(draw)]));
    const { status, body } = await caller.call("ada", "POST", "/users/me/things", values);
    expect(status, JSON.stringify(body)).toBe(201);
  }
  for (const [index, shown] of world.shown.entries()) {
    const at = world.paths[index] ?? { list: "", one: "" };
    const scene: Scene = {
      caller,
      version: caller.versions[index] ?? "",
      shown,
      list: at.list.replace("{id}", "me"),
      one: (id) => at.one.replace("{id}", String(id)),
    };
    await createsKeepTheirWord(scene, draw);
    await writesKeepTheirWord(scene, draw);
    await listsKeepTheirWord(scene, draw);
    await namesKeepTheirWord(scene, draw);
    await linksKeepTheirWord(scene);
    // To make a document takes longer than everything else here.
    if (draw.chance(0.05)) {
      const document = await caller.call("ada", "GET", "/openapi.json", undefined, scene.version);
      expect(document.status, told(scene, "GET /openapi.json", document)).toBe(200);
    }
  }
  if (draw.chance(0.8)) return;
  for (const version of caller.versions) {
    const ofTheChain = (await logOf(caller, version)).filter(({ id }) => /^v\d+-c-/.test(id));
    expect(JSON.stringify(ofTheChain)).not.toContain("filter[");
    // How many names `fields` may have depends on the names.
    expect(ofTheChain.filter(({ id }) => id.endsWith("maxItems"))).toEqual([]);
  }
};

describe("a random chain of versions keeps its word in each of them", () => {
  test("in memory", { timeout: lawTimeoutMs }, () => holds("versions", (draw) => live(draw)));
});

onEachDatabase("a random chain of versions keeps its word in each of them", (databases) => {
  test("over HTTP", { timeout: lawTimeoutMs }, async () => {
    const url = databases.url();
    const { storage } = await databases.fresh({ url, parts: ["users"], resources: [thing] });
    // All worlds share one table, because MariaDB takes longer to make it than a world lasts.
    const emptied = async (): Promise<Storage> => {
      await withKnex(url, async (db) => {
        for (const table of ["things", "sessions", "users"]) await db.raw(`DELETE FROM ${table}`);
      });
      return storage;
    };
    await holds(`versions on ${databases.name}`, (draw) => live(draw, emptied));
  });
});
