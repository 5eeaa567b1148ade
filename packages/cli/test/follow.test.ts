import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { runCli } from "@postern/cli";
import { createVerifier } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { expect, test } from "vitest";
import { create, directory, postern, runIn, serve } from "./command-line.ts";

const keyOf = async (email: string): Promise<string> => {
  const scopes = ["feed:read", "events:read", "events:reveal", "providers:read"].flatMap((one) => ["--scope", one]);
  return (await postern(["keys", "create", "--user", email, "--name", "terminal", ...scopes])).out.trim();
};

/** Runs a command on a server, and shows what it has printed so far. */
const begin = (line: readonly string[]) => {
  const printed = { out: "", err: "" };
  const into = (name: "out" | "err") =>
    new Writable({
      write: (chunk, _encoding, done) => {
        printed[name] += String(chunk);
        done();
      },
    });
  const ended = runCli(line, {
    stdin: Readable.from([""]),
    stdout: into("out"),
    stderr: into("err"),
    directory,
    environment: { XDG_CONFIG_HOME: join(directory, "settings") },
  });
  return { printed, ended };
};

const idsIn = (out: string) =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).event_id);

test("events tail follows a server, from before it began and over a restart of the server", {
  timeout: 60_000,
}, async () => {
  const first = await serve();
  const { port } = new URL(String(first.url));
  await create("ada@example.com", "--role", "admin");
  const key = await keyOf("ada@example.com");
  const send = (id: string) => postern(["send", "demo", "--url", `http://127.0.0.1:${port}`, "--id", id]);
  await send("evt_1");
  const there = ["--server", `http://127.0.0.1:${port}`, "--token", key];
  const place = { directory, environment: { XDG_CONFIG_HOME: join(directory, "settings") } };
  const tailing = begin(["events", "tail", "--since", "1h", "--count", "3", "--json", ...there]);
  const onDatabase = postern(["events", "tail", "--since", "1h", "--count", "3", "--json"]);
  await send("evt_2");
  await expect.poll(() => tailing.printed.out).toContain("evt_2");
  await first.stop();
  const second = await serve({ PORT: port });
  try {
    await send("evt_3");
    expect(await tailing.ended).toBe(0);
    expect(idsIn(tailing.printed.out)).toEqual(["evt_1", "evt_2", "evt_3"]);
    const direct = await onDatabase;
    expect([direct.code, idsIn(direct.out)]).toEqual([0, ["evt_1", "evt_2", "evt_3"]]);
    const refused = await runIn(place, ["events", "tail", ...there.slice(0, 3), "no-key"]);
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining("invalid_token")]);
  } finally {
    await second.stop();
  }
});

test("events tail says that nobody answers", async () => {
  const place = { directory, environment: { XDG_CONFIG_HOME: join(directory, "settings") } };
  const { code, err } = await runIn(place, ["events", "tail", "--server", "http://127.0.0.1:9", "--token", "x"]);
  expect([code, err]).toEqual([5, expect.stringContaining("does not answer")]);
});

/** A program on the machine of a developer, which keeps what it got. */
const program = async () => {
  const got: { headers: Record<string, string>; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      got.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks) });
      response.writeHead(got.length === 2 ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { got, url: `http://127.0.0.1:${port}/hooks`, close: () => server.close() };
};

test("listen forwards a server's events byte for byte, signed as their sender signs, with a key that it prints", {
  timeout: 60_000,
}, async () => {
  const variables = { WEBHOOK_GITHUB_SECRET: "it is a secret to everybody" };
  const server = await serve(variables);
  const receiver = await program();
  try {
    await create("ada@example.com", "--role", "admin");
    const there = ["--server", String(server.url), "--token", await keyOf("ada@example.com")];
    const only = ["--provider", "github", "--type", "push", "--count", "2", "--json"];
    const listening = begin(["listen", "--forward", receiver.url, ...only, ...there]);
    await expect.poll(() => listening.printed.out).toContain('"ready"');
    const body = '{ "zen":  "Keep it logically awesome.\\u00fc" }';
    const send = (type: string, ...more: string[]) =>
      postern(["send", "github", "--url", String(server.url), "--type", type, ...more], { variables });
    await send("ping");
    await send("push", "--data", body, "--id", "d-1");
    await send("push", "--data", body.replace("Keep", "Hold"), "--id", "d-2");
    expect(await listening.ended).toBe(6);
    const [ready, first, second] = listening.printed.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(ready).toMatchObject({ kind: "ready", forward: receiver.url, keys: { github: expect.any(String) } });
    expect(ready.keys.github).not.toBe(variables.WEBHOOK_GITHUB_SECRET);
    expect(first).toMatchObject({ kind: "event", provider: "github", type: "push", status: 200, error: null });
    expect(second).toMatchObject({ status: 500 });
    const [got] = receiver.got;
    expect(String(got?.body)).toBe(body);
    const verifier = createVerifier(github, { keys: ready.keys.github });
    const delivery = await verifier.verify({
      method: "POST",
      url: receiver.url,
      headers: got?.headers ?? {},
      body: got?.body ?? "",
    });
    expect([delivery.id, delivery.type]).toEqual(["d-1", "push"]);
    expect(listening.printed.err).toContain("1 event failed");
  } finally {
    await server.stop();
    receiver.close();
  }
});

test("listen refuses a text that is no URL, and says that its key may not see payloads", {
  timeout: 60_000,
}, async () => {
  const server = await serve();
  try {
    await create("ada@example.com", "--role", "admin");
    const scopes = ["feed:read", "events:read", "providers:read"].flatMap((one) => ["--scope", one]);
    const key = (await postern(["keys", "create", "--user", "ada@example.com", "--name", "t", ...scopes])).out.trim();
    const listening = begin([
      "listen",
      "--forward",
      "http://127.0.0.1:9",
      "--server",
      String(server.url),
      "--token",
      key,
    ]);
    await expect.poll(() => listening.printed.out).toContain("Events go to");
    await postern(["send", "demo", "--url", String(server.url)]);
    expect(await listening.ended).toBe(4);
    expect(listening.printed.err).toContain("events:reveal");
    expect((await postern(["listen", "--forward", "localhost"])).code).toBe(2);
  } finally {
    await server.stop();
  }
});
