import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { directory, runIn } from "./command-line.ts";

/** An application whose field `title` and versions are as told; it names a sender without a secret. */
const configuration = ({ field = "title", kind = "text(50", versions = "" }): string => `
import { defineConfig, defineResource, ownedBy, prose, reference, renameField, text } from "@postern/server";
const own = ownedBy("user_id");
const recipe = defineResource({
  name: "recipe",
  plural: "recipes",
  description: "A recipe.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Who wrote it." }),
    ${field}: ${kind}, { description: "Its name." }),
  },
  owner: "user_id",
  access: { read: own, update: own, delete: own },
});
export default defineConfig({
  parts: ["users"],
  resources: [recipe],
  providers: undefined,
  versions: [{ id: "v1", released: "2026-01-01", changes: [] }${versions}],
});
`;

let written = 0;
/** Each has a name of its own, because a process loads a module once. */
const write = (told: Parameters<typeof configuration>[0]): void => {
  written += 1;
  writeFileSync(join(directory, `${written}.mjs`), configuration(told));
};

/** With neither a database nor a secret in the environment. */
const contract = (line: readonly string[], answer?: "y" | "n") =>
  runIn(
    { directory, environment: { POSTERN_CONFIG: `${written}.mjs` }, answers: answer !== undefined },
    ["contract", ...line],
    `${answer ?? ""}\n`,
  );

const file = (version: string): string => join(directory, "contracts", `${version}.json`);
const v2 = `, {
  id: "v2",
  released: "2026-02-01",
  changes: [{
    id: "titles-are-names",
    kind: "renamed",
    title: "Titles are names",
    why: "They are what recipes are called.",
    migration: "Read and write name.",
    effects: [renameField({ resource: "recipe", from: "title", to: "name" })],
  }],
}`;

beforeEach(() => write({}));

test("a recorded version must stay as it is, and the newest may change until it is recorded", async () => {
  expect(await contract(["check"])).toMatchObject({ code: 0, out: expect.stringContaining("No version is recorded") });
  expect(await contract(["record"])).toEqual({ code: 0, out: "Recorded v1 in contracts/v1.json.\n", err: "" });
  expect(await contract(["check"])).toEqual({ code: 0, out: "v1: as recorded\n", err: "" });

  // The same without a version that translates.
  write({ field: "name" });
  const broken = await contract(["check"]);
  expect(broken).toMatchObject({ code: 1, err: expect.stringContaining("v1 is not what was released") });
  expect(broken.out).toContain("breaks  removed field response recipe.title\n");

  write({ field: "name", versions: v2 });
  expect(await contract(["check"])).toEqual({ code: 0, out: "v1: as recorded\n", err: "" });
  // v2 may still change.
  write({ field: "name", kind: "prose(500", versions: v2 });
  expect((await contract(["record", "v2"])).code).toBe(0);
  expect((await contract(["check"])).code).toBe(1);
});

test("record takes additions, and what breaks clients only by force and after a question", async () => {
  await contract(["record"]);
  write({ kind: "text(80" });
  expect(await contract(["check"])).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^v1: \d+ differences, of which none breaks clients\n.*maxLength was 50, is 80/s),
    err: expect.stringContaining("postern contract record v1"),
  });
  expect((await contract(["record"])).code).toBe(0);
  expect((await contract(["check"])).code).toBe(0);

  write({ kind: "text(20" });
  const before = readFileSync(file("v1"), "utf8");
  expect(await contract(["record"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("maxLength was 80, is 20"),
  });
  expect(await contract(["record", "--force"])).toMatchObject({ code: 7 });
  expect(await contract(["record", "--force"], "n")).toMatchObject({ code: 7 });
  expect(readFileSync(file("v1"), "utf8")).toBe(before);
  expect(await contract(["record", "--force"], "y")).toMatchObject({ code: 0 });
  expect((await contract(["check"])).code).toBe(0);
});

test("what is recorded is the application's alone, and a version that is gone is told", async () => {
  await contract(["record"]);
  const recorded = readFileSync(file("v1"), "utf8");
  expect(recorded).toContain('"/recipes/{id}"');
  expect(recorded).toContain('"/sessions"');
  expect(recorded).not.toMatch(/"\/admin\/|"\/webhooks\//);
  const named = Object.keys(JSON.parse(recorded).components.schemas);
  for (const name of named) expect(recorded).toContain(`"#/components/schemas/${name}"`);

  expect(await contract(["record", "v7"])).toMatchObject({ code: 2, err: "There is no version v7; there are v1.\n" });
  writeFileSync(file("v0"), recorded);
  const checked = await contract(["check", "--json"]);
  expect(checked).toMatchObject({ code: 1, err: expect.stringContaining("v0 is recorded, and the application") });
  expect(JSON.parse(checked.out)).toEqual({
    versions: [
      { version: "v1", differences: [] },
      { version: "v0", differences: [], gone: true },
    ],
  });
  rmSync(file("v0"));
  writeFileSync(file("v1"), "{");
  expect(await contract(["check"])).toMatchObject({ code: 2, err: expect.stringContaining("cannot be read as JSON") });
  expect(existsSync(join(directory, "data"))).toBe(false);
});
