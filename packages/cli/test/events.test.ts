import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfigFile, readConfig, startServer } from "@postern/server";
import { sign } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { describe, expect, test } from "vitest";
import { directory, environment, postern, runIn, serve } from "./command-line.ts";

describe("postern send and events", () => {
  test("sends a signed event that the server takes once, shows it and runs it again", async () => {
    const server = await serve();
    try {
      const send = (...more: string[]) =>
        postern(["send", "demo", "--url", String(server.url), "--id", "evt_1", ...more]);
      const sent = await send("--type", "invoice.paid", "--json");
      expect([sent.code, JSON.parse(sent.out)]).toEqual([
        0,
        { status: 200, body: { id: expect.any(String), status: "accepted" } },
      ]);
      expect((await send()).out).toContain("duplicate");
      const { id } = JSON.parse(sent.out).body;
      for (;;) {
        const [event] = JSON.parse((await postern(["events", "list", "--json"])).out).items;
        if (event.state === "processed") break;
      }
      const found = async (eventId: string) =>
        JSON.parse((await postern(["events", "list", "--event-id", eventId, "--json"])).out).items;
      expect([await found("evt_1"), await found("evt_2")]).toMatchObject([[{ id, event_id: "evt_1" }], []]);
      expect((await postern(["events", "list"])).out).toContain("\tinvoice.paid\tevt_1\t");
      const shown = await postern(["events", "show", id]);
      expect(shown.out).toMatch(/\nmetadata\n {2}delivery_id: \S+\n/);
      expect(shown.out).toContain("invoice.paid");
      expect(shown.out).toMatch(/\nrepeat +id\n/);
      expect(JSON.parse((await postern(["events", "show", id, "--json"])).out)).toMatchObject({
        repeats: 1,
        repeat: { by: "id", window_seconds: null },
        payload: { type: "invoice.paid" },
      });
      expect(await postern(["events", "replay", id])).toMatchObject({
        code: 9,
        err: expect.stringContaining("say --force"),
      });
      expect((await postern(["events", "replay", id, "--force", "--yes"])).out).toContain("runs again (1 job)");
      expect((await postern(["events", "replay", id, "999"])).code).toBe(6);
      expect((await postern(["events", "show", "999"])).code).toBe(3);
      expect((await postern(["events", "discard", id])).code).toBe(2);
      expect((await postern(["events", "discard", "999", "--reason", "x", "--yes"])).code).toBe(3);
      expect((await postern(["events", "list", "--state", "lost"])).code).toBe(2);
    } finally {
      await server.stop();
    }
  });

  test("let nothing but text reach the terminal, whatever an event holds", async () => {
    const server = await serve();
    try {
      const type = "\u001b]0;mine\u0007\u009b2J\u202emoc";
      const sent = await postern(["send", "demo", "--url", String(server.url), "--type", type, "--json"]);
      const { id } = JSON.parse(sent.out).body;
      const outputs = [
        await postern(["events", "show", id]),
        await postern(["events", "list"]),
        await postern(["events", "tail", "--since", "1h", "--count", "1"]),
        await postern(["events", "show", `\u001b[2J${id}`]),
      ];
      for (const { out, err } of outputs) expect(out + err).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u);
      expect(outputs[0]?.out).toContain("\\u001b]0;mine\\u0007\\u009b2J\\u202emoc");
      const json = await postern(["events", "show", id, "--json"]);
      expect(json.out).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u);
      expect(JSON.parse(json.out)).toMatchObject({ type });
    } finally {
      await server.stop();
    }
  });

  test.each([
    ["stripe", "whsec_test_0123456789abcdef"],
    ["github", "it is a secret to everybody"],
    ["standard-webhooks", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  ])("signs like %s", async (provider, secret) => {
    const variables = { [`WEBHOOK_${provider.toUpperCase().replace("-", "_")}_SECRET`]: secret };
    const server = await serve(variables);
    try {
      const sent = await postern(["send", provider, "--url", String(server.url), "--type", "push"], { variables });
      expect([sent.code, sent.out]).toEqual([0, expect.stringContaining('"status":"accepted"')]);
    } finally {
      await server.stop();
    }
  });

  test("sends to an application that has Postern in it, and makes no database beside it", async () => {
    const secret = { WEBHOOK_STRIPE_SECRET: "whsec_test_0123456789abcdef" };
    const server = await serve({ ...secret, POSTERN_BASE_PATH: "/postern" });
    const other = createServer((_request, response) => response.writeHead(404).end("<p>Cannot POST</p>")).listen(0);
    const folder = mkdtempSync(join(tmpdir(), "postern-application-"));
    try {
      const send = (url: string) =>
        runIn({ directory: folder, environment: { ...secret, DATABASE_URL: `sqlite:${folder}/data/postern.db` } }, [
          ...["send", "stripe", "--url", url],
        ]);
      expect(await send(`${server.url}/postern`)).toMatchObject({ code: 0, err: "" });
      const elsewhere = await send(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
      expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringContaining("Nothing of Postern answers there")]);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      other.close();
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });

  test("signs the public address, and calls the server below its base path", async () => {
    const variables = {
      WEBHOOK_HUBSPOT_SECRET: "0123456789abcdef0123456789abcdef",
      WEBHOOK_HUBSPOT_SCHEME: "hubspot-v3",
      POSTERN_PUBLIC_URL: "https://hooks.example.com",
      POSTERN_BASE_PATH: "/postern",
    };
    const server = await serve(variables);
    try {
      const url = String(server.url);
      for (const address of [url, `${url}/postern`, `${url}/postern/api/webhooks/hubspot`]) {
        const sent = await postern(["send", "hubspot", "--url", address], { variables });
        expect([address, sent.code, sent.err]).toEqual([address, 0, ""]);
      }
      const { port } = new URL(url);
      const everywhere = { ...variables, HOST: "0.0.0.0", PORT: port };
      expect((await postern(["send", "hubspot"], { variables: everywhere })).code).toBe(0);
    } finally {
      await server.stop();
    }
  });

  test("writes the type and the id where the sender has them in its body", async () => {
    const secret = "a secret of this test alone";
    const variables = { WEBHOOK_PAYSTACK_SECRET: secret, WEBHOOK_STRIPE_SECRET: "whsec_test_0123456789abcdef" };
    const server = await serve(variables);
    try {
      const send = async (...more: string[]) => {
        const sent = await postern(["send", ...more, "--url", String(server.url), "--json"], { variables });
        const { id } = JSON.parse(sent.out || "{}").body ?? {};
        const shown = id === undefined ? {} : JSON.parse((await postern(["events", "show", id, "--json"])).out);
        return { ...sent, shown };
      };
      const sample = await send("paystack", "--type", "charge.success");
      expect(sample.shown).toMatchObject({ type: "charge.success", payload: { event: "charge.success" } });
      const given = await send("stripe", "--type", "invoice.paid", "--id", "evt_9", "--data", '{"amount":20}');
      expect(given.shown).toMatchObject({
        type: "invoice.paid",
        event_id: "evt_9",
        payload: { amount: 20, id: "evt_9", type: "invoice.paid" },
      });
      const typed = await send("stripe", "--type", "invoice.paid", "--data", '{"amount":20}');
      expect(typed.shown).toMatchObject({ state: expect.not.stringContaining("quarantined"), payload: { amount: 20 } });
      expect(typed.shown.payload.id).toMatch(/^evt_/);
      const whole = await send("stripe", "--data", '{ "id": "evt_10", "type": "charge.failed" }');
      expect(whole.shown).toMatchObject({ type: "charge.failed", event_id: "evt_10" });
      const both = await send("stripe", "--type", "invoice.paid", "--data", '{"type":"charge.failed"}');
      expect([both.code, both.err]).toEqual([
        2,
        expect.stringContaining('--data already has the type "charge.failed", and --type says "invoice.paid"'),
      ]);
    } finally {
      await server.stop();
    }
  });

  test("says what to do about an event that reaches no handler", async () => {
    const config =
      'export default { handlers: [{ name: "paid", provider: "stripe", type: "invoice.*", retry: { delaysMs: [] }, timeoutMs: 10_000, handle: async () => {} }] };';
    writeFileSync(join(directory, "postern.config.mjs"), config);
    const variables = {
      WEBHOOK_STRIPE_SECRET: "whsec_test_0123456789abcdef",
      WEBHOOK_GITHUB_SECRET: "it is a secret to everybody",
    };
    const server = await serve(variables);
    try {
      const send = (...more: string[]) => postern(["send", ...more, "--url", String(server.url)], { variables });
      const ends = await Promise.all([
        send("stripe"),
        send("github"),
        send("stripe", "--type", "invoice.paid"),
        send("stripe", "--data", "{}"),
      ]);
      expect(ends.map(({ code, err }) => [code, err])).toEqual([
        [0, "No handler wants this event. Those of stripe want invoice.*: say --type.\n"],
        [0, "No handler wants events of github.\n"],
        [0, ""],
        [0, "It is in quarantine: postern events list --state quarantined says why.\n"],
      ]);
    } finally {
      await server.stop();
    }
  });

  test("sends events many times, twice, changed after signing, and signed in the past", async () => {
    const variables = {
      WEBHOOK_STRIPE_SECRET: "whsec_test_0123456789abcdef",
      WEBHOOK_GITHUB_SECRET: "it is a secret to everybody",
      WEBHOOK_DEMO_SCHEME: "standard-webhooks",
      WEBHOOK_DEMO_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      WEBHOOK_GITLAB_TOKEN_SECRET: "a token that only GitLab and we know",
    };
    const server = await serve(variables);
    try {
      const send = (...more: string[]) => postern(["send", ...more, "--url", String(server.url)], { variables });
      const many = await send("demo", "--times", "3");
      expect([many.code, many.out.match(/accepted/g)?.length, many.err]).toEqual([
        0,
        3,
        "3 sent: 3 accepted, 0 duplicate, 0 refused.\n",
      ]);
      const whole = await send("stripe", "--times", "3", "--data", '{"type":"charge.failed","amount":20}', "--json");
      expect(JSON.parse(whole.out)).toMatchObject({
        accepted: 3,
        duplicate: 0,
        refused: 0,
        answers: [{ status: 200 }, {}, {}],
      });
      expect((await send("stripe", "--times", "2", "--data", '{"id":"evt_1","type":"charge.failed"}')).err).toContain(
        "2 sent: 1 accepted, 1 duplicate, 0 refused.",
      );
      expect((await send("stripe", "--times", "2", "--id", "evt_2")).err).toContain("1 accepted, 1 duplicate");
      expect(await send("github", "--times", "2", "--duplicate")).toMatchObject({
        code: 0,
        err: "4 sent: 2 accepted, 2 duplicate, 0 refused.\n",
      });
      for (const [sender = "", ...how] of [
        ["demo", "--tamper"],
        ["stripe", "--tamper"],
        ["github", "--tamper"],
        ["stripe", "--at", "-10m"],
        ["stripe", "--at", "10m"],
        ["demo", "--at", "+10m"],
        ["demo", "--at", "2026-01-01"],
      ]) {
        const refused = await send(sender, ...how);
        expect([sender, how, refused.code, refused.out.slice(0, 3), refused.err]).toEqual([
          sender,
          how,
          0,
          "401",
          expect.stringContaining("Refused as expected: "),
        ]);
      }
      expect(await send("stripe", "--at", "-1m")).toMatchObject({ code: 0, err: "" });
      expect(await send("gitlab-token", "--tamper")).toMatchObject({
        code: 8,
        err: expect.stringContaining("was accepted, although a byte of the body was changed after signing"),
      });
      expect(await send("github", "--at", "-10m")).toMatchObject({
        code: 2,
        err: expect.stringContaining("signs no time"),
      });
      expect((await send("demo", "--times", "0")).code).toBe(2);
      expect((await send("demo", "--at", "yesterday")).err).toContain("--at takes");
    } finally {
      await server.stop();
    }
    const stale = await serve({ WEBHOOK_STRIPE_SECRET: "whsec_another_0123456789abcdef" });
    try {
      const refused = await postern(["send", "stripe", "--times", "2", "--url", String(stale.url)], { variables });
      expect([refused.code, refused.err]).toEqual([
        1,
        "2 sent: 0 accepted, 0 duplicate, 2 refused.\nstripe test.event was not accepted.\n",
      ]);
    } finally {
      await stale.stop();
    }
  });

  test("accepts only configured providers, and says if no server answers", async () => {
    expect(await postern(["send", "nobody"])).toMatchObject({ code: 3, err: expect.stringContaining("demo") });
    expect((await postern(["send", "demo", "--url", "http://127.0.0.1:1"])).code).toBe(5);
    expect((await postern(["send", "demo", "--data", "{broken"])).code).toBe(2);
  });
});

describe("postern events replay and tail", () => {
  const withDeadEvents = async (): Promise<void> => {
    const file = join(directory, "postern.config.mjs");
    const broken = "async () => { throw Object.assign(new Error('no use'), {}); }";
    const handler = (handle: string) =>
      `export default { handlers: [{ name: "h", provider: "*", type: "*", retry: { delaysMs: [] }, timeoutMs: 1000, handle: ${handle} }] };`;
    writeFileSync(file, handler(broken));
    const config = readConfig(environment({ LOG_LEVEL: "error" }), false);
    const loaded = await loadConfigFile(file, directory);
    const server = await startServer(config, loaded);
    for (let n = 0; n < 5; n += 1) await postern(["send", "demo", "--url", String(server.url), "--id", `evt_${n}`]);
    for (;;) {
      const { items } = JSON.parse((await postern(["events", "list", "--state", "dead", "--json"])).out);
      if (items.length === 5) {
        // Why an event is dead is what its handler said last.
        expect(items[0].reason).toBe("h: Error: no use");
        break;
      }
    }
    await server.stop();
    writeFileSync(file, handler("async () => undefined"));
  };

  test("plans, asks, and runs all that match again", async () => {
    await withDeadEvents();
    const all = ["events", "replay", "--state", "dead", "--since", "1h"];
    expect(await postern([...all, "--dry-run"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/5 events match; 5 would run again.*Nothing was changed/s),
    });
    expect(await postern(all)).toMatchObject({ code: 7, out: "", err: expect.stringContaining("5 would run again") });
    const some = await postern([...all, "--limit", "2", "--yes", "--json"]);
    expect(JSON.parse(some.out)).toMatchObject({ matched: 2, replayed: 2, next: expect.any(String) });
    expect((await postern([...all, "--yes", "--rate", "100"])).out).toMatch(/3 events match; 3 run again/);
    expect((await postern([...all, "--until", "2h", "--yes"])).code).toBe(2);
    expect((await postern(["events", "replay"])).code).toBe(2);
    expect((await postern(["events", "replay", "1", "--state", "dead"])).code).toBe(2);
    expect((await postern(["events", "replay", "--state", "dead", "--since", "yesterday"])).code).toBe(2);
  });

  test("shows what came in, oldest first", async () => {
    await withDeadEvents();
    const tailed = await postern(["events", "tail", "--since", "1h", "--count", "3", "--json"]);
    const lines = tailed.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).event_id);
    expect(lines).toEqual(["evt_0", "evt_1", "evt_2"]);
  });
});

describe("postern verify", () => {
  const variables = { WEBHOOK_GITHUB_SECRET: "it is a secret to everybody" };
  const save = async (body: string) => {
    const headers = await sign(schemes.github, { keys: variables.WEBHOOK_GITHUB_SECRET, body, type: "push", id: "d1" });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    writeFileSync(join(directory, "request.headers"), `POST /hooks HTTP/1.1\r\n${lines.join("\r\n")}\r\n`);
    writeFileSync(join(directory, "body"), body);
  };

  test("says what would tell repeats of the request, as the provider is set", async () => {
    await save('{"ref":"main"}');
    const told = async (more: Record<string, string>) => {
      const verify = ["verify", "github", "--headers", "request.headers", "body"];
      const { out } = await postern(verify, { variables: { ...variables, ...more } });
      const asJson = await postern([...verify, "--json"], { variables: { ...variables, ...more } });
      return [/repeats +([^:\n]*)/.exec(out)?.[1], JSON.parse(asJson.out).repeat];
    };
    expect(await told({})).toEqual(["told by an id that is not signed", { by: "unsigned_id", window_seconds: null }]);
    expect(await told({ WEBHOOK_GITHUB_DEDUPE: "body", WEBHOOK_GITHUB_DEDUPE_WINDOW: "10m" })).toEqual([
      "told by the body within 600 seconds",
      { by: "body", window_seconds: 600 },
    ]);
    expect(await told({ WEBHOOK_GITHUB_DEDUPE: "none" })).toEqual([
      "nothing tells them",
      { by: "none", window_seconds: null },
    ]);
  });

  test("distinguishes a request with a valid signature from one that was changed, and says why", async () => {
    await save('{"ref":"main"}');
    const verify = (...more: string[]) =>
      postern(["verify", "github", "--headers", "request.headers", ...more], { variables });
    expect(await verify("body")).toMatchObject({ code: 0, out: expect.stringContaining("valid: push d1") });
    expect(JSON.parse((await verify("body", "--json")).out)).toMatchObject({
      valid: true,
      covered: ["body"],
      bytes: 14,
    });
    writeFileSync(join(directory, "body"), '{"ref":"main"}\n');
    const changed = await verify("body", "--json");
    expect([changed.code, JSON.parse(changed.out)]).toMatchObject([8, { valid: false, code: "signature_mismatch" }]);
    const { out, err } = await verify("body");
    expect(out).toMatch(/^verdict +refused: signature_mismatch$/m);
    expect(out).toMatch(/^header +x-hub-signature-256: 71 characters, not shown$/m);
    expect(out).toMatch(/^do +The key is right: the signature fits the body without the line break at its end/m);
    expect(out).toMatch(/^keys +1 tried, none fits$/m);
    expect(err).toMatch(/^not valid \(signature_mismatch\): .*\n {2}The key is right/);
    expect(changed.out + changed.err).not.toContain("secret to everybody");
    expect((await verify("nowhere")).code).toBe(2);
    expect((await verify("body", "--at", "noon")).code).toBe(2);
    const wrong = async (...line: string[]) => {
      const { code, err } = await postern(["verify", "github", ...line], { variables });
      return [code, err];
    };
    expect(await wrong("--headers", "-")).toEqual([
      2,
      "Standard input cannot be both the headers and the body: name a file for one of them.\n",
    ]);
    // Body and headers in each other's place
    expect(await wrong("request.headers", "--headers", "body")).toEqual([
      2,
      "The file body has no header, written as `Name: value` on a line.\n",
    ]);
  });
});
