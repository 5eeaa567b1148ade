import { type AccessRule, defineResource, ownedBy, reference, signedIn, text, where, withRole } from "@postern/core";
import { seededRandomness } from "@postern/core/memory";
import { defineJob, newJob } from "@postern/jobs";
import { defaultLimits, defineOperation, type Method, removeEndpoint, renameEndpoint } from "@postern/rest";
import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript";
import { expect, test } from "vitest";
import { z } from "zod";
import { documentOf, testApi } from "../packages/app/test/api.ts";

const seed = Math.trunc(Date.now() / 1_000);
const { fraction } = seededRandomness(seed);
const among = <One>(...all: readonly [One, ...One[]]): One => all[Math.trunc(fraction() * all.length)] ?? all[0];

const note = defineResource({
  name: "note",
  plural: "notes",
  description: "A note.",
  fields: {
    owner_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
    title: text(50, { description: "What it says." }),
    state: text(10, { description: "Whether it is open." }),
  },
  owner: "owner_id",
  access: { read: ownedBy("owner_id"), update: ownedBy("owner_id"), delete: ownedBy("owner_id") },
});
const job = defineJob<undefined>("told", async () => undefined);

/** Kinds of members, each with a value that fits and one that does not, in a body and in a query. */
const members = {
  word: { schema: z.string().max(5), good: "abc", bad: "abcdef" },
  size: { schema: z.coerce.number().int().min(0).max(9), good: 3, bad: 10 },
  kind: { schema: z.enum(["a", "b"]), good: "a", bad: "c" },
  mail: { schema: z.email(), good: "a@example.com", bad: "nobody" },
} as const;
type Kind = keyof typeof members;
const kinds = Object.keys(members) as [Kind, ...Kind[]];

const objectOf = (names: readonly Kind[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, members[name].schema])));

/** The same schema as another library would give it: with Standard JSON Schema, or without. */
const foreign = (schema: z.ZodType, isDescribed: boolean) => {
  const { validate, jsonSchema } = z.strictObject((schema as z.ZodObject).shape)["~standard"];
  return { "~standard": { version: 1, vendor: "another", validate, ...(isDescribed ? { jsonSchema } : {}) } } as const;
};

let isSpoilt = false;
let owner = "";

const generated = (number: number) => {
  const method: Method = among("GET", "POST", "PUT", "PATCH", "DELETE");
  const queries = method === "GET" || method === "DELETE";
  const onRow = among(true, false);
  const takes = kinds.filter(() => among(true, false));
  const answers = kinds.filter((_kind, index) => index === number % 4 || among(true, false));
  const library = among("zod", "described", "bare");
  const isBare = library === "bare" && !queries;
  const id = `${among("op", "do.it")}.x${number}`;
  const path = onRow ? `/notes/{id}/x${number}` : `/x${number}/do`;
  const access: AccessRule | "public" = onRow
    ? among<AccessRule>(signedIn, where("state", "open"), ownedBy("owner_id"), withRole("keeper"))
    : among<AccessRule | "public">("public", signedIn, withRole("keeper"));
  const scope = among(undefined, `things:do-${"abcdefgh"[number % 8]}`);
  const needs =
    access === "public" ? scope : (scope ?? `${onRow ? "notes" : `x${number}`}:${method === "GET" ? "read" : "write"}`);
  const refuses = among(true, false);
  const schema = objectOf(takes);
  const good = Object.fromEntries(answers.map((name) => [name, members[name].good]));
  const operation = defineOperation({
    id,
    method,
    path,
    summary: `Do ${number}`,
    access,
    ...(onRow ? { on: note } : {}),
    ...(takes.length === 0 ? {} : { input: library === "zod" ? schema : foreign(schema, !isBare) }),
    output: library === "zod" ? objectOf(answers) : foreign(objectOf(answers), library === "described"),
    ...(refuses ? { errors: { [`no_${"abcdefgh"[number % 8]}`]: "Not this one." } } : {}),
    ...(scope === undefined ? {} : { scope }),
    handle: async (call) => {
      const made = isSpoilt ? { ...good, [answers[0] ?? ""]: { not: "this" } } : good;
      if (method === "GET" || among(true, false, false)) return made;
      return call.write(async (tx) => {
        await tx.rows.notes?.create({ owner_id: owner, title: `by ${id}`, state: "shut" });
        await tx.enqueue(newJob(job, undefined));
        return made;
      });
    },
  });
  return { operation, id, method, queries, path, onRow, takes, answers, access, needs, refuses, isBare, good };
};

const all = Array.from({ length: 60 }, (_, number) => generated(number));
const isMoved = ({ path }: { readonly path: string }): boolean => /x\d*[05]\b/.test(path);
const isGone = ({ path }: { readonly path: string }): boolean => /x\d*7\b/.test(path);
const pathIn = (version: string, { path }: { readonly path: string }): string =>
  version === "v1" && isMoved({ path }) ? path.replace(/x(\d+)/, "old$1") : path;

const versions = [
  { id: "v1", released: "2026-01-01", changes: [] },
  {
    id: "v2",
    released: "2026-06-01",
    changes: [
      {
        id: "moved",
        kind: "renamed",
        title: "Some have moved",
        why: "Order.",
        migration: "Call the new paths.",
        effects: all
          .filter((one) => isMoved(one) && !isGone(one))
          .map((one) => renameEndpoint({ from: pathIn("v1", one), to: one.path })),
      },
      {
        id: "gone",
        kind: "removed",
        title: "Some are gone",
        why: "Nobody needs them.",
        migration: "Do without.",
        effects: all.filter(isGone).map(({ operation }) => removeEndpoint(operation)),
      },
    ],
  },
] as const;

const scene = async () => {
  const api = testApi({
    parts: ["users"],
    resources: [note],
    jobs: [job],
    versions,
    operations: all.filter((one) => !isGone(one)).map(({ operation }) => operation),
    roles: { keeper: { scopes: [], description: "Keeps." } },
    settings: { limits: { ...defaultLimits, default: { limit: 5_000, windowMs: 60_000 } } },
  });
  const root = await api.admin();
  const ada = await api.user("ada");
  owner = ada.id;
  await api.call("PATCH", `/users/${ada.id}`, { token: root.token, body: { role: "keeper" } });
  const row = await api.call("POST", "/notes", { token: ada.token, body: { title: "first", state: "open" } });
  const keys = new Map<string, string>();
  const keyFor = async (scope: string): Promise<string> => {
    const known = keys.get(scope);
    if (known !== undefined) return known;
    const { body } = await api.call("POST", "/api-keys", { token: ada.token, body: { name: scope, scopes: [scope] } });
    keys.set(scope, body.key);
    return body.key;
  };
  return { ...api, id: String(row.body.id), keyFor };
};

/** What remains of a call. */
const effects = async ({ ports }: Awaited<ReturnType<typeof scene>>) => {
  const { resources, jobRecords, audit } = ports.storage;
  const order = [{ field: "id", direction: "asc" }] as const;
  const rows = await resources.list(note, { scope: { where: { all: [] } }, where: { all: [] }, order, limit: 1_000 });
  const entries = await audit.list({ limit: 1_000 });
  return {
    rows: rows.length,
    jobs: (await jobRecords.list({ limit: 1_000 })).length,
    audited: entries.map(({ action, result }) => `${action} ${result}`),
  };
};

test(`60 declared operations are what documents, client types, limits, audit and scopes say (seed ${seed})`, async () => {
  const api = await scene();
  const { call, app, id, keyFor } = api;
  for (const version of ["v1", "v2"]) {
    const here = all.filter((one) => version === "v1" || !isGone(one));
    const document = await documentOf(call, version);
    const types = astToString(await openapiTypescript(app.openApi(version) as unknown as OpenAPI3));
    for (const one of here) {
      const what = `${version} ${one.method} ${one.path}`;
      const path = pathIn(version, one);
      const described = document.paths[path]?.[one.method.toLowerCase()];
      expect(described?.operationId, what).toBe(one.id);
      expect(types, what).toMatch(new RegExp(`${/^\w+$/.test(one.id) ? one.id : `"${one.id}"`}: \\{`));
      expect(types, what).toContain(`"${path}": {`);
      expect(described.security.at(-1).bearer, what).toEqual(one.needs === undefined ? [] : [one.needs]);
      expect(Object.keys(described.responses), what).toEqual(expect.arrayContaining(["200", "429", "500"]));
      expect(JSON.stringify(described.responses["409"] ?? "").includes("no_"), what).toBe(one.refuses);
      const named = one.queries
        ? described.parameters.flatMap((each: { in: string; name: string }) => (each.in === "query" ? [each.name] : []))
        : Object.keys(described.requestBody?.content["application/json"].schema.properties ?? {});
      expect(named.toSorted(), what).toEqual(one.isBare ? [] : one.takes.toSorted());

      const target = (values: Record<string, unknown>) => {
        const query = new URLSearchParams(
          Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]),
        );
        return path.replace("{id}", id) + (one.queries && query.size > 0 ? `?${query}` : "");
      };
      const ask = (values: Record<string, unknown>, token: string | undefined) =>
        call(one.method, target(values), {
          version,
          ...(token === undefined ? {} : { token }),
          ...(one.queries || one.takes.length === 0 ? {} : { body: values }),
        });
      const input = Object.fromEntries(one.takes.map((name) => [name, members[name].good]));
      const token = await keyFor(one.needs ?? "users:read");

      const other = await keyFor("users:write");

      const before = await effects(api);
      // Each is refused in one of the versions, so that the test is short.
      if (version === (isGone(one) || all.indexOf(one) % 2 === 0 ? "v1" : "v2")) {
        if (one.needs !== undefined) {
          expect((await ask(input, other)).body.code, what).toBe("insufficient_scope");
        }
        if (one.access !== "public") expect((await ask(input, undefined)).status, what).toBe(401);
        isSpoilt = true;
        expect((await ask(input, token)).body.code, what).toBe("bad_output");
        isSpoilt = false;
        const [wrong] = one.takes;
        if (wrong !== undefined) {
          const refused = await ask({ ...input, [wrong]: members[wrong].bad }, token);
          expect([refused.status, refused.body.errors[0][one.queries ? "parameter" : "pointer"]], what).toEqual([
            400,
            one.queries ? wrong : `/${wrong}`,
          ]);
        }
        expect(await effects(api), what).toEqual(before);
      }

      // What fits is answered, limited and audited.
      const answer = await ask(input, token);
      expect([answer.status, answer.body], what).toEqual([200, one.good]);
      expect(answer.headers.ratelimit, what).toBeDefined();
      const after = await effects(api);
      const audited = after.audited.filter((entry) => entry === `${one.id} done`).length;
      const known = before.audited.filter((entry) => entry === `${one.id} done`).length;
      expect(audited - known, what).toBe(one.method === "GET" ? 0 : 1);
      expect(after.rows - before.rows, what).toBe(after.jobs - before.jobs);
    }
  }
}, 60_000);
