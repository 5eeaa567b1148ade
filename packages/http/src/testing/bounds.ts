import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { memoryTelemetry } from "@postern/core/memory";
import type { Telemetry } from "@postern/core/ports";
import { defineProvider } from "@postern/inbox";
import { createVerifier, keyLookup, signRequest } from "@postern/webhook-verifier";
import { plaid } from "@postern/webhook-verifier/schemes/plaid";
import { bearer, forged, json, makeApp, signUp, webhook } from "./app-under-test.ts";
import { assertContains, assertMatches, reaches } from "./assertions.ts";
import { type Cases, eachOf } from "./cases.ts";
import { from, hold } from "./from-address.ts";
import { expectProblem } from "./problem.ts";
import { lines, open, readToEnd } from "./raw.ts";
import type { ServedByServer, Trial } from "./trial.ts";

const get = (path: string, ...more: readonly string[]) => lines(`GET ${path} HTTP/1.1`, "Host: a", ...more);

const post = (path: string, length: number) =>
  lines(`POST ${path} HTTP/1.1`, "Host: a", "Content-Type: application/json", `Content-Length: ${length}`);

/** Enough for 125 MiB at 256 KiB in a turn. */
const turnsToTakeIn = 500;

/**
 * Holds back the last byte of bodies of 1 MiB, each over a connection of its own, and waits until
 * all have come in: those that have room stay, and the others are refused.
 */
const fillWithBodies = async (port: number, addresses: readonly string[], staying: number): Promise<void> => {
  const length = 1024 * 1024;
  const short = Buffer.concat([Buffer.from(post("/api/webhooks/acme", length)), Buffer.alloc(length - 1, " ")]);
  let refused = 0;
  for (const address of addresses) {
    let told = false;
    const count = () => {
      if (!told) refused += 1;
      told = true;
    };
    const socket = await hold(address, port, short).catch(count);
    socket?.once("data", count).once("close", count).resume();
  }
  await reaches(() => refused, addresses.length - staying);
  // Bodies are taken in a few pieces in each turn of the event loop; those that stay end last.
  for (let turn = 0; turn < turnsToTakeIn; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

export const boundMessages: Cases = {
  "JSON that would keep the process busy: is refused for too many members and elements together": async (trial) => {
    const { url } = await trial.serve();
    const nested = `[${"[],".repeat(300_000)}[]]`;
    const problem = await expectProblem(
      await trial.fetch(`${url}/api/users`, { ...json(0), body: nested }),
      "invalid_json",
    );
    assertMatches(problem.errors, [{ code: "too_many" }]);
    const within = await trial.fetch(`${url}/api/users`, { ...json(0), body: `{"a":[${"0,".repeat(9_998)}0]}` });
    await expectProblem(within, "validation_failed");
    const beyond = { ...json(0), body: `{"a":[${"0,".repeat(9_999)}0]}` };
    await expectProblem(await trial.fetch(`${url}/api/users`, beyond), "invalid_json");
    // Where longer bodies are allowed, they may have more.
    const longer = await trial.serve({ jsonLimitBytes: 2 * 1024 * 1024 });
    await expectProblem(await trial.fetch(`${longer.url}/api/users`, beyond), "validation_failed");
  },
  "JSON that would keep the process busy: is refused in a webhook beyond 100,000 of them; characters in strings do not count":
    async (trial) => {
      const { url } = await trial.serve();
      const send = async (body: string, id: string) => trial.fetch(`${url}/api/webhooks/acme`, await webhook(body, id));
      const problem = await expectProblem(await send(` [${"[],".repeat(100_000)}[]]`, "msg_1"), "content_too_large");
      assertContains(problem.detail, "100000 members and elements");
      const marked = `\ufeff[${"[],".repeat(100_000)}[]]`;
      await expectProblem(await send(marked, "msg_0"), "content_too_large");
      assert.equal((await send(`{"type":"a","list":[${"0,".repeat(99_000)}0]}`, "msg_2")).status, 200);
      assert.equal((await send(`{"type":"a","text":"${'\\",[{'.repeat(100_000)}"}`, "msg_3")).status, 200);
      assert.equal((await send(",".repeat(300_000), "msg_4")).status, 200);
    },
};

/** A minute's worth, and what was paid off meanwhile, in a test of at most half a minute. */
const assertMinutesWorth = (count: number, worth: number): void =>
  assert.ok(count >= worth && count <= 1.5 * worth, `${count} in place of ${worth}`);

export const boundConnections: Cases<ServedByServer> = {
  "bodies that are held back: do not delay a request that needs no body or is refused": async (trial) => {
    const { port } = await trial.serve();
    for (const [head, status] of [
      [get("/api", "Content-Length: 100"), 200],
      [get("/api", "Transfer-Encoding: chunked"), 200],
      [post("/api/v2/users/me/posts", 100), 401],
      [post("/nowhere", 100), 404],
    ] as const) {
      const socket = await open(port);
      socket.write(head);
      const [answer] = (await once(socket, "data")) as [Buffer];
      assertContains(answer.toString(), `HTTP/1.1 ${status} `);
      socket.destroy();
    }
  },
  "bodies that are held back: fill the share of their address and no more: signed webhooks from elsewhere are taken":
    async (trial) => {
      const mebibyte = 1024 * 1024;
      const limits = { memoryLimitBytes: 8 * mebibyte, webhookLimitBytes: mebibyte };
      const { port, url } = await trial.serve(limits, undefined, { bodyWaitMs: 0 });
      await fillWithBodies(port, new Array<string>(16).fill("127.0.0.2"), 2);
      const { headers, body } = (await webhook("x".repeat(900_000))) as {
        headers: Record<string, string>;
        body: string;
      };
      const delivered = await from("127.0.0.3", `${url}/api/webhooks/acme`, { headers, body });
      assert.equal(delivered.status, 200);
      const own = await from("127.0.0.2", `${url}/api/webhooks/acme`, { headers, body });
      assertMatches(JSON.parse(own.text), { code: "overloaded" });
    },
  "bodies that are held back: of many addresses leave room for small bodies and for senders that have proven themselves":
    async (trial) => {
      const mebibyte = 1024 * 1024;
      const limits = { memoryLimitBytes: 8 * mebibyte, webhookLimitBytes: mebibyte };
      const { port, url } = await trial.serve(limits, undefined, { bodyWaitMs: 0 });
      const send = async (address: string, length: number, id: string) => {
        const { headers, body } = (await webhook("x".repeat(length), id)) as {
          headers: Record<string, string>;
          body: string;
        };
        return (await from(address, `${url}/api/webhooks/acme`, { headers, body })).status;
      };
      assert.equal(await send("127.0.0.100", 100, "msg_0"), 200);
      const addresses = Array.from({ length: 24 }, (_, index) => `127.0.0.${2 + Math.floor(index / 3)}`);
      await fillWithBodies(port, addresses, 5);
      assert.equal(await send("127.0.0.50", 900_000, "msg_1"), 503);
      assert.equal(await send("127.0.0.50", 30_000, "msg_2"), 200);
      assert.equal(await send("127.0.0.100", 900_000, "msg_3"), 200);
    },
  ...eachOf(
    "bodies that are held back: the next one, %s, waits for their room and is answered",
    ["with its length", "in chunks"],
    async (trial: Trial<ServedByServer>, by) => {
      const mebibyte = 1024 * 1024;
      const { port, url } = await trial.serve({ memoryLimitBytes: 8 * mebibyte, webhookLimitBytes: mebibyte });
      const held: Socket[] = [];
      for (let index = 0; index < 2; index += 1) {
        held.push(await hold("127.0.0.2", port, post("/api/webhooks/acme", mebibyte) + " ".repeat(mebibyte - 1)));
      }
      // No two pieces of it are alike, so their order counts.
      const numbers = Array.from({ length: 150_000 }, (_, n) => n).join(" ");
      const { headers, body } = (await webhook(numbers)) as {
        headers: Record<string, string>;
        body: string;
      };
      const length = by === "in chunks" ? { "transfer-encoding": "chunked" } : {};
      let status: number | undefined;
      const sent = from("127.0.0.2", `${url}/api/webhooks/acme`, { headers: { ...headers, ...length }, body });
      void sent.then((answer) => {
        status = answer.status;
      });
      // Those of others do not wait for it.
      for (let other = 3; other < 6; other += 1) {
        assert.equal((await from(`127.0.0.${other}`, `${url}/api/webhooks/acme`, { headers, body })).status, 200);
      }
      assert.equal(status, undefined);
      held[0]?.destroy();
      assert.equal((await sent).status, 200);
    },
  ),
  "forged webhooks: are all refused, and fill no log": async (trial) => {
    const made = makeApp();
    const { url, log } = await trial.serve({}, made);
    for (let index = 0; index < 80; index += 1) {
      assert.equal((await from("127.0.0.2", `${url}/api/webhooks/acme`, forged)).status, 401);
    }
    assertMinutesWorth(log.lines.length, 60);
    assertMatches(log.lines[0]?.fields, { address: "127.0.0.2", provider: "acme", status: 401 });
    const refused = made.ports.telemetry.entries.filter(({ message }) => message === "webhook refused");
    assertMinutesWorth(refused.length, 60);
    assertMatches(refused[0]?.fields, { address: "127.0.0.2" });
    const signed = (await webhook("{}")) as { headers: Record<string, string>; body: string };
    assert.equal((await from("127.0.0.2", `${url}/api/webhooks/acme`, signed)).status, 200);
  },
  "requests that are refused or lead nowhere: get 60 log lines a minute for an address, and each is measured": async (
    trial,
  ) => {
    const measured: string[] = [];
    const telemetry = memoryTelemetry();
    const observe: Telemetry["observe"] = (name, _value, labels) => {
      if (name === "http_request_ms") measured.push(labels?.status ?? "");
    };
    const { url } = await trial.serve({ telemetry: { ...telemetry, observe } });
    const ask = (address: string, path: string) => from(address, `${url}${path}`);
    for (let index = 0; index < 40; index += 1) {
      assert.equal((await ask("127.0.0.2", "/api/v2/users/me")).status, 401);
      assert.equal((await ask("127.0.0.2", `/nothing/${index}`)).status, 404);
    }
    const linesOf = () => telemetry.entries.filter(({ message }) => message === "request");
    const before = linesOf().length;
    assertMinutesWorth(before, 60);
    await ask("127.0.0.3", "/api/v2/users/me");
    await ask("127.0.0.2", "/api");
    assert.deepEqual(
      linesOf()
        .slice(before)
        .map(({ fields }) => [fields?.address, fields?.status]),
      [
        ["127.0.0.3", 401],
        ["127.0.0.2", 200],
      ],
    );
    await reaches(() => measured.length, 82);
  },
  "requests that no rate limit counts: get 60 log lines a minute for an address if they are refused, else ten times as many":
    async (trial) => {
      const { url, log } = await trial.serve();
      const faults: Parameters<typeof from>[2][] = [
        { method: "PUT" },
        { headers: { accept: "text/csv" } },
        { headers: { "content-encoding": "br" }, body: "{}" },
      ];
      const statuses = new Set<number | undefined>();
      for (let index = 0; index < 100; index += 1) {
        statuses.add((await from("127.0.0.2", `${url}/api/v2/sessions`, faults[index % faults.length])).status);
      }
      assert.deepEqual([...statuses].toSorted(), [405, 406, 415]);
      const linesOf = (address: string) => log.lines.filter(({ fields }) => fields.address === address).length;
      assertMinutesWorth(linesOf("127.0.0.2"), 60);
      for (let index = 0; index < 400; index += 1) {
        assert.equal((await from("127.0.0.3", `${url}/api/v2/sessions`, { method: "OPTIONS" })).status, 204);
        assert.equal((await from("127.0.0.3", `${url}/`)).status, 200);
      }
      const uncounted = linesOf("127.0.0.3");
      assertMinutesWorth(uncounted, 600);
      // What a rate limit counts has a line each.
      for (let index = 0; index < 70; index += 1) assert.equal((await from("127.0.0.3", `${url}/api`)).status, 200);
      assert.ok(linesOf("127.0.0.3") >= uncounted + 70);
    },
  "webhooks to providers that do not exist: fill no log, whatever their names": async (trial) => {
    const { url, log } = await trial.serve();
    for (let index = 0; index < 80; index += 1) {
      assert.equal((await from("127.0.0.2", `${url}/api/webhooks/nobody-${index}`, { body: "{}" })).status, 404);
    }
    assertMinutesWorth(log.lines.length, 60);
  },
  "chunks of one byte: end the chunked bodies of an address that sends more than 6,000, and nothing else": async (
    trial,
  ) => {
    const { port } = await trial.serve();
    const send = async (address: string, body: string) => {
      const head = ["Host: a", "Transfer-Encoding: chunked", "Connection: close"];
      const socket = await hold(address, port, lines("POST /api/webhooks/acme HTTP/1.1", ...head));
      // A connection that is cut while bytes come in may be reset before its answer is read.
      const received = readToEnd(socket.resume()).catch(() => "");
      socket.write(body);
      return received;
    };
    const bytes = (count: number) => "1\r\n \r\n".repeat(count);
    const half = (framing: string) =>
      lines("POST /api/webhooks/acme HTTP/1.1", "Host: a", framing, "Connection: close");
    const beside = await hold("127.0.0.2", port, half("Transfer-Encoding: chunked"));
    const honest = [
      await hold("127.0.0.2", port, half("Content-Length: 9")),
      await hold("127.0.0.3", port, half("Content-Length: 9")),
    ];
    const cut = readToEnd(beside.resume()).catch(() => "");
    // Neither body ends, so only the bound ends their connections this soon.
    await send("127.0.0.2", bytes(6_500));
    assert.equal(await cut, "");
    for (const upload of honest) {
      upload.write("123456789");
      assert.match(await readToEnd(upload.resume()), /^HTTP\/1\.1 401 /);
    }
    assert.match(await send("127.0.0.3", `${bytes(90)}0\r\n\r\n`), /^HTTP\/1\.1 401 /);
    // Longer chunks are not counted.
    const long = `${"40\r\n"}${" ".repeat(64)}\r\n`.repeat(7_000);
    assert.match(await send("127.0.0.4", `${long}0\r\n\r\n`), /^HTTP\/1\.1 401 /);
  },
  "headers: are refused beyond 100, on any path": async (trial) => {
    const { port } = await trial.serve();
    const many = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: 1`);
    const ask = (count: number) =>
      trial.raw(port, lines("GET /api HTTP/1.1", "Host: a", "Connection: close", ...many(count)));
    assert.equal((await ask(98))[0]?.status, 200);
    const [refused] = await ask(99);
    const problem = await expectProblem(refused, "headers_too_large");
    assertContains(problem.detail, "more than 100 headers");
    assert.equal(refused?.headers.get("connection"), "close");
  },
  "webhooks whose keys cannot be read: fill no log": async (trial) => {
    const unreachable = async () => {
      throw new Error("no keys today");
    };
    const keyless = defineProvider({
      name: "keyless",
      verifier: createVerifier(plaid, { keys: keyLookup(unreachable) }),
    });
    const made = makeApp({ providers: [keyless] });
    const { url, log } = await trial.serve({}, made);
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
    const { headers } = await signRequest(plaid, { keys: { key, id: "unknown" }, body: "{}" });
    const post = { headers: { ...headers, "content-type": "application/json" }, body: "{}" };
    for (let index = 0; index < 80; index += 1) {
      assert.equal((await from("127.0.0.2", `${url}/api/webhooks/keyless`, post)).status, 503);
    }
    assertMinutesWorth(log.lines.length, 60);
    const of = (message: string) => made.ports.telemetry.entries.filter((entry) => entry.message === message);
    assertMinutesWorth(of("webhook refused").length, 60);
    assert.equal(of("request failed").length, 10);
  },
  "the access log: names the address, the user and the sender": async (trial) => {
    const { url, log } = await trial.serve();
    const { id, token } = await signUp(trial, url);
    await from("127.0.0.7", `${url}/api/v2/users/me`, { headers: bearer(token) });
    await from("127.0.0.7", `${url}/api/v2/users/${id}/nothing`, { headers: bearer(token) });
    await from("127.0.0.7", `${url}/api/v2/admin/stats`, { headers: bearer(token) });
    await from("127.0.0.8", `${url}/api/webhooks/nobody`, { body: "{}" });
    const draft = { name: "export", scopes: ["users:read"] };
    const made = await trial.fetch(`${url}/api/v2/api-keys`, json(draft, { headers: bearer(token) }));
    const key = (await made.json()) as { id: string; key: string };
    await from("127.0.0.9", `${url}/api/v2/users/me`, { headers: bearer(key.key) });
    await log.reach(8);
    assertMatches(log.lines.at(-1)?.fields, { status: 200, address: "127.0.0.9", user: id, api_key: key.id });
    assert.ok(!JSON.stringify(log.lines).includes(key.key.slice(-40)));
    assert.deepEqual(
      log.lines.slice(2, -2).map(({ fields }) => [fields.status, fields.address, fields.user, fields.provider]),
      [
        [200, "127.0.0.7", id, undefined],
        [404, "127.0.0.7", undefined, undefined],
        [403, "127.0.0.7", id, undefined],
        [404, "127.0.0.8", undefined, undefined],
      ],
    );
  },
  "the access log: warns once if a proxy hides all callers behind its address": async (trial) => {
    const telemetry = memoryTelemetry();
    const { url } = await trial.serve({ telemetry });
    for (let index = 0; index < 3; index += 1) {
      await from("127.0.0.2", `${url}/api`, { headers: { "x-forwarded-for": "192.0.2.1" } });
    }
    const warnings = telemetry.entries.filter(({ level }) => level === "warn");
    assertMatches(
      warnings.map(({ fields }) => fields?.hint),
      [/POSTERN_TRUST_PROXY/],
    );
    const trusting = memoryTelemetry();
    const second = await trial.serve({ telemetry: trusting, trustProxy: 1 });
    await from("127.0.0.2", `${second.url}/api`, { headers: { "x-forwarded-for": "192.0.2.1" } });
    assert.deepEqual(
      trusting.entries.filter(({ level }) => level === "warn"),
      [],
    );
    assertMatches(trusting.entries.at(-1)?.fields, { address: "192.0.2.1" });
  },
};
