import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { directory, postern, serve } from "./command-line.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const compiler = join(root, "node_modules", "typescript-7", "bin", "tsc");

const configuration = `
import { choice, defineConfig, defineResource, integer, nullable, ownedBy, prose, reference, text } from "@postern/server";
const own = ownedBy("user_id");
const recipe = defineResource({
  name: "recipe",
  plural: "recipes",
  description: "A recipe. It */ ends no comment.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Who wrote it." }),
    title: text(50, { filter: "everyone", description: "Its name." }),
    notes: nullable(prose(500, { description: "What else there is to say." })),
    serves: integer({ min: 1, max: 20, default: 2, description: "How many it is for." }),
    state: choice(["draft", "out"], { default: "draft", description: "Whether it is out." }),
  },
  owner: "user_id",
  access: { read: own, update: own, delete: own },
});
export default defineConfig({
  resources: [recipe],
  versions: [{ id: "v1", released: "2026-01-01", changes: [] }],
});
`;

/** A program that uses the client. The compiler must refuse each of the last lines. */
const program = `
import { items, signIn } from "@postern/client";
import { createClient } from "./api-client.ts";

export const run = async (origin: string) => {
  const anyone = createClient({ origin });
  const account = { email: "ada@example.com", password: "correct horse battery" };
  await anyone.POST("/users", { body: { name: "Ada", ...account } });
  const session = await signIn({ origin, version: "v1", ...account });
  const client = createClient({ origin, token: session.token });
  const made = await client.POST("/recipes", { body: { title: "Soup", notes: null } });
  const id: string = made.data?.id ?? "";
  const read = await client.GET("/recipes/{id}", { params: { path: { id } } });
  const state: "draft" | "out" | undefined = read.data?.state;
  const serves: number | undefined = read.data?.serves;
  const titles: string[] = [];
  const pages = items((cursor) =>
    client.GET("/recipes", { params: { query: { "filter[title]": "Soup", ...(cursor ? { cursor } : {}) } } }),
  );
  for await (const { title } of pages) titles.push(title ?? "");
  const refused = await client.PATCH("/recipes/{id}", {
    params: { path: { id }, header: { "If-Match": "*" } },
    body: { serves: 99 },
  });
  return { state, serves, titles, code: refused.error?.code };
};

export const mistakes = (client: ReturnType<typeof createClient>) => [
  // @ts-expect-error There is no such path.
  client.GET("/recipe"),
  // @ts-expect-error A recipe has a title.
  client.POST("/recipes", { body: {} }),
  // @ts-expect-error There is no such state.
  client.POST("/recipes", { body: { title: "Soup", state: "gone" } }),
  // @ts-expect-error It is a number.
  client.POST("/recipes", { body: { title: "Soup", serves: "2" } }),
];
`;

test("client writes a typed client of the application, which compiles strictly and calls its server", async () => {
  // Below the package, so that it finds @postern/client as an application does.
  const folder = mkdtempSync(join(root, "packages/cli/test/client-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(directory, "app.mjs"), configuration);
  const variables = { POSTERN_CONFIG: "app.mjs" };
  const out = join(folder, "api-client.ts");
  expect(await postern(["client", "--out", out], { variables })).toMatchObject({
    code: 0,
    out: `Wrote the client of v1 to ${out}.\n`,
  });
  expect(await postern(["client", "--out", join(folder, "no/where.ts")], { variables })).toMatchObject({ code: 2 });

  writeFileSync(join(folder, "program.ts"), program);
  const compilerOptions = {
    noEmit: true,
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    noPropertyAccessFromIndexSignature: true,
  };
  const project = { extends: "../../../../tsconfig.base.json", compilerOptions, include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
  expect(stdout).toBe("");

  const server = await serve({ ...variables, POSTERN_DEFAULT_API_VERSION: "v1" });
  try {
    const { run } = await import(join(folder, "program.ts"));
    expect(await run(server.url)).toEqual({ state: "draft", serves: 2, titles: ["Soup"], code: "validation_failed" });
  } finally {
    await server.stop();
  }
});
