import { builtInVersions } from "@postern/app";
import {
  type Deprecation,
  type Operation,
  removeEndpoint,
  renameEndpoint,
  requireHeader,
  tableEntry,
  type VersionChange,
  type VersionDefinition,
} from "@postern/rest";
import { createVersions } from "@postern/rest/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { documentOf, testApi } from "../api.ts";

const greeting = tableEntry({
  id: "greetings.read",
  method: "GET",
  path: "/greetings/{name}",
  access: "public",
  summary: "Greet",
  tag: "about",
  success: { status: 200, description: "A greeting.", body: z.object({ text: z.string() }) },
  handle: async ({ params }) => ({ status: 200, body: { text: `Hello, ${params.name}` } }),
});
const greetingsGo: VersionChange = {
  id: "no-greetings",
  kind: "removed",
  title: "Nobody is greeted any more",
  why: "It was for trying things out.",
  migration: "Greet yourself.",
  effects: [removeEndpoint(greeting)],
};
const v3: VersionDefinition = { id: "v3", released: "2026-11-21", changes: [greetingsGo] };
const versions = [...builtInVersions, v3];
const place = "/greetings/{name}";

describe("an endpoint that the newest version removed", () => {
  test("goes on in every older version, and is nowhere in the newest", async () => {
    const { call } = testApi({ versions });
    for (const version of ["v1", "v2"]) {
      const { status, body } = await call("GET", "/greetings/Ada", { version });
      expect({ status, body }).toEqual({ status: 200, body: { text: "Hello, Ada" } });
    }
    await expect(call("GET", "/greetings/Ada", { version: "v3" })).rejects.toThrow("no operation");
  });

  test("is in the documents of the versions that have it, and in no other", async () => {
    const { call } = testApi({ versions });
    const paths = async (version: string) => (await call("GET", "/openapi.json", { version })).body.paths;
    expect((await paths("v1"))[place].get.operationId).toBe("greetings.read");
    expect((await paths("v2"))[place].get.operationId).toBe("greetings.read");
    expect(await paths("v3")).not.toHaveProperty([place]);
  });

  test("is told as removed, once, by the version that removed it", async () => {
    const { call } = testApi({ versions });
    const { data } = (await call("GET", "/changelog?version=v3")).body;
    expect(data).toEqual([
      {
        id: "v3-no-greetings-greetings.read-removed",
        date: "2026-11-21",
        api_version: "v3",
        kind: "removed",
        breaking: true,
        title: greetingsGo.title,
        target: { type: "endpoint", name: "greetings.read", operations: ["greetings.read"] },
        from: `GET ${place}`,
        to: null,
        description: greetingsGo.why,
        migration: greetingsGo.migration,
        deprecation_id: null,
      },
    ]);
  });

  test("can be announced to go from an older version too, and is 410 there after its sunset, and there alone", async () => {
    const ends: Deprecation = {
      id: "v1-greetings",
      target: { version: "v1", operation: "greetings.read" },
      announced: "2026-01-01",
      deprecated: "2026-02-01",
      sunset: "2026-09-01",
      replacement: { version: "v2", operation: "greetings.read" },
      reason: greetingsGo.why,
      migration: greetingsGo.migration,
    };
    const { call, ports } = testApi({ versions, deprecations: [ends], settings: { enforceSunsets: "on" } });
    await ports.clock.advance(Date.parse("2026-09-01") - ports.clock.now());
    const { status, body } = await call("GET", "/greetings/Ada", { version: "v1" });
    expect({ status, code: body.code }).toEqual({ status: 410, code: "endpoint_removed" });
    expect(body.replacement).toEqual(ends.replacement);
    expect((await call("GET", "/greetings/Ada", { version: "v2" })).status).toBe(200);
  });

  test("cannot stand where the newer version has another", () => {
    const second = { ...greeting, id: "greetings.other" };
    expect(() =>
      createVersions(
        [
          { id: "v1", released: "2026-11-21", changes: [] },
          { ...v3, id: "v2" },
        ],
        [second],
      ),
    ).toThrow("version v1 has two operations at GET /greetings/{name}");
  });
});

describe("a header that v2 demands", () => {
  const parameterOf = async (call: ReturnType<typeof testApi>["call"], version: string) =>
    (await documentOf(call, version)).paths["/users/{id}"].patch.parameters.find(
      ({ name }: { name: string }) => name === "If-Match",
    );

  test("is required there, and only taken in v1, by what is served and by what is documented", async () => {
    const { call, user } = testApi();
    const { id, token } = await user("ada");
    const patch = (version: string, match?: string) =>
      call("PATCH", `/users/${id}`, { token, version, body: { name: "A" }, headers: { "if-match": match } });
    expect((await patch("v2")).status).toBe(428);
    expect((await patch("v1")).status).toBe(200);
    expect((await patch("v1", '"stale"')).status).toBe(412);
    expect(await parameterOf(call, "v2")).toMatchObject({ in: "header", required: true });
    expect((await parameterOf(call, "v1")).required).not.toBe(true);
  });

  test("is told as one breaking change with every operation that it concerns", async () => {
    const { call } = testApi();
    const told = [];
    let page = "/changelog?version=v2&limit=100";
    while (page !== "") {
      const { data, page: at } = (await call("GET", page)).body;
      told.push(...data.filter(({ id }: { id: string }) => id.startsWith("v2-writes-require-if-match")));
      page = at.next_cursor === null ? "" : `/changelog?version=v2&limit=100&cursor=${at.next_cursor}`;
    }
    expect(told).toMatchObject([
      { kind: "changed", breaking: true, target: { type: "parameter", name: "If-Match" }, from: "false", to: "true" },
    ]);
    const { paths } = await documentOf(call, "v2");
    const demanding = Object.values(
      paths as Record<
        string,
        Record<string, { operationId: string; parameters?: { name: string; required?: boolean }[] }>
      >,
    )
      .flatMap((methods) => Object.values(methods))
      .filter(({ parameters }) => parameters?.some(({ name, required }) => name === "If-Match" && required === true))
      .map(({ operationId }) => operationId);
    expect(told[0].target.operations.toSorted()).toEqual(demanding.toSorted());
    expect(demanding.length).toBeGreaterThan(0);
  });
});

/** Which version makes which of the changes; any may stay away. */
const shapes = ["demand", "remove", "move"] as const;
const effectOf = {
  demand: requireHeader("if-match"),
  remove: removeEndpoint(greeting),
  move: renameEndpoint({ from: "/things/{id}", to: "/items/{id}" }),
};
const write: Operation = { ...greeting, id: "things.write", method: "PUT", path: "/items/{id}", requiresIfMatch: true };
const read: Operation = { ...greeting, id: "things.read", path: "/items/{id}" };

test("wherever operations were changed, each version has the table of its own day", () => {
  const made = fc
    .shuffledSubarray([...shapes])
    .chain((order) =>
      fc
        .array(fc.integer({ min: 1, max: 3 }), { minLength: order.length, maxLength: order.length })
        .map((places) => order.map((shape, index) => ({ shape, at: places[index] ?? 1 }))),
    );
  fc.assert(
    fc.property(made, (changes) => {
      const table = [0, 1, 2, 3].map(
        (number): VersionDefinition => ({
          id: `v${number + 1}`,
          released: "2026-11-21",
          changes: changes
            .filter(({ at }) => at === number)
            .map(({ shape }) => ({
              id: shape,
              kind: "changed",
              title: "",
              why: "",
              migration: "",
              effects: [effectOf[shape]],
            })),
        }),
      );
      createVersions(table, [write, read]).forEach(({ operations }, number) => {
        const isLater = (wanted: (typeof shapes)[number]) =>
          changes.some(({ shape, at }) => shape === wanted && at > number);
        const { requiresIfMatch: _demanded, ...taking } = write;
        const path = isLater("move") ? "/things/{id}" : "/items/{id}";
        expect(operations).toEqual([
          { ...(isLater("demand") ? taking : write), path },
          { ...read, path },
          ...(isLater("remove") ? [greeting] : []),
        ]);
        expect("requiresIfMatch" in (operations[0] ?? {})).toBe(!isLater("demand"));
      });
    }),
  );
});
