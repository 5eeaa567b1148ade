import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { newEvent } from "@postern/core/testing";
import { compose, readConfig } from "@postern/server";
import { describe, expect, test } from "vitest";
import { create, directory, environment, postern } from "./command-line.ts";

describe("postern doctor", () => {
  test("says whether the keys of the outside issuer can be read", async () => {
    const keys = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
    let answers = true;
    const server = createServer(({ url, headers }, response) => {
      const issuer = `http://${headers.host}`;
      const found = url === "/keys" ? { keys: [{ ...keys, kid: "k" }] } : { issuer, jwks_uri: `${issuer}/keys` };
      response.writeHead(answers ? 200 : 503).end(JSON.stringify(found));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    // A server that listens on a port has an address of this kind.
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const variables = { POSTERN_OIDC_ISSUER: issuer, POSTERN_OIDC_AUDIENCE: "api" };
    await postern(["migrate"]);
    expect((await postern(["doctor"], { variables })).out).toContain(
      `ok    outside issuer: ${issuer} publishes 1 key\n`,
    );
    answers = false;
    expect((await postern(["doctor"], { variables })).out).toMatch(/warn {2}outside issuer: .* answers 503 .*Check/);
    server.close();
    expect((await postern(["doctor"])).out).not.toContain("outside issuer");
  });

  test("finds missing tables and weak secrets, and is content afterwards", async () => {
    const before = await postern(["doctor", "--json"], {
      variables: { WEBHOOK_STRIPE_SECRET: "whsec_test", WEBHOOK_STRIPE_ALLOW_SHORT: "1" },
    });
    expect(before.code).toBe(8);
    const items: { check: string; ok: boolean }[] = JSON.parse(before.out).items;
    expect(items.filter(({ ok }) => !ok).map(({ check }) => check)).toEqual(["provider stripe", "database"]);
    await postern(["migrate"]);
    await create("root@example.com", "--role", "admin");
    const after = await postern(["doctor"]);
    expect([after.code, after.out]).toEqual([0, expect.not.stringContaining("FAIL")]);
    expect(after.out).not.toContain("warn");
  });

  test("mends what is safe with --fix, and says why the rest is left to a person", async () => {
    const keyFile = join(directory, "data/postern.key");
    const modeOf = () => statSync(keyFile).mode & 0o777;
    const before = await postern(["doctor", "--fix", "--dry-run"]);
    expect([before.code, before.out]).toEqual([
      8,
      expect.stringContaining("would  database: apply the missing migrations\n"),
    ]);
    chmodSync(keyFile, 0o644);
    const asked = await postern(["doctor", "--fix"]);
    expect([asked.code, asked.out]).toEqual([7, expect.stringContaining("left   database: you did not confirm")]);
    expect(modeOf()).toBe(0o644);
    const fixed = await postern(["doctor", "--fix", "--yes"]);
    expect([fixed.code, fixed.err]).toEqual([8, "1 warning found.\n"]);
    expect(fixed.out).toContain("fixed  database: apply the missing migrations\n");
    expect(fixed.out).toContain(`fixed  secret key file: give ${keyFile} the mode 600\n`);
    expect(fixed.out).toContain("ok    database: answers, tables are up to date\n");
    expect(modeOf()).toBe(0o600);
    const again = await postern(["doctor", "--fix", "--yes"]);
    expect(again.out).toContain("left   administrator: it needs a name, an address and a password of yours\n");
    expect(again.out).not.toContain("fixed");
    for (const flags of [["--fix", "--json"], ["--yes"], ["--dry-run"]])
      expect((await postern(["doctor", ...flags])).code).toBe(2);
  });

  test("finds jobs that nobody runs, quarantined events and keys that cannot be opened", async () => {
    await postern(["migrate"]);
    await postern(["providers", "add", "acme", "--scheme", "standard-webhooks"], {
      stdin: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
    });
    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    const old = Date.now() - 3_600_000;
    await storage.events.accept([
      newEvent("evt_1", { receivedAt: old, jobs: [{ kind: "nobody", maxAttempts: 1 }] }),
      newEvent("evt_2", { receivedAt: Date.now() + 3_600_000, disposition: "quarantined", reason: "x", jobs: [] }),
    ]);
    await close();
    const variables = { POSTERN_SECRET_KEY: Buffer.alloc(32, 9).toString("base64") };
    const { out, code, err } = await postern(["doctor", "--json"], { variables });
    // All of them are warnings.
    expect([code, err]).toEqual([8, "6 warnings found.\n"]);
    const items: { check: string; ok: boolean; text: string }[] = JSON.parse(out).items;
    const bad = items.filter(({ ok }) => !ok).map(({ check }) => check);
    expect(bad).toEqual([
      "administrator",
      "oldest waiting job",
      "runners",
      "quarantined events",
      "clock",
      "provider acme",
    ]);
    expect(items.map(({ check }) => check)).toEqual(expect.arrayContaining(["disk space", "write-ahead log"]));
  });

  test("names the kinds of jobs that no running process has a handler for", async () => {
    await postern(["migrate"]);
    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    await storage.runners.register({ name: "old", kinds: ["known"] }, Date.now());
    const jobs = ["known", "planned", "planned"].map((kind) => ({ kind, maxAttempts: 1 }));
    await storage.jobs.enqueue(jobs, Date.now());
    await close();
    const items = JSON.parse((await postern(["doctor", "--json"])).out).items;
    expect(items.find(({ check }: { check: string }) => check === "jobs without a handler")).toMatchObject({
      ok: false,
      text: expect.stringContaining("planned (2); no running process has a handler"),
    });
  });

  test("shows where alerts go, and those that did not arrive", async () => {
    await postern(["migrate"]);
    const alerts = async (variables = {}) =>
      JSON.parse((await postern(["doctor", "--json"], { variables })).out).items.find(
        ({ check }: { check: string }) => check === "alerts",
      );
    expect(await alerts()).toMatchObject({ ok: true, text: expect.stringContaining("POSTERN_ALERT_URL is not set") });
    const variables = { POSTERN_ALERT_URL: "http://127.0.0.1:1/in" };
    expect(await alerts(variables)).toMatchObject({ ok: true });
    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    await storage.jobs.enqueue([{ kind: "postern.alert", maxAttempts: 3, dueAt: Date.now() + 3600_000 }], Date.now());
    await close();
    expect(await alerts(variables)).toMatchObject({
      ok: false,
      warning: true,
      text: expect.stringMatching(/^1 alert did not arrive at POSTERN_ALERT_URL/),
    });
  });

  test("shows how long things are kept, as the environment says, and misses who sees to it", async () => {
    await postern(["migrate"]);
    const items = async (
      variables: Record<string, string>,
    ): Promise<{ check: string; ok: boolean; text: string }[]> => {
      const found = JSON.parse((await postern(["doctor", "--json"], { variables })).out).items;
      return found.filter(({ check }: { check: string }) =>
        ["configuration", "retention", "housekeeping"].includes(check),
      );
    };
    const kept = (text: string) => ({ check: "retention", ok: true, text: `days: ${text}` });
    const idle = { check: "housekeeping", ok: true, text: "has not been due yet" };
    const fine = expect.objectContaining({ check: "configuration", ok: true });
    const said = [fine, expect.objectContaining(kept("bodies 3, events 35, done jobs 1, audit log 90"))];
    expect(await items({ POSTERN_RETENTION_BODIES: "3", POSTERN_RETENTION_AUDIT: "90" })).toEqual([
      ...said,
      expect.objectContaining(idle),
    ]);
    expect((await items({ POSTERN_RETENTION_EVENTS: "10" }))[1]).toMatchObject(
      kept("bodies 10, events 10, done jobs 1, audit log 400"),
    );
    expect((await items({ POSTERN_RETENTION_BODIES: "40" }))[1]).toMatchObject({ check: "retention", ok: false });

    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    const slot = Date.now() - 5 * 3_600_000;
    const job = { kind: "postern.prune", maxAttempts: 1 };
    await storage.scheduleSlots.fire({ name: "postern.prune", slot, job }, slot);
    await close();
    expect((await items({}))[2]).toMatchObject({
      check: "housekeeping",
      ok: false,
      text: expect.stringContaining("for 5 hours"),
    });
  });

  test("names schedules whose time of the day the clocks skip within 400 days", async () => {
    await postern(["migrate"]);
    const file = join(directory, "gaps.config.mjs");
    writeFileSync(
      file,
      `import { schedule } from "@postern/server";
       const run = async () => {};
       export default { schedules: [
         schedule("skipped", "30 2 * * *", run, { timeZone: "Europe/Berlin" }),
         schedule("noon", "0 12 * * *", run, { timeZone: "Europe/Berlin" }),
         schedule("rhythm", "*/30 * * * *", run, { timeZone: "Europe/Berlin" }),
         schedule("utc", "30 2 * * *", run),
       ] };`,
    );
    const { out } = await postern(["doctor", "--json"], { variables: { POSTERN_CONFIG: file } });
    const items: { check: string }[] = JSON.parse(out).items;
    expect(items.filter(({ check }) => check.startsWith("schedule "))).toEqual([
      {
        check: "schedule skipped",
        ok: false,
        warning: true,
        text: expect.stringMatching(/Europe\/Berlin skip its time before \d{4}-03-\d\dT01:00:00\.000Z/),
      },
    ]);
  });

  test("reports a bad configuration as a problem", async () => {
    expect(await postern(["doctor"], { variables: { PORT: "many" } })).toMatchObject({
      code: 8,
      out: expect.stringContaining("PORT"),
    });
    expect(existsSync(join(directory, "data"))).toBe(false);
  });
});
