import { memoryPorts } from "@postern/core/memory";
import { createVerifier, defineScheme, hex, type RepeatRule, sign, textSecret } from "@postern/webhook-verifier";
import { expect, test } from "vitest";
import { createInbox } from "../src/create-inbox.ts";
import { on } from "../src/on.ts";
import { createProviders } from "../src/provider-registry.ts";
import { storedRepeat } from "../src/repeat-key.ts";

const keys = "the secret of a sender that repeats itself";

/** An inbox for a sender with these rules, and what it answers to a body. */
const receiver = (repeats?: readonly RepeatRule[]) => {
  const scheme = defineScheme({
    name: "sender",
    key: textSecret("hmac-sha256"),
    signature: { header: "x-signature", encoding: hex },
    signed: "{body}",
    ...(repeats !== undefined && { repeats }),
  });
  const ports = memoryPorts();
  const provider = { name: "sender", verifier: createVerifier(scheme, { keys, now: ports.clock.now }) };
  const inbox = createInbox({
    ports,
    providers: createProviders(ports, new Map([[provider.name, provider]])),
    handlers: [on("sender", "*", async () => undefined)],
  });
  const post = async (body: string, headers: Record<string, string> = {}): Promise<unknown> => {
    const answer = await inbox.receive({
      provider: "sender",
      method: "POST",
      url: "https://example.com/api/webhooks/sender",
      headers: { ...(await sign(scheme, { keys, body })), ...headers },
      body: Buffer.from(body),
      requestId: "1",
    });
    return (answer.body as { status: string }).status;
  };
  return { ports, post };
};

test("a sender whose bodies recur has every delivery accepted, each with an id of its own", async () => {
  const { ports, post } = receiver([{ by: "none" }]);
  expect([await post("{}"), await post("{}"), await post("{}")]).toEqual(["accepted", "accepted", "accepted"]);
  const events = await ports.storage.events.list({ limit: 10 });
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(3);
  expect(await ports.storage.jobRecords.list({ limit: 10 })).toHaveLength(3);
});

test("a body is a repeat within its window and no longer, whatever the hour", async () => {
  for (const from of [0, 299, 599]) {
    const { ports, post } = receiver([{ by: "body", windowSeconds: 600 }]);
    await ports.clock.advance(600_000 - (ports.clock.now() % 600_000) + from * 1000);
    expect(await post("{}")).toBe("accepted");
    await ports.clock.advance(599_999);
    expect(await post("{}")).toBe("duplicate");
    await ports.clock.advance(2);
    expect(await post("{}")).toBe("accepted");
    expect(await post('{"a":1}')).toBe("accepted");
  }
});

test("an unsigned id tells repeats; without one, the same signed content within an hour does", async () => {
  const { ports, post } = receiver([{ by: "unsigned-id", id: "header:x-event-id" }]);
  expect(await post("{}", { "x-event-id": "1" })).toBe("accepted");
  expect(await post("{}", { "x-event-id": "2" })).toBe("accepted");
  expect(await post("{}", { "x-event-id": "1" })).toBe("duplicate");
  expect([await post("{}"), await post('{"a":1}'), await post("{}")]).toEqual(["accepted", "accepted", "duplicate"]);
  await ports.clock.advance(3_600_001);
  expect(await post("{}")).toBe("accepted");
});

test("the key of a stored event tells on what a repeat was decided", () => {
  const digest = "0123456789abcdef".repeat(4);
  const by = (key: string) => storedRepeat(key);
  expect(by("evt_1")).toEqual({ by: "id", windowSeconds: undefined });
  expect(by("2:own:0199")).toEqual({ by: "none", windowSeconds: undefined });
  expect(by("2:id:evt_1")).toEqual({ by: "unsigned-id", windowSeconds: undefined });
  expect(by(digest)).toEqual({ by: "body", windowSeconds: undefined });
  expect(by(`${digest}:3`)).toEqual({ by: "body", windowSeconds: undefined });
  expect(by(`2:body:${digest}`)).toEqual({ by: "body", windowSeconds: undefined });
  expect(by(`2:body:${digest}:600:2850000`)).toEqual({ by: "body", windowSeconds: 600 });
  expect(by(`2:body:${digest}:3:600:2850000`)).toEqual({ by: "body", windowSeconds: 600 });
});
