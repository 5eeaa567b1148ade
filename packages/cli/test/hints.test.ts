import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { exitCodes, runCli } from "@postern/cli";
import { newEvent } from "@postern/core/testing";
import { compose, readConfig } from "@postern/server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommandTree } from "../src/command-tree.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "postern-hints-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const environment = () => ({ DATABASE_URL: `sqlite:${join(directory, "postern.db")}`, LOG_LEVEL: "error" });

const collector = (chunks: string[]): Writable =>
  new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });

const postern = async (line: string[], variables: Record<string, string> = {}, stdin = "") => {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(line, {
    stdin: Readable.from([stdin]),
    stdout: collector(out),
    stderr: collector(err),
    environment: { ...environment(), ...variables },
    directory,
  });
  return { code, out: out.join(""), err: err.join("") };
};

describe("hints of the command line", () => {
  test("name a command that there is: in a clone ./postern", async () => {
    const called = { CALLED_AS: "./postern" };
    expect((await postern(["--help"], called)).out).toContain("./postern events replay --state dead");
    expect((await postern(["doctor"], called)).out).toContain("run ./postern migrate");
    expect((await postern(["doctor"])).out).toContain("run postern migrate");
    expect((await postern(["send", "acme"], called)).err).toContain("./postern providers add acme");
  });

  test("say how options get through npm, which keeps them for itself", async () => {
    const npm = { npm_lifecycle_event: "postern" };
    expect((await postern(["events", "list", "dead"], npm)).err).toContain("npm run postern -- events list");
    expect((await postern(["events", "list", "dead"])).err).not.toContain("npm");
    expect((await postern(["events", "list", "dead"], { ...npm, CALLED_AS: "./postern" })).err).not.toContain("npm");
    await postern(["migrate"]);
    const listed = await postern(["events", "list"], { ...npm, npm_config_json: "true" });
    expect(JSON.parse(listed.out)).toEqual({ items: [], next: null });
  });

  test.each([
    ["events", "list", "--since", "90"],
    ["audit", "list", "--since", "5"],
    ["audit", "list", "--until", "2026-01-31T12:00"],
    ["keys", "create", "--user", "x", "--name", "x", "--scope", "posts:read", "--expires", "90"],
  ])("name the option whose time is none: %s %s %s %s", async (...line) => {
    await postern(["migrate"]);
    const { code, err } = await postern(line);
    const option = line.at(-2) ?? "";
    expect([code, err]).toEqual([2, `${option} takes 30m, 24h, 7d or an RFC 3339 time, not ${line.at(-1)}.\n`]);
  });

  test("take a day as a time", async () => {
    await postern(["migrate"]);
    expect((await postern(["audit", "list", "--since", "2026-01-31"])).code).toBe(0);
  });

  test("say why the database does not answer, as `doctor` and a start do", async () => {
    const down = {
      DATABASE_URL: "mysql://root@127.0.0.1:25098/none",
      POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      CALLED_AS: "./postern",
    };
    const { code, err } = await postern(["events", "list"], down);
    expect([code, err]).toEqual([5, expect.stringMatching(/ECONNREFUSED.*nothing listens there.*Check DATABASE_URL/)]);
  });

  test("name the states there are", async () => {
    const wrong = await postern(["events", "list", "--state", "deat"]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/--state.*'deat' is invalid.*dead/s)]);
    expect((await postern(["jobs", "list", "--state", "gone"])).err).toContain("scheduled");
    expect((await postern(["migrate", "--help"])).out).toContain("--plan");
  });
});

describe("wrong usage", () => {
  test.each([
    [
      ["providers", "add", "acme"],
      "No key was given. Type the sender's key at the prompt, pipe it in, or name its file with --key-file.",
    ],
    [["migrate", "sideways"], "migrate takes up, status or down, not sideways."],
    [
      ["send", "demo", "--url", "localhost:3000"],
      "--url takes the server's address, such as http://127.0.0.1:3000, not localhost:3000.",
    ],
    [["send", "demo", "--data", "@nowhere.json"], "The file nowhere.json cannot be read."],
  ])("says what to do: %j", async (line, message) => {
    await postern(["migrate"]);
    expect(await postern(line)).toEqual({ code: 2, out: "", err: `${message}\n` });
  });

  test("finds no key of a sender that does not exist", async () => {
    await postern(["migrate"]);
    await postern(["providers", "add", "stripe"], {}, "whsec_0123456789abcdef\n");
    const { code, err } = await postern(["providers", "show-key", "nobody"]);
    expect([code, err]).toEqual([
      3,
      expect.stringContaining('No sender "nobody" is configured; there is demo, stripe.'),
    ]);
  });

  test("leads from a taken address to `users promote`", async () => {
    await postern(["migrate"]);
    const ada = ["users", "create", "--name", "Ada", "--email", "a@x.example"];
    const password = "correct horse battery\n";
    await postern(ada, {}, password);
    expect((await postern([...ada, "--role", "admin"], {}, password)).err).toBe(
      "There is already a user a@x.example. To give them this role: postern users promote a@x.example --role admin [conflict]\n",
    );
    expect((await postern(ada, {}, password)).err).toBe("There is already a user a@x.example. [conflict]\n");
  });

  test("names each job that it could not change", async () => {
    await postern(["migrate"]);
    const { code, err } = await postern(["jobs", "cancel", "98", "99", "--yes"]);
    expect([code, err]).toEqual([
      6,
      expect.stringMatching(/^98: There is no such job\. \[not_found\]\n99: There is no such job\. \[not_found\]\n/),
    ]);
  });

  test("is not to ask for more time than there was", async () => {
    await postern(["migrate"]);
    expect((await postern(["events", "list", "--since", "999999d"])).code).toBe(0);
  });

  test("does not say that options which can be repeated are [] by default", async () => {
    expect((await postern(["clients", "create", "--help"])).out).not.toContain("[])");
  });
});

describe("postern send", () => {
  test("says how to start a server, as it is started here", async () => {
    const send = ["send", "demo", "--url", "http://127.0.0.1:1"];
    expect((await postern(send)).err).toContain("Start the server with postern serve, or name its address with --url.");
    expect((await postern(send, { CALLED_AS: "./postern" })).err).toContain("Start the server with npm start, or");
  });
});

describe("postern doctor", () => {
  test("warns about handlers whose sender is not configured, and about nothing that is fine", async () => {
    const handler = (provider: string) =>
      `{ name: "${provider}", provider: "${provider}", type: "*", retry: { delaysMs: [] }, timeoutMs: 1000, async handle() {} }`;
    writeFileSync(
      join(directory, "postern.config.mjs"),
      `export default { handlers: [${handler("acme")}, ${handler("*").replace('"*", pro', '"all", pro')}] };`,
    );
    await postern(["migrate"]);
    const { items } = JSON.parse((await postern(["doctor", "--json"])).out);
    expect(items).toContainEqual({
      check: "handler acme",
      ok: false,
      warning: true,
      text: 'no sender "acme" is configured; add it with postern providers add acme',
    });
    expect(items.filter(({ ok, warning }: { ok: boolean; warning?: boolean }) => ok && warning)).toEqual([]);
  });
});

describe("postern events", () => {
  const withEvent = async (): Promise<string> => {
    await postern(["migrate"]);
    const { storage, close } = await compose(readConfig(environment(), false), {});
    const at = Date.now();
    const [stored] = await storage.events.accept([newEvent("evt_1", { receivedAt: at })]);
    const id = stored?.id ?? 0;
    const answer = { status: 503, headers: {}, body: "", error: undefined };
    await storage.forwards.keep([{ eventId: id, handler: "forward:a", attempt: 1, at, ms: 7, ...answer }]);
    await close();
    return String(id);
  };

  test("show what targets answered", async () => {
    const id = await withEvent();
    const { out } = await postern(["events", "show", id]);
    expect(out).toMatch(/forwards\n.*ANSWERED.*\nforward:a .*503/);
    expect(out).not.toContain("[object Object]");
  });

  test("are listed since a time", async () => {
    const id = await withEvent();
    const listed = async (since: string) =>
      JSON.parse((await postern(["events", "list", "--since", since, "--json"])).out).items.map(
        (item: { id: string }) => item.id,
      );
    expect(await listed("1h")).toEqual([id]);
    expect(await listed(new Date(Date.now() + 60_000).toISOString())).toEqual([]);
    expect((await postern(["events", "list", "--since", "yesterday"])).code).toBe(2);
  });
});

const key = ["keys", "create", "--user", "a@x.example", "--name", "x", "--scope", "posts:read"];
const client = ["clients", "create", "--user", "a@x.example", "--name", "x", "--scope", "posts:read"];

describe("errors of the API at the command line", () => {
  test.each([
    [["providers", "add", "bogus"], '--scheme: there is no scheme "bogus"'],
    [["providers", "add", "acme", "--scheme", "svix", "--tolerance", "99d"], "--tolerance: "],
    [
      ["providers", "add", "x", "--scheme", "oidc", "--jwks-url", "https://example.com/x", "--key-file", "-"],
      "Give either --key-file or --jwks-url, not both.",
    ],
    [
      ["providers", "add", "stripe", "--jwks-url", "https://example.com/x"],
      "--jwks-url: stripe signs with a shared secret, which no key set contains: give the secret itself.",
    ],
    [["send", "../acme"], '"../acme" is no sender\'s name: a name has 1 to 64 lower-case letters'],
    [
      ["events", "replay", "--state", "processed"],
      "--force: events that have been processed run again only with --force",
    ],
    [["providers", "add", "github", "--setting", "colour=red"], "--setting: github needs no setting colour"],
    [
      ["providers", "add", "x", "--scheme", "oidc", "--jwks-url", "https://example.com/x"],
      "--setting: oidc needs the setting ",
    ],
    [["events", "replay", "--state", "dead", "--rate", "0"], "--rate: "],
    [["events", "replay", "--state", "dead", "--since", "1h", "--until", "3h"], "--until is not after --since"],
    [["events", "list", "--limit", "0"], "--limit: "],
    [["keys", "create", "--user", "a@x.example", "--name", "x", "--scope", "no"], '--scope: no operation needs "no"'],
    [["keys", "create", "--user", "a@x.example", "--name", "x"], "error: required option '--scope <scope>'"],
    [[...key, "--expires", "2020-01-01"], "--expires: this moment has passed"],
    [[...client, "--grant-type", "magic"], "--grant-type: "],
    [[...client, "--redirect-uri", "nowhere"], "--redirect-uri: write https://"],
    [[...client, "--public"], "--redirect-uri: a public client needs one"],
  ])("%j name the option", async (line, message) => {
    await postern(["migrate"]);
    await postern(["users", "create", "--name", "Ada", "--email", "a@x.example"], {}, "correct horse battery\n");
    const { code, err } = await postern(line, {}, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
    expect(err.slice(0, message.length)).toBe(message);
    expect(code).toBe(2);
  });
});

test("the README and the page of help name every exit code", async () => {
  const { out } = await postern(["--help"]);
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const codes = Object.values(exitCodes);
  expect([...readme.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code))).toEqual(codes);
  const helped = [...out.slice(out.indexOf("Exit codes:")).matchAll(/(?<!\S)(\d) [a-z]/g)].map(([, code]) =>
    Number(code),
  );
  expect(helped.toSorted()).toEqual(codes);
});

/** The commands that end by themselves, with a value for all that they require. */
const callable = ({ command, commands, arguments: given, options }: CommandTree): readonly (readonly string[])[] => {
  if (commands.length > 0) return commands.flatMap(callable);
  if (/^postern (?:serve|dev|worker|init|login|logout|completion|mcp|listen|help)\b/.test(command)) return [];
  const values = given.filter(({ required }) => required).map(({ choices }) => choices?.[0] ?? "1");
  const flags = options
    .filter(({ required }) => required)
    .flatMap(({ flags: names, choices }) => [names.split(" ")[0] ?? "", choices?.[0] ?? "1"]);
  return [[...command.split(" ").slice(1), ...values, ...flags]];
};

test("the README names every command, and those that need the database itself", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const tree: CommandTree = JSON.parse((await postern(["help", "--json"])).out);
  const lines = callable(tree);
  expect(lines.length).toBeGreaterThan(70);
  const [, list = ""] = /Some commands need the database itself[^:]*:([\s\S]*?)\.\n/.exec(readme) ?? [];
  const listed = [...list.matchAll(/`([\w -]+)`/g)].map(([, name = ""]) => name);
  const needing = new Set<string>();
  const unnamed: string[] = [];
  writeFileSync(join(directory, "1"), "content-type: application/json\n");
  for (const line of lines) {
    const words = line.join(" ");
    const rows = readme.split("\n").filter((row) => row.startsWith("| `") && row.includes(`\`${line[0]}`));
    if (!line.slice(0, 2).every((word) => word.startsWith("-") || word === "1" || rows.join().includes(word)))
      unnamed.push(words);
    const { out, err } = await postern([...line, "--server", "http://127.0.0.1:1", "--token", "x"]);
    if ((out + err).includes("works on the database itself")) {
      needing.add(listed.find((name) => words === name || words.startsWith(`${name} `)) ?? words);
    }
  }
  expect(unnamed).toEqual([]);
  expect([...needing].toSorted()).toEqual(listed.toSorted());
});
