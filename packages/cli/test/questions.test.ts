import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { beforeEach, expect, test } from "vitest";
import { answering, create, directory, postern, serve } from "./command-line.ts";

const app = createApp({ ports: memoryPorts(), versions: builtInVersions });

beforeEach(async () => void (await postern(["migrate"])));

const id = "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a";

/** Commands that cannot be undone, and the operation that each runs. */
const commands: readonly (readonly [operation: string, line: readonly string[]])[] = [
  ["admin.clients.delete", ["clients", "remove", id]],
  ["admin.clients.renew-secret", ["clients", "renew-secret", id]],
  ["admin.events.discard", ["events", "discard", id, "--reason", "x"]],
  ["admin.events.replay", ["events", "replay", id, "--force"]],
  ["admin.jobs.cancel", ["jobs", "cancel", id]],
  ["admin.plans.cancel", ["plans", "cancel", id]],
  ["admin.providers.delete", ["providers", "remove", "shop"]],
  ["api-keys.delete", ["keys", "revoke", id]],
  ["grants.delete", ["grants", "revoke", id]],
  ["sessions.delete", ["sessions", "revoke", id]],
  ["admin.signing-keys.rotate", ["signing-keys", "rotate", "--overlap", "0"]],
  ["admin.clients.replace-keys", ["clients", "replace-keys", id, "keys.json"]],
  ["api-keys.rotate", ["keys", "rotate", id, "--overlap", "0"]],
  ["admin.providers.rotate", ["providers", "rotate", "shop", "--overlap", "0", "--key-file", "keys.json"]],
];

const questionOf = (operation: string): string => {
  const { confirm = "" } = app.versions.at(-1)?.operations.find((one) => one.id === operation) ?? {};
  return confirm.replaceAll("{id}", id).replaceAll("{name}", "shop");
};

test("a command asks in the words of its operation, and does nothing at a no", async () => {
  for (const [operation, line] of commands) {
    const question = questionOf(operation);
    expect(question).not.toBe("");
    writeFileSync(join(directory, "keys.json"), '{ "keys": [] }');
    const refused = await answering("n", line);
    expect(refused, line.join(" ")).toMatchObject({ code: 7, out: "" });
    expect(refused.err).toBe(`${question} [y/N] Nothing was changed; add --yes to do it without being asked.\n`);
  }
});

/** Commands that show what they would do, or whom it is about, before they ask. Other tests call them. */
const others = [
  "admin.events.replayMany",
  "admin.plans.run",
  "outside-identities.delete",
  "second-factors.delete",
  "users.change-password",
  "users.delete",
];

test("every operation that asks, and that a command calls, is among these", () => {
  const folder = new URL("../src/commands/", import.meta.url);
  const sources = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), "utf8"));
  // `revoke` names its operation by the resource, `plans cancel` by a step.
  const called = `${sources.join("\n")} "api-keys.delete" "sessions.delete" "grants.delete" "admin.plans.cancel"`;
  const asking = app.versions.at(-1)?.operations.filter(({ confirm }) => confirm !== undefined) ?? [];
  const known = [...commands.map(([operation]) => operation), ...others];
  expect(
    asking
      .map(({ id: one }) => one)
      .filter((one) => called.includes(`"${one}"`))
      .toSorted(),
  ).toEqual(known.toSorted());
});

test("without a terminal, a command that asks needs --yes", async () => {
  await create("ada@example.com");
  const refused = await postern(["users", "delete", "ada@example.com"]);
  expect(refused).toMatchObject({ code: 7 });
  expect(refused.err).toBe(
    "Delete the user ada@example.com and all that belongs to it? This cannot be undone. Nothing was changed; add --yes to do it without being asked.\n",
  );
  const asked = await answering("y", ["users", "delete", "ada@example.com"]);
  expect(asked.err).toBe("Delete the user ada@example.com and all that belongs to it? This cannot be undone. [y/N] ");
  expect(asked.out).toContain("Deleted ada@example.com");
});

test("on a server, the question is the one of that server", async () => {
  const server = await serve();
  try {
    await create("ada@example.com", "--role", "admin");
    const made = await postern([
      "keys",
      "create",
      "--user",
      "ada@example.com",
      "--name",
      "cli",
      "--scope",
      "jobs:write",
    ]);
    const chosen = { POSTERN_SERVER: server.url ?? "", POSTERN_TOKEN: made.out.trim() };
    const refused = await answering("n", ["jobs", "cancel", "7"], chosen);
    expect(refused).toMatchObject({ code: 7, out: "" });
    expect(refused.err).toContain("Cancel the job 7?");
  } finally {
    await server.stop();
  }
});
