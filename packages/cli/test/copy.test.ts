import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { create, directory, environment, postern, runIn, serve } from "./command-line.ts";

const key = (): string => randomBytes(32).toString("base64");
const source = (): string => environment().DATABASE_URL ?? "";
const other = (): string => `sqlite:${join(directory, "other/postern.db")}`;
const copy = (variables: Record<string, string> = {}, ...more: readonly string[]) =>
  postern(["copy", "--from", source(), "--to", other(), ...more], { variables });

const addSender = async (): Promise<void> => {
  const added = await postern(["providers", "add", "github"], { stdin: "a long enough secret\n" });
  expect(added.code, added.err).toBe(0);
};

describe("copy", () => {
  test("moves a stopped server with its key, users and senders, and says what to do next", async () => {
    const server = await serve();
    await create("ada@example.com");
    await addSender();
    mkdirSync(join(directory, "other"));
    copyFileSync(join(directory, "data/postern.key"), join(directory, "other/postern.key"));
    const running = await copy();
    expect([running.code, running.err]).toEqual([1, "A process uses the source; stop Postern, then run this again.\n"]);
    await server.stop();

    const made = await copy();
    expect(made.code, made.err).toBe(0);
    expect(made.out).toMatch(/^TABLE\tROWS\tCHECKSUM OF BOTH\n/);
    expect(made.out).toMatch(/\nusers\t1\t[0-9a-f]{64}\n/);
    expect(made.err).toContain("Set DATABASE_URL to the target");
    const there = { DATABASE_URL: other() };
    expect((await postern(["users", "list", "--json"], { variables: there })).out).toContain("ada@example.com");
    // The target opens the sender's key, so it can sign.
    expect((await postern(["doctor"], { variables: there })).out).not.toContain("does not open");
    const again = await serve(there);
    await again.stop();

    const second = await copy();
    expect([second.code, second.out]).toEqual([9, ""]);
    expect(second.err).toMatch(/^The target has rows already \(.*users.*\)\. Name an empty database\.\n$/);
  });

  test("is refused before the first row without the key that opens the secrets", async () => {
    await (await serve()).stop();
    await create("ada@example.com");
    await addSender();
    const without = await copy();
    expect([without.code, without.out]).toEqual([2, ""]);
    expect(without.err).toBe(
      `The target has no secret key, so it could not open the stored secrets. Set POSTERN_SECRET_KEY to the key of the source, or copy it to ${join(directory, "other/postern.key")}. The key of the source is in ${join(directory, "data/postern.key")}.\n`,
    );
    const wrong = await copy({ POSTERN_SECRET_KEY: key() });
    expect([wrong.code, wrong.err]).toEqual([
      2,
      "The secret key of the target, POSTERN_SECRET_KEY, does not open the secrets of the source. Put the key of the source there. Nothing was changed.\n",
    ]);
    mkdirSync(join(directory, "other"));
    writeFileSync(join(directory, "other/postern.key"), key());
    expect((await copy()).err).toContain(
      `The secret key of the target, ${join(directory, "other/postern.key")}, does not`,
    );
    expect(existsSync(join(directory, "other/postern.db"))).toBe(false);
    copyFileSync(join(directory, "data/postern.key"), join(directory, "other/postern.key"));
    const made = await copy({}, "--json");
    expect(made.code, made.err).toBe(0);
    expect(JSON.parse(made.out)).toMatchObject({
      continued: false,
      tables: expect.arrayContaining([{ table: "users", rows: 1, checksum: expect.stringMatching(/^[0-9a-f]{64}$/) }]),
    });
  });

  test("draws a bar where somebody watches, in one line", async () => {
    await (await serve()).stop();
    const line = ["copy", "--from", source(), "--to", other()];
    const variables = environment({ POSTERN_SECRET_KEY: key() });
    const { code, err } = await runIn({ directory, environment: variables, isTTY: true }, line);
    expect(code, err).toBe(0);
    expect(err).toContain("\r\u001b[2K[------------------------------] copying account_tokens: 0 of ");
    // The bar is gone before the last sentence.
    expect(err.split("\r\u001b[2K").at(-1)).toMatch(/^Both databases hold the same rows\. .*\n$/);
  });

  test("names a URL that is none, and a source that is not there", async () => {
    const variables = { POSTERN_SECRET_KEY: key() };
    expect(await postern(["copy", "--from", "oracle://x/y", "--to", other()], { variables })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^The URL of --from: unknown scheme "oracle"/),
    });
    expect(await copy(variables)).toMatchObject({ code: 3, err: expect.stringMatching(/^There is no source/) });
    expect(existsSync(join(directory, "data"))).toBe(false);
    expect(await postern(["copy", "--from", source()])).toMatchObject({ code: 2 });
  });

  test("says which of the two databases does not answer, and why", async () => {
    await (await serve()).stop();
    const variables = { POSTERN_SECRET_KEY: key() };
    const away = "postgres://postgres@127.0.0.1:1/postern";
    expect(await postern(["copy", "--from", source(), "--to", away], { variables })).toMatchObject({
      code: 5,
      err: expect.stringMatching(/^The target \(--to\) does not answer: ECONNREFUSED/),
    });
    expect(await postern(["copy", "--from", away, "--to", other()], { variables })).toMatchObject({
      code: 5,
      err: expect.stringMatching(/^The source \(--from\) does not answer: ECONNREFUSED/),
    });
    expect(await postern(["copy", "--from", source(), "--to", "nonsense"], { variables })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^The URL of --to: it has no scheme/),
    });
  });
});
