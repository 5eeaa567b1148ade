import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { newEvent } from "@postern/core/testing";
import { compose, readConfig } from "@postern/server";
import { createVerifier } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { expect, test } from "vitest";
import { create, directory, environment, postern, runIn, serve } from "./command-line.ts";

/** A key of an administrator, who may do all that an operator may. */
const keyOf = async (email: string, ...scopes: string[]): Promise<string> => {
  const given = scopes.flatMap((scope) => ["--scope", scope]);
  return (await postern(["keys", "create", "--user", email, "--name", "terminal", ...given])).out.trim();
};

const allScopes = async (): Promise<readonly string[]> =>
  JSON.parse((await postern(["keys", "scopes", "--json"])).out).items;

/** Runs a command where there is no database, as on the machine of somebody who looks after a server. */
const away = (line: readonly string[], variables: Record<string, string> = {}, stdin = "") =>
  runIn({ directory, environment: { XDG_CONFIG_HOME: join(directory, "settings"), ...variables } }, line, stdin);

const reads = (id: string, user: string): readonly (readonly string[])[] => [
  ["events", "list"],
  ["events", "list", "--state", "dead"],
  ["events", "list", "--limit", "1"],
  ["events", "show", id],
  ["events", "show", "999"],
  ["events", "search", "no such text"],
  ["events", "list", "--limit", "1000"],
  ["events", "export"],
  ["events", "export", "--without-payload", "--state", "dead"],
  ["jobs", "list"],
  ["jobs", "show", "1"],
  ["jobs", "neighbours", "1"],
  ["jobs", "list", "--handler", "mail"],
  ["causes"],
  ["plans", "list"],
  ["plans", "show", "1"],
  ["queues", "list"],
  ["providers", "list"],
  ["users", "list"],
  ["users", "show", user],
  ["users", "show", "nobody@example.com"],
  ["keys", "list", "--user", user],
  ["sessions", "list"],
  ["grants", "list"],
  ["clients", "list"],
  ["signing-keys", "list"],
  ["audit", "list", "--action", "users.create"],
];

/** What differs in any case: a page's place is sealed for its caller, a key notes its last use, and time passes. */
const comparable = (text: string): string =>
  text
    .replaceAll(/"next":"[^"]*"/g, '"next":"…"')
    .replaceAll(/"(to|oldest_waiting_seconds)":("[^"]*"|[\d.]+)/g, '"$1":"…"')
    .replaceAll(/(?<=\t)\d+\.\d+$/gm, "…")
    .replaceAll(/--cursor \S+/g, "--cursor …")
    .replaceAll(/"last_used_at":("[^"]*"|null)/g, '"last_used_at":…')
    .replaceAll(/(?<=\t)\d{4}-\S+Z$/gm, "…")
    .replaceAll(/(?<=\t)-$/gm, "…");

/** Stores two events for an administrator, and returns how the administrator reaches the server. */
const withEvents = async (url: string): Promise<Record<string, string>> => {
  await create("ada@example.com", "--role", "admin");
  const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  const now = Date.now();
  await storage.events.accept([
    newEvent("evt_1", { receivedAt: now, jobs: [{ kind: "mail", maxAttempts: 1 }] }),
    newEvent("evt_2", { receivedAt: now, jobs: [{ kind: "mail", maxAttempts: 1, dueAt: now + 3_600_000 }] }),
  ]);
  await close();
  const token = await keyOf("ada@example.com", ...(await allScopes()));
  return { POSTERN_SERVER: url, POSTERN_TOKEN: token };
};

/** Runs each command on the database and on the server, as text and as JSON. */
const expectTheSame = async (lines: readonly (readonly string[])[], chosen: Record<string, string>): Promise<void> => {
  for (const line of lines) {
    for (const form of [[], ["--json"]]) {
      const direct = await postern([...line, ...form]);
      const remote = await away([...line, ...form], chosen);
      const say = ({ code, out, err }: typeof direct) => [line, code, comparable(out), comparable(err)];
      expect(say(remote)).toEqual(say(direct));
    }
  }
};

test("a command does on a running server what it does on the database", { timeout: 60_000 }, async () => {
  const server = await serve();
  try {
    const chosen = await withEvents(String(server.url));
    await expectTheSame(reads("1", "ada@example.com"), chosen);

    const plan = ["plans", "make", "replay", "--state", "dead", "--json"];
    const made = JSON.parse((await away(plan, chosen)).out);
    expect(made).toMatchObject({ action: "replay", dry_run: { matched: 0, complete: true } });
    expect(JSON.parse((await postern(["plans", "show", made.id, "--json"])).out)).toEqual(made);

    // What is written there is read here, and the log says who did it.
    expect(
      (await away(["users", "create", "--name", "Bo", "--email", "bo@example.com"], chosen, "correct horse battery\n"))
        .code,
    ).toBe(0);
    expect(
      await away(["users", "create", "--name", "Bo", "--email", "bo@example.com"], chosen, "correct horse battery\n"),
    ).toMatchObject({
      code: 2,
      err: expect.stringContaining("There is already a user bo@example.com."),
    });
    expect((await away(["queues", "pause", "mail", "--note", "by hand"], chosen)).out).toContain(
      "Queue mail is paused.",
    );
    expect(JSON.parse((await postern(["queues", "list", "--json"])).out).items).toContainEqual(
      expect.objectContaining({ name: "mail", note: "by hand" }),
    );
    expect((await away(["jobs", "cancel", "2", "999", "--yes"], chosen)).code).toBe(6);
    expect(await away(["users", "promote", "bo@example.com", "--role", "viewer"], chosen)).toMatchObject({
      code: 4,
      err: expect.stringContaining("[sign_in_too_old]"),
    });
    const added = ["providers", "add", "shop", "--scheme", "github"];
    expect(await away(added, chosen, "a secret of the shop that is long\n")).toMatchObject({ code: 0 });
    expect(await away(["providers", "remove", "shop", "--yes"], chosen)).toMatchObject({ code: 0, err: "" });
    expect(await away(["users", "delete", "bo@example.com", "--yes"], chosen)).toMatchObject({ code: 0, err: "" });
    const [entry] = JSON.parse((await postern(["audit", "list", "--action", "users.delete", "--json"])).out).items;
    const ada = JSON.parse((await postern(["users", "show", "ada@example.com", "--json"])).out);
    expect(entry.actor).toEqual({ kind: "user", id: ada.id });
  } finally {
    await server.stop();
  }
});

test("traces, notes, counts, refusals and plans are those of the running server", { timeout: 60_000 }, async () => {
  const server = await serve();
  try {
    const chosen = await withEvents(String(server.url));
    const noted = await away(["events", "note", "1", "looked at it"], chosen);
    expect([noted.code, noted.err]).toEqual([0, ""]);
    const seen = JSON.parse((await postern(["events", "show", "1", "--json"])).out);
    expect(seen.notes).toMatchObject([{ text: "looked at it" }]);
    expect((await away(["events", "note", "999", "x"], chosen)).code).toBe(3);

    const lines = [
      ["events", "trace", "1"],
      ["events", "trace", "999"],
      ["events", "diff", "1"],
      ["events", "tail", "--since", "1h", "--count", "2"],
      ["counts", "--since", "2026-01-01", "--step", "day"],
      ["counts", "--since", "2026-01-01", "--by-provider"],
      ["refusals", "list"],
      ["refusals", "show", "999"],
      ["users", "reset-password", "nobody@example.com", "--mail"],
    ];
    await expectTheSame(lines, chosen);
    const { id } = JSON.parse((await away(["plans", "make", "replay", "--state", "dead", "--json"], chosen)).out);
    const ran = await away(["plans", "run", id, "--yes", "--wait"], chosen);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining(`Plan ${id}: done.`)]);
  } finally {
    await server.stop();
  }
});

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

/** Starts a command in a process of its own, in the folder of the test. */
const start = (line: readonly string[], variables: Record<string, string>) => {
  const child = spawn(process.execPath, ["--conditions=@postern/source", "--import", loader, main, ...line], {
    cwd: directory,
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(directory, "settings"), ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    printed.out += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    printed.err += String(chunk);
  });
  const ended = once(child, "close").then(([code]) => ({ code, ...printed }));
  return { printed, ended, end: () => child.kill("SIGKILL") };
};

/** A program that gets events, and fails for those with this text. */
const program = async (fails: string) => {
  const got: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    got.push({ headers: request.headers, body });
    response.writeHead(body.includes(fails) ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { got, url: `http://127.0.0.1:${port}/hooks`, close: () => server.close() };
};

test("listen and a real refusal are those of the running server, each command a process of its own", {
  timeout: 120_000,
}, async () => {
  const variables = { WEBHOOK_GITHUB_SECRET: "it is a secret to everybody" };
  const server = await serve(variables);
  const receiver = await program("Hold");
  const started: ReturnType<typeof start>[] = [];
  const both = (...line: readonly string[]) => {
    const pair = [start(line, environment(variables)), start(line, chosen)];
    started.push(...pair);
    return pair;
  };
  let chosen: Record<string, string> = {};
  try {
    await create("ada@example.com", "--role", "admin");
    chosen = {
      POSTERN_SERVER: String(server.url),
      POSTERN_TOKEN: await keyOf("ada@example.com", ...(await allScopes())),
    };
    const send = (...more: string[]) =>
      postern(["send", "github", "--url", String(server.url), "--type", "push", ...more], { variables });

    await send("--id", "d-0", "--tamper");
    // The server stores what it counts and refuses when it is asked for it.
    const { items } = JSON.parse((await away(["refusals", "list", "--json"], chosen)).out);
    expect(items).toMatchObject([{ provider: "github", reason: "signature_mismatch" }]);
    const whole = ["refusals", "show", items[0].id];
    for (const line of [["refusals", "list", "--json"], whole, [...whole, "--json"]]) {
      const [direct, remote] = await Promise.all(both(...line).map(({ ended }) => ended));
      expect([line, remote]).toEqual([line, direct]);
      expect(direct).toMatchObject({ code: 0, err: "", out: expect.stringContaining("signature_mismatch") });
    }

    const only = ["--provider", "github", "--count", "2", "--json"];
    const listening = both("listen", "--forward", receiver.url, ...only);
    for (const { printed } of listening)
      await expect.poll(() => printed.out, { timeout: 30_000 }).toContain('"kind":"ready"');
    const body = '{ "zen":  "Keep it logically awesome.\\u00fc" }';
    const bodies = [body, body.replace("Keep", "Hold")];
    for (const [n, data] of bodies.entries()) await send("--data", data, "--id", `d-${n + 1}`);
    const ends = await Promise.all(listening.map(({ ended }) => ended));
    const keys: string[] = [];
    const [direct, remote] = ends.map(({ code, out, err }) => {
      const lines = out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      keys.push(lines[0].keys.github);
      return { code, err, lines: lines.map((line) => ({ ...line, keys: "…", ms: "…" })) };
    });
    expect(remote).toEqual(direct);
    expect(direct).toMatchObject({
      code: 6,
      err: "1 event failed.\n",
      lines: [{ forward: receiver.url }, { provider: "github", status: 200 }, { type: "push", status: 500 }],
    });
    // Each of them signed the exact bytes, with a key of its own.
    expect(new Set(keys).size).toBe(2);
    expect(receiver.got.map((one) => one.body).toSorted()).toEqual([...bodies, ...bodies].toSorted());
    const signer = await Promise.all(
      receiver.got.map(async ({ headers, body: bytes }) => {
        const webhook = { method: "POST", url: receiver.url, headers: { ...headers }, body: bytes };
        const fits = keys.map((key) => createVerifier(github, { keys: key }).verify(webhook));
        return (await Promise.allSettled(fits)).map(({ status }) => status).indexOf("fulfilled");
      }),
    );
    expect(signer.toSorted()).toEqual([0, 0, 1, 1]);
  } finally {
    for (const { end } of started) end();
    await server.stop();
    receiver.close();
  }
});

test("login keeps an address and a key, readable by its owner alone, until logout", async () => {
  const server = await serve();
  try {
    await create("ada@example.com", "--role", "admin");
    const url = String(server.url);
    const token = await keyOf("ada@example.com", ...(await allScopes()));
    expect(await away(["login", url, "--name", "here"], {}, "wrong\n")).toMatchObject({ code: 4 });
    expect(await away(["status", "--server", "here"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("there is none"),
    });
    const kept = await away(["login", `${url}/`, "--name", "here"], {}, `${token}\n`);
    expect(kept).toMatchObject({ code: 0, out: expect.stringContaining(`Kept ${url} as here.`) });
    expect(kept.out + kept.err).not.toContain(token);
    expect(statSync(join(directory, "settings/postern/servers.json")).mode & 0o777).toBe(0o600);
    for (const line of [
      ["users", "list", "--server", "here"],
      ["--server", "here", "users", "list"],
      ["users", "list", "--server", url],
    ])
      expect((await away(line)).out).toContain("ada@example.com");
    expect((await away(["users", "list"], { POSTERN_SERVER: "here" })).out).toContain("ada@example.com");
    expect((await away(["logout", "here"])).code).toBe(0);
    expect((await away(["users", "list", "--server", "here"])).code).toBe(2);
    expect((await away(["logout", "here"])).code).toBe(3);
    const narrow = await keyOf("ada@example.com", "posts:read");
    expect(await away(["users", "list"], { POSTERN_SERVER: url, POSTERN_TOKEN: narrow })).toMatchObject({
      code: 4,
      out: "",
    });
  } finally {
    await server.stop();
  }
});

test("a key goes to nobody but the server that was named, and never in the clear", async () => {
  const seen: string[] = [];
  const other = createServer((request, response) => {
    seen.push(String(request.headers.authorization));
    response.writeHead(302, { location: "http://127.0.0.1:9/" }).end();
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  const port = typeof address === "object" ? address?.port : 0;
  try {
    const chosen = { POSTERN_TOKEN: "pk_secret" };
    const refused = await away(["events", "list", "--server", `http://127.0.0.1:${port}`], chosen);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("answered 302, not as Postern does") });
    expect(seen).toEqual(["Bearer pk_secret"]);
    expect(refused.err).not.toContain("pk_secret");
    for (const clear of ["http://api.example.com", "http://127.0.0.1.example.com", "http://localhost.example.com"])
      expect(await away(["events", "list", "--server", clear], chosen)).toMatchObject({
        code: 2,
        err: expect.stringContaining("in the clear"),
      });
    for (const none of ["ftp://127.0.0.1", "http://user:secret@127.0.0.1", "https://[", "nowhere"])
      expect((await away(["events", "list", "--server", none], chosen)).code).toBe(2);
  } finally {
    other.close();
  }
  expect(
    await away(["events", "list", "--server", `http://127.0.0.1:${port}`], { POSTERN_TOKEN: "pk_x" }),
  ).toMatchObject({
    code: 5,
    err: expect.stringContaining("does not answer (ECONNREFUSED)"),
  });
});

test("schedules and settings are those of the running server", async () => {
  writeFileSync(
    join(directory, "postern.config.mjs"),
    `import { defineConfig, schedule } from "@postern/server";
     export default defineConfig({ schedules: [schedule("yearly", "@yearly", async () => {})] });`,
  );
  const server = await serve();
  try {
    await create("ada@example.com", "--role", "admin");
    const token = await keyOf("ada@example.com", "schedules:read", "schedules:write", "settings:read");
    const chosen = { POSTERN_SERVER: String(server.url), POSTERN_TOKEN: token };
    expect(await away(["schedules", "list"], chosen)).toEqual(await postern(["schedules", "list"]));
    // A terminal has another log than this server, and the server has its own folder for the default names of files.
    const settings = JSON.parse((await away(["config", "show", "--json"], chosen)).out).items;
    const here = JSON.parse(
      (await postern(["config", "show", "--json"], { variables: { LOG_LEVEL: "error" } })).out,
    ).items;
    const others = (items: readonly { readonly name: string }[]) =>
      items.filter(({ name }) => name !== "POSTERN_CONFIG");
    expect(others(settings)).toEqual(others(here));
    expect(settings).toContainEqual({
      ...{ name: "DATABASE_URL", value: environment().DATABASE_URL, secret: false },
      ...{ origin: "environment", variable: "DATABASE_URL" },
    });
    expect((await away(["schedules", "pause", "yearly", "--note", "by hand"], chosen)).out).toBe(
      "Schedule yearly is paused.\n",
    );
    expect(JSON.parse((await postern(["schedules", "list", "--json"])).out).items).toEqual([
      expect.objectContaining({ name: "yearly", paused: true, note: "by hand", next_at: null }),
    ]);
    expect((await away(["schedules", "resume", "yearly"], chosen)).out).toBe("Schedule yearly is not paused.\n");
    expect((await away(["schedules", "run", "yearly"], chosen)).out).toMatch(/^Job \d+ runs yearly now\./);
    expect((await away(["schedules", "run", "monthly"], chosen)).code).toBe(3);
  } finally {
    await server.stop();
  }
});

test("a command that needs the database says so when a server is named", async () => {
  const chosen = { POSTERN_SERVER: "https://api.example.com", POSTERN_TOKEN: "pk_x" };
  for (const line of [["doctor"], ["migrate"], ["audit", "verify"], ["backup", "x.db"], ["events", "import", "x"]]) {
    const { code, err, out } = await postern(line, { variables: chosen });
    expect([line, code, out + err]).toEqual([
      line,
      expect.any(Number),
      expect.stringContaining("works on the database itself, not on https://api.example.com"),
    ]);
    expect(code).not.toBe(0);
  }
});
