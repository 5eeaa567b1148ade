import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { user } from "@postern/app";
import { allRows } from "@postern/core";
import { newEvent } from "@postern/core/testing";
import { type Composition, compose, readConfig } from "@postern/server";
import { expect, test } from "vitest";
import { directory, environment, postern } from "./command-line.ts";

const withDatabase = async <Result>(work: (composition: Composition) => Promise<Result>): Promise<Result> => {
  const composition = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  try {
    await composition.migrate();
    return await work(composition);
  } finally {
    await composition.close();
  }
};
const users = () => withDatabase(({ storage }) => storage.resources.count(user, { scope: allRows("test") }, 9));

const handlers = `const job = { provider: "stripe", type: "invoice.*", retry: { delaysMs: [] }, timeoutMs: 10_000 };
export default { handlers: [
  { ...job, name: "welcome", handle: async ({ data }, { commit, log, idempotencyKey }) => {
    log("info", "welcome", { event: data.id, key: idempotencyKey });
    await commit(async ({ users }, { jobs }) => {
      await users.create({ name: "Ada", email: "Ada@example.com", password: "hash" });
      await jobs.enqueue([{ kind: "mail", maxAttempts: 1 }], 0);
    });
  } },
  { ...job, name: "broken", handle: async (event, { commit }) => commit(async ({ user }) => user.get("1")) },
] };`;

/** Runs the command in a process of its own, as a shell does. */
const inProcess = (line: readonly string[]) => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const place = { cwd: directory, env: { PATH: process.env.PATH, ...environment({ POSTERN_CONFIG: "handlers.mjs" }) } };
  const loader = import.meta.resolve("tsx");
  return promisify(execFile)(
    process.execPath,
    ["--conditions=@postern/source", "--import", loader, main, ...line],
    place,
  );
};

test("postern events run does what a handler does, and keeps it only with --commit", async () => {
  writeFileSync(join(directory, "handlers.mjs"), handlers);
  const job = { kind: "welcome", maxAttempts: 1 };
  await withDatabase(({ storage }) => storage.events.accept([newEvent("evt_1", { jobs: [job] })]));
  const run = (handler: string, id = "1") =>
    postern(["events", "run", id, "--handler", handler], { variables: { POSTERN_CONFIG: "handlers.mjs" } });

  const tried = await run("welcome");
  expect(tried).toMatchObject({
    code: 0,
    err: expect.stringContaining("rolled back. HTTP calls and mails do go out."),
  });
  expect(tried.out).toMatch(/log {5}info: welcome {"event":"evt_1","key":"postern-job-1-\d+"}\n/);
  expect(tried.out).toMatch(
    /\ninsert {2}user \S+ {.*"email":"ada@example.com".*}\nenqueue mail\n2 writes, rolled back.\n$/,
  );
  expect(tried.out).not.toContain("hash");
  expect(await users()).toBe(0);

  expect(await run("broken")).toMatchObject({ code: 1, err: expect.stringContaining('did you mean "users"?') });
  expect(await run("welcom")).toMatchObject({ code: 3, err: expect.stringContaining('did you mean "welcome"?') });
  expect((await run("welcome", "evt_1")).code).toBe(2);

  const kept = await inProcess(["events", "run", "1", "--handler", "welcome", "--commit", "--json"]);
  expect(kept.stderr).toContain("the event's job stays as it is");
  expect(JSON.parse(kept.stdout)).toMatchObject({
    kept: true,
    wrote: [{ what: "insert", of: "user" }, { of: "mail" }],
  });
  expect(await users()).toBe(1);
});
