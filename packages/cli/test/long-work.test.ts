import { newEvent } from "@postern/core/testing";
import { compose, readConfig } from "@postern/server";
import { expect, test } from "vitest";
import { create, directory, environment, postern, runIn, serve } from "./command-line.ts";

/** Stores events that no handler wants. */
const fill = async (events: number): Promise<void> => {
  const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  const now = Date.now() - 10;
  const none = { receivedAt: now, disposition: "ignored" as const, reason: "no handler", jobs: [] };
  await storage.events.accept(Array.from({ length: events }, (_, n) => newEvent(`evt_${n}`, none)));
  await close();
};

test("plans run --wait shows a bar on a terminal, and ends with the plan", { timeout: 60_000 }, async () => {
  await postern(["migrate"]);
  await fill(40);
  const server = await serve();
  try {
    const make = ["plans", "make", "discard", "--state", "ignored", "--reason", "old", "--rate", "20"];
    const [, id = ""] = /^Plan (\S+)\n/.exec((await postern(make)).out) ?? [];
    const waited = await runIn({ directory, environment: environment(), isTTY: true }, [
      "plans",
      "run",
      id,
      "--yes",
      "--wait",
    ]);
    expect([waited.code, waited.out]).toEqual([0, expect.stringContaining(`Plan ${id}: done.\n40 were discarded`)]);
    expect(waited.err).toMatch(/\[#+-+\] \d+ of 40 events/);
  } finally {
    await server.stop();
  }
});

test("an export tells how far it is on a terminal that does not show its lines", async () => {
  await postern(["migrate"]);
  await fill(150);
  const exported = ["events", "export", "--without-payload"];
  const told = await runIn({ directory, environment: environment(), isTTY: true }, exported);
  expect([told.code, told.out.trim().split("\n").length]).toEqual([0, 150]);
  expect(told.err).toContain("100 exported");
  expect((await postern(exported)).err).toBe("");
});

test("users reset-password sets another password and ends every session, or mails a link", {
  timeout: 60_000,
}, async () => {
  const server = await serve();
  try {
    await create("ada@example.com");
    const signIn = async (password: string) => {
      const init = { method: "POST", headers: { "content-type": "application/json" } };
      const body = JSON.stringify({ email: "ada@example.com", password });
      return (await fetch(`${server.url}/api/v2/sessions`, { ...init, body })).status;
    };
    expect(await signIn("correct horse battery")).toBe(201);
    const given = { stdin: "nine loud violet kettles\n" };
    const unasked = await postern(["users", "reset-password", "ada@example.com"], given);
    expect([unasked.code, unasked.err]).toEqual([7, expect.stringContaining("Set another password for the user ada@")]);
    const reset = await postern(["users", "reset-password", "ada@example.com", "--yes"], given);
    expect([reset.code, reset.out]).toEqual([0, expect.stringContaining("has another password")]);
    expect([await signIn("correct horse battery"), await signIn("nine loud violet kettles")]).toEqual([401, 201]);
    const sessions = JSON.parse((await postern(["sessions", "list", "--user", "ada@example.com", "--json"])).out);
    expect(sessions.items).toHaveLength(1);
    expect((await postern(["users", "reset-password", "ada@example.com", "--yes"], { stdin: "short\n" })).code).toBe(2);
    expect((await postern(["users", "reset-password", "bob@example.com", "--yes"], given)).code).toBe(3);
    const both = ["users", "reset-password", "ada@example.com", "--mail", "--revoke-keys"];
    expect((await postern(both)).code).toBe(2);
    const mailed = await postern(["users", "reset-password", "ada@example.com", "--mail"]);
    expect([mailed.code, mailed.out]).toEqual([0, "You have asked for a link to ada@example.com.\n"]);
    expect(mailed.err).toContain("None goes if the server sends no mail (POSTERN_SMTP_URL)");
  } finally {
    await server.stop();
  }
});
