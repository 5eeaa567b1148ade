import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compose, loadConfigFile, readConfig } from "@postern/server";
import { expect, test } from "vitest";
import { directory, environment, postern } from "./command-line.ts";

const id = (digit: number): string => `01900000-0000-7000-8000-00000000000${digit}`;

const configuration = `
import { choice, defineConfig, defineResource, ownedBy, reference, text } from "@postern/server";
const own = ownedBy("user_id");
const recipe = defineResource({
  name: "recipe",
  plural: "recipes",
  description: "A recipe.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Who wrote it." }),
    title: text(50, { description: "Its name." }),
    state: choice(["draft", "out"], { default: "draft", description: "Whether it is out." }),
  },
  owner: "user_id",
  access: { read: own, update: own, delete: own },
  lifecycle: { field: "state", initial: ["draft"], moves: { draft: ["out"], out: [] }, stamps: {} },
});
export default defineConfig({ resources: [recipe] });
`;

const users = [{ id: id(1), name: "Ada", email: "ada@example.com", password: "correct horse battery" }];
const recipes = [1, 2, 3].map((digit) => ({ id: id(digit), user_id: id(1), title: `Recipe ${digit}` }));

const write = (file: string, text: string): void => writeFileSync(join(directory, file), text);
const seed = async (content: object, ...more: string[]) => {
  write("seeds.json", JSON.stringify(content));
  return postern(["seed", "seeds.json", ...more], { variables: { POSTERN_CONFIG: "app.mjs" } });
};

/** What the database has: rows with their revisions, jobs and the audit log. */
const stored = async () => {
  const config = readConfig({ ...environment({ LOG_LEVEL: "error" }), POSTERN_CONFIG: "app.mjs" }, false);
  const { app, storage, close } = await compose(config, await loadConfigFile(config.configPath, directory));
  try {
    const rows = await app.transaction(async ({ rows: { users: people, recipes: own } }) => ({
      users: await people?.list(),
      recipes: await own?.list(),
    }));
    const page = { after: 0, limit: 1_000 };
    return { ...rows, jobs: await storage.jobRecords.list(page), audit: await storage.audit.list({ limit: 100 }) };
  } finally {
    await close();
  }
};

test("seed writes rows by their ids, and a second run changes nothing", async () => {
  write("app.mjs", configuration);
  await postern(["migrate"], { variables: { POSTERN_CONFIG: "app.mjs" } });
  expect(await seed({ users, recipes })).toEqual({
    code: 0,
    out: "users: 1 row made, 0 changed, 0 as they were\nrecipes: 3 rows made, 0 changed, 0 as they were\n",
    err: "",
  });
  const first = await stored();
  expect(first.recipes?.map((row) => [row.id, row.title, row.revision])).toEqual(
    recipes.map((row) => [row.id, row.title, 1]),
  );
  expect(first.users?.[0]?.password).toMatch(/^\$argon2id\$/);
  expect(first.audit.map(({ action }) => action)).toEqual(["rows.seed"]);

  const again = await seed({ users, recipes }, "--json");
  expect(JSON.parse(again.out)).toEqual({
    items: [
      { resource: "users", made: 0, changed: 0, kept: 1 },
      { resource: "recipes", made: 0, changed: 0, kept: 3 },
    ],
  });
  expect(await stored()).toEqual(first);

  // A module, which moves a row as the application's own code does.
  write("more.mjs", `export default { recipes: [{ id: "${id(2)}", state: "out" }] };`);
  const moved = await postern(["seed", "more.mjs"], { variables: { POSTERN_CONFIG: "app.mjs" } });
  expect(moved.out).toBe("recipes: 0 rows made, 1 changed, 0 as they were\n");
  expect((await stored()).recipes?.map((row) => [row.state, row.revision])).toEqual([
    ["draft", 1],
    ["out", 2],
    ["draft", 1],
  ]);

  // A portion is written as a whole or not at all, and the fault names the row.
  for (const [content, code, fault] of [
    [[recipes], 2, "A file of seeds is an object"],
    [{ recipe: recipes }, 2, 'there are no rows named "recipe"; did you mean "recipes"?.'],
    [{ recipes: [{ title: "x" }] }, 2, "recipes, row 1: it has no id."],
    [
      {
        recipes: [
          { ...recipes[0], title: "new" },
          { id: id(4), title: 1 },
        ],
      },
      2,
      `recipes ${id(4)}: `,
    ],
    [{ recipes: [{ ...recipes[0], id: "4" }] }, 2, "recipes 4: id: "],
    [{ recipes: [{ ...recipes[0], id: id(4), state: "out" }] }, 9, "A new one can be draft, not out."],
    [{ recipes: [{ id: id(2), state: "draft" }] }, 9, `recipes ${id(2)}: `],
  ] as const) {
    expect(await seed(content)).toMatchObject({ code, err: expect.stringContaining(fault) });
  }
  expect((await stored()).recipes?.[0]?.title).toBe("Recipe 1");
});
