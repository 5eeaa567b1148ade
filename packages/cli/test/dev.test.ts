import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createProject } from "../../create-postern/src/index.ts";
import { directory } from "./command-line.ts";

const packages = fileURLToPath(new URL("../..", import.meta.url));
const loader = import.meta.resolve("tsx");

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = Object(server.address());
  server.close();
  return port;
};

/** A project as `npm create postern` makes it, with the packages of the workspace. */
const makeProject = (): string => {
  const folder = join(directory, "my-app");
  createProject({ folder, database: "sqlite", senders: ["stripe"] });
  mkdirSync(join(folder, "node_modules/@postern"), { recursive: true });
  symlinkSync(join(packages, "postern"), join(folder, "node_modules/postern"), "junction");
  symlinkSync(join(packages, "testing"), join(folder, "node_modules/@postern/testing"), "junction");
  return folder;
};

/** Without the settings of the tests: a server refuses names that it does not know. */
const ownEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("POSTERN_")));

/** Runs a script of the project, from the sources. */
const run = (folder: string, script: "dev" | "start", port: number) => {
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [, ...args] = String(scripts[script]).split(" ");
  const child: ChildProcess = spawn(process.execPath, ["--conditions=@postern/source", "--import", loader, ...args], {
    cwd: folder,
    env: { ...ownEnvironment, PORT: String(port), LOG_LEVEL: "error", POSTERN_RATE_LIMIT: "off" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { text: "" };
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece) => (said.text += String(piece)));
  return {
    said,
    stop: async (): Promise<unknown> => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      return (await ended)[0];
    },
  };
};

const within = 60_000;

/** Waits until a path is answered with this status. Returns how long it took, and the statuses before. */
const answered = async (url: string, status: number) => {
  const began = performance.now();
  const before = new Set<number>();
  while (performance.now() - began < within) {
    const found = await fetch(url, { headers: { connection: "close" } }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (found === status) return { ms: Math.round(performance.now() - began), before: [...before] };
    before.add(found);
    await sleep(20);
  }
  throw new Error(`${url} was not answered with ${status}`);
};

const isSaid = async (out: { readonly text: string }, line: string): Promise<void> => {
  await expect.poll(() => out.text, { timeout: within, interval: 20 }).toContain(line);
};

const note = (name: string, owner: string): string => `
import { defineResource, ownedBy, reference } from "postern";
export const note = defineResource({
  name: "${name}",
  plural: "notes",
  description: "A note.",
  fields: { user_id: reference("user", { onDelete: "cascade", description: "Whose." }) },
  owner: "${owner}",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});
`;

test(
  "a new process takes over after each save, and a fault leaves the old one serving",
  async () => {
    const folder = makeProject();
    const port = await freePort();
    const notes = `http://127.0.0.1:${port}/api/notes`;
    const edit = (file: string, change: (text: string) => string): void =>
      writeFileSync(join(folder, file), change(readFileSync(join(folder, file), "utf8")));

    const bare = run(folder, "start", port);
    const { ms: bareMs } = await answered(notes, 404);
    await bare.stop();

    // At the first start nothing else is served, so wrong types are told, and keep nothing away.
    const compiler = fileURLToPath(new URL("../../../node_modules/typescript", import.meta.url));
    symlinkSync(compiler, join(folder, "node_modules/typescript"), "junction");
    const options = { strict: true, noEmit: true, skipLibCheck: true, types: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ include: ["wrong.ts"], compilerOptions: options }));
    writeFileSync(join(folder, "wrong.ts"), 'export const n: number = "text";\n');
    const loop = run(folder, "dev", port);
    onTestFinished(() => loop.stop().then(() => undefined));
    await answered(notes, 404);
    await isSaid(loop.said, "wrong.ts(1,14)");
    await answered(notes, 404);
    for (const file of ["tsconfig.json", "wrong.ts"]) rmSync(join(folder, file));

    mkdirSync(join(folder, "notes"));
    writeFileSync(join(folder, "notes/note.js"), note("note", "user_id"));
    edit("postern.config.js", (text) =>
      text
        .replace("import { invoice }", 'import { note } from "./notes/note.js";\nimport { invoice }')
        .replace("[invoice]", "[invoice, note]"),
    );
    const { ms: savedMs, before } = await answered(notes, 401);
    process.stdout.write(`A bare start answers after ${bareMs} ms, a new process after a save after ${savedMs} ms.\n`);
    // Nobody was refused meanwhile.
    expect(before.filter((status) => status !== 404)).toEqual([]);
    expect(savedMs).toBeLessThan(bareMs + 1_000);

    // Faults in two files, told together, each with its place.
    writeFileSync(join(folder, "notes/note.js"), note("Note", "usr_id"));
    edit("resources/invoice.js", (text) => text.replace('field: "state"', 'field: "stat"'));
    await isSaid(loop.said, "What was there before is still served.");
    for (const fault of [
      'resource "invoice": its lifecycle names the field "stat", which is no choice of states (resources/invoice.js:',
      'resource "Note": the name must be snake_case (notes/note.js:3)',
      'resource "Note": the owner field "usr_id" is not declared',
    ])
      expect(loop.said.text).toContain(fault);
    await answered(notes, 401);
  },
  3 * within,
);
