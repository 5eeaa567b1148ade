import { expect, test } from "vitest";
import {
  createVerifier,
  type Delivery,
  defineScheme,
  hex,
  sign,
  textSecret,
  type VerifierOptions,
} from "../src/index.ts";

const keys = "the secret of a sender that repeats itself";
const scheme = defineScheme({
  name: "sender",
  key: textSecret("hmac-sha256"),
  signature: { header: "x-signature", encoding: hex },
  signed: "{body}",
});

const receive = async (dedupe: VerifierOptions["dedupe"], body: string, sent = {}): Promise<Delivery> =>
  createVerifier(scheme, { keys, dedupe }).verify({
    headers: { ...(await sign(scheme, { keys, body })), ...sent },
    body,
  });

test("a setting decides in place of the scheme what makes a delivery a repeat", async () => {
  expect(await receive("none", "{}")).toMatchObject({ dedupeKey: undefined, repeat: { by: "none" } });
  const window = { by: "body", windowSeconds: 60 } as const;
  expect(await receive(window, "{}")).toMatchObject({ repeat: window, dedupeKey: expect.stringMatching(/^2:body:/) });
  const id = { by: "id", id: "header:x-event-id" } as const;
  expect(await receive(id, "{}", { "x-event-id": "1" })).toMatchObject({
    dedupeKey: "2:id:1",
    repeat: { by: "unsigned-id" },
  });
  expect(await receive(id, "{}")).toMatchObject({ dedupeKey: undefined, repeat: { by: "none" } });
  expect((await receive({ by: "id", id: "body:n" }, '{"n":"7"}')).dedupeKey).toBe("7");
});

test("a body counts without what changes when it is sent again, digit by digit", async () => {
  const without = ["sent_at", "items.*.tried"];
  const keyOf = async (body: string) => (await receive({ by: "body", without }, body)).dedupeKey;
  const first = await keyOf('{"sent_at":1,"items":[{"tried":1,"n":9007199254740993}]}');
  expect(await keyOf('{"sent_at":{"a":[2]},"items":[{"tried":"2","n":9007199254740993}]}')).toBe(first);
  expect(await keyOf('{"sent_at":1,"items":[{"tried":1,"n":9007199254740992}]}')).not.toBe(first);
  expect(await keyOf("a=1&sent_at=5")).toBe(await keyOf("a=1&sent_at=6"));
});

test("a setting that cannot work is refused at once, with what to do", () => {
  const made = (dedupe: unknown) => () => createVerifier(scheme, { keys, dedupe: dedupe as "id" });
  expect(made("id")).toThrow('sender has no id; say where it is: { by: "id", id: "header:x-event-id" }');
  expect(made("bodies")).toThrow('use "id", "body" or "none"');
  expect(made({ by: "body", windowSeconds: 0 })).toThrow("no whole number above 0");
  expect(made({ by: "id", id: "x-event-id" })).toThrow('an id is at "header:<name>"');
});
