import { builtInVersions, createApp } from "@postern/app";
import {
  defineResource,
  type Field,
  nullable,
  ownedBy,
  type Resource,
  reference,
  type Storage,
  text,
} from "@postern/core";
import { memoryPorts, memoryStorage } from "@postern/core/memory";
import { describe, expect, test } from "vitest";
import { onEachDatabase, openStorage } from "../databases.ts";
import { type Caller, callerOn, storeUsers } from "./caller.ts";
import { type Draw, holds, lawTimeoutMs } from "./law.ts";

const long = (word: string): string => word.repeat(30).slice(0, 30);

/** Names of which some are others joined, and names that documents and indexes make of names. */
const resourceNames = ["a", "a_b", "b", "b_c", "page", "post_create", "a_with_c", "a_selection", "schema", long("r")];
const plurals = ["a", "a-b", "a-b-c", "b", "b-c", "pages", "a-new", "relations", "component", long("p")];
const fieldNames = ["c", "b_c", "by_c", "c_unique", "user_id_c", "c_desc", "b", long("f"), `${long("f").slice(1)}g`];
const relationNames = ["d", "d_and_e", "e", "relations", "c_d", long("l")];

interface Declared {
  readonly resource: Resource;
  /** Its references to other resources, and those that a row needs. */
  readonly references: Readonly<Record<string, string>>;
  readonly titles: readonly string[];
}

const drawResource = (draw: Draw, before: readonly Declared[], name: string, plural: string): Declared => {
  const targets = [...before.map(({ resource }) => resource.name), name, "user"];
  const fields = new Map<string, Field>();
  const references: Record<string, string> = {};
  const relation = draw.shuffled(relationNames);
  for (let each = draw.from(1, 4); each > 0; each -= 1) {
    const as = relation.pop() ?? "z";
    const to = draw.one(targets);
    const field = `${as.slice(0, 27)}_id`;
    references[field] = to;
    const made = reference(to, { onDelete: "cascade", as, write: "everyone", description: "Another." });
    fields.set(field, to === name ? nullable(made) : made);
  }
  const titles = draw.some(draw.shuffled(fieldNames));
  for (const title of titles) {
    const sort = draw.chance(0.7) ? "everyone" : "nobody";
    fields.set(title, text(20, { unique: draw.chance(0.2), sort, filter: "everyone", description: "Its title." }));
  }
  const sortable = titles.filter((title) => fields.get(title)?.sort === "everyone");
  const lists = sortable.length < 2 ? [] : [draw.shuffled(sortable).slice(0, 3), draw.shuffled(sortable).slice(0, 2)];
  const parents = Object.entries(references).filter(([, to]) => to !== name);
  const [field, resource] = parents.length > 0 && draw.chance(0.5) ? draw.one(parents) : [];
  const above = field === undefined ? undefined : fields.get(field);
  // The path names the parent of a new row.
  if (field !== undefined && above !== undefined) fields.set(field, { ...above, write: "nobody" });
  const declared: Readonly<Record<string, Field>> = {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
    ...Object.fromEntries(fields),
  };
  return {
    references,
    titles,
    resource: defineResource({
      name,
      plural,
      description: "Something.",
      fields: declared,
      owner: "user_id",
      access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
      lists,
      ...(field === undefined || resource === undefined
        ? {}
        : { parent: { resource, field, createRequires: "read", listAll: true } }),
    }),
  };
};

/** The declarations, each after those that it refers to. */
const drawDeclarations = (draw: Draw): readonly Declared[] => {
  const [names, paths] = [draw.shuffled(resourceNames), draw.shuffled(plurals)];
  const declared: Declared[] = [];
  for (let each = draw.from(1, 4); each > 0; each -= 1)
    declared.push(drawResource(draw, declared, names.pop() ?? "x", paths.pop() ?? "y"));
  return declared;
};

/** Whether the application starts; a declaration that two relations or paths contradict may not. */
const starts = (resources: readonly Resource[]): boolean => {
  try {
    createApp({ ports: memoryPorts(), parts: ["users"], resources });
    return true;
  } catch (thrown) {
    expect(String(thrown)).toMatch(/has two relations named|has the name of a field/);
    return false;
  }
};

/** Creates a row of each resource, and answers it with everything that can be included. */
const live = async (draw: Draw, declared: readonly Declared[], storage: Storage): Promise<void> => {
  await storeUsers(storage);
  const resources = declared.map(({ resource }) => resource);
  const { call }: Caller = callerOn({ parts: ["users"], resources, versions: builtInVersions }, storage);
  const { body: ada } = await call("ada", "GET", "/users/me");
  const rows = new Map<string, string>([["user", ada.id]]);
  for (const { resource, references, titles } of declared) {
    const { name, plural, parent } = resource;
    const body = Object.fromEntries([
      ...titles.map((title) => [title, `${draw.from(1, 1e9)}`]),
      ...Object.entries(references).flatMap(([field, to]) =>
        to === name || field === parent?.field ? [] : [[field, rows.get(to)]],
      ),
    ]);
    const above = resources.find((one) => one.name === parent?.resource)?.plural ?? "users";
    const list = parent === undefined ? `/${plural}` : `/${above}/${rows.get(parent.resource)}/${plural}`;
    const made = await call("ada", "POST", list, body);
    expect(made.status, `POST ${list} ${JSON.stringify(body)}: ${JSON.stringify(made.body)}`).toBe(201);
    rows.set(name, made.body.id);
    const relations = Object.keys(references).flatMap((field) => resource.fields[field]?.references?.as ?? []);
    for (const target of [
      `/${plural}/${made.body.id}?include=${relations}`,
      `/${plural}?include=${relations}`,
      ...resource.fieldNames.flatMap((field) =>
        resource.fields[field]?.sort === "everyone" ? [`${list}?sort=-${field}`] : [],
      ),
    ]) {
      const read = await call("ada", "GET", target);
      expect(read.status, `${target}: ${JSON.stringify(read.body)}`).toBe(200);
      const row = target.includes("?include=") ? (read.body.data?.[0] ?? read.body) : undefined;
      for (const relation of relations) if (row !== undefined) expect(Object.keys(row), target).toContain(relation);
    }
  }
  // To make a document takes longer than everything else here.
  if (draw.chance(0.8)) return;
  for (const version of ["v1", "v2"]) {
    const { status, body } = await call("ada", "GET", "/openapi.json", undefined, version);
    expect(status).toBe(200);
    for (const { resource } of declared) expect(body.paths).toHaveProperty([`/${resource.plural}/{id}`]);
  }
};

describe("resources that refer to each other", () => {
  test("are served in memory", { timeout: lawTimeoutMs }, () =>
    holds("references in memory", async (draw) => {
      const declared = drawDeclarations(draw);
      if (starts(declared.map(({ resource }) => resource))) await live(draw, declared, memoryStorage());
    }),
  );
});

onEachDatabase("resources that refer to each other", ({ name, url }) => {
  test("are stored and served", { timeout: lawTimeoutMs }, () =>
    holds(`references on ${name}`, async (draw) => {
      const declared = drawDeclarations(draw);
      const resources = declared.map(({ resource }) => resource);
      if (!starts(resources)) return;
      const { migrate, storage, close } = openStorage({ url: url(), resources, parts: ["users"], connections: 3 });
      await migrate.latest();
      await live(draw, declared, storage);
      await close();
    }),
  );
});
