import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answering, directory, postern } from "./command-line.ts";

const configuration = (field: string): string => `
import { defineConfig, defineResource, nobody, nullable, reference, text } from "@postern/server";
const note = defineResource({
  name: "note",
  plural: "notes",
  description: "A note.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Who wrote it." }),
    ${field}
  },
  owner: "user_id",
  access: { read: nobody, update: nobody, delete: nobody },
});
export default defineConfig({ resources: [note] });
`;

const id = "01900000-0000-7000-8000-000000000001";
const seeds = {
  users: [{ id, name: "Ada", email: "ada@example.com", password: "correct horse battery" }],
  notes: [{ id, user_id: id, title: "Soup" }],
};

test("migrate deletes a column that has values only by hand, after a question", async () => {
  writeFileSync(
    join(directory, "before.mjs"),
    configuration('title: nullable(text(50, { description: "Its name." })),'),
  );
  writeFileSync(join(directory, "after.mjs"), configuration(""));
  writeFileSync(join(directory, "seeds.json"), JSON.stringify(seeds));
  const [before, after] = [{ POSTERN_CONFIG: "before.mjs" }, { POSTERN_CONFIG: "after.mjs" }];
  await postern(["migrate"], { variables: before });
  expect((await postern(["seed", "seeds.json"], { variables: before })).code).toBe(0);

  expect((await postern(["migrate"], { variables: after })).code).not.toBe(0);
  expect((await postern(["migrate", "--by-hand"], { variables: after })).code).toBe(7);
  const refused = await answering("n", ["migrate", "--by-hand"], after);
  expect(refused).toMatchObject({
    code: 7,
    err: expect.stringMatching(/"title" is not declared.*drop.*Do this now\?/is),
  });
  const kept = await postern(["migrate", "status"], { variables: before });
  expect(kept.out).toContain("notes: as declared");

  expect((await answering("y", ["migrate", "--by-hand"], after)).code).toBe(0);
  const changed = await postern(["migrate", "status"], { variables: after });
  expect(changed.out).toContain("notes: as declared");
});
