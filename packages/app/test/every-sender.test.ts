import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { defineProvider, on } from "@postern/inbox";
import { createVerifier, type Delivery, type Scheme, type SignedRequest } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { describe, expect, test } from "vitest";
import { signerOf } from "../../webhook-verifier/test/signed-by-sender.ts";

/** The rules of a scheme by the table, with the one that counts where none of its ids is there. */
const tableOf = ({ repeats = [], covered }: Scheme) => {
  const last = repeats.at(-1)?.by;
  if (last === "body" || last === "none") return repeats;
  return [...repeats, covered.includes("body") ? { by: "body", exact: true } : { by: "none" }] as const;
};

/** An application that receives from one sender, and what its handler got. */
const receiverOf = (scheme: Scheme) => {
  const { at, options } = signerOf(scheme);
  const ports = memoryPorts();
  const clock = { now: at };
  const verifier = createVerifier(scheme, { ...options, now: () => clock.now });
  const seen: (string | undefined)[] = [];
  const handler = on(scheme.name, "*", async ({ type }) => seen.push(type));
  const app = createApp({ ports, providers: [defineProvider({ name: scheme.name, verifier })], handlers: [handler] });
  const worker = app.worker({ name: "test", concurrency: 100 });
  const receive = async (request: SignedRequest): Promise<void> => {
    const { method } = request;
    const { status } = await app.receive({
      provider: scheme.name,
      method,
      url: request.url ?? `http://test/api/webhooks/${scheme.name}`,
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])),
      body: Buffer.from(request.body),
      requestId: "r",
    });
    expect(status).toBe(scheme.answer?.status ?? 200);
  };
  return {
    verifier,
    clock,
    receive,
    /** Each event that is not quarantined has one effect. */
    expectEffects: async (): Promise<void> => {
      await worker.start();
      await worker.runDue();
      await ports.clock.advance(0);
      const events = await ports.storage.events.list({ limit: 100 });
      expect(seen).toHaveLength(events.filter(({ state }) => state !== "quarantined").length);
    },
    stored: () => ports.storage.events.list({ limit: 100 }),
  };
};

/** The parts of a scheme's place, each with its alternatives. */
const placesIn = (place: Scheme["id"]): readonly string[] =>
  [place ?? []].flat().flatMap((part) => {
    const [kind = "", names = ""] = part.split(":");
    return names.split("|").map((name) => `${kind}:${name}`);
  });

/** The JSON without the members at these dotted paths; `undefined` if the body is no JSON object. */
const without = (text: string, paths: readonly string[]): string | undefined => {
  if (!text.startsWith("{")) return undefined;
  const whole: unknown = JSON.parse(text);
  for (const path of paths) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    const parent = names.reduce(
      (here, name) => (here as Record<string, unknown> | undefined)?.[name] as unknown,
      whole,
    );
    if (typeof parent === "object" && parent !== null) delete (parent as Record<string, unknown>)[last];
  }
  return JSON.stringify(whole);
};

/** The delivery of a scheme's vector without its id or type; `undefined` if it cannot lack it. */
const lacking = async (scheme: Scheme, part: "id" | "type"): Promise<SignedRequest | undefined> => {
  const { text, signed } = signerOf(scheme);
  const places = placesIn(scheme[part]);
  if (places.length === 0 || scheme.items !== undefined) return undefined;
  const inBody = places.filter((place) => place.startsWith("body:")).map((place) => place.slice(5));
  const body = inBody.length === 0 ? text : without(text, inBody);
  if (body === undefined) return undefined;
  const request = await signed({ ...deliveryOf(scheme), body });
  const names = places.filter((place) => place.startsWith("header:")).map((place) => place.slice(7));
  const headers = Object.entries(request.headers).filter(([name]) => !names.includes(name.toLowerCase()));
  return { ...request, headers: Object.fromEntries(headers) };
};

/** What a sender keeps when it tries again. All take POST, also where a vector shows another method. */
const deliveryOf = ({ name }: Scheme) => ({
  id: "event-1",
  method: "POST",
  // The vector is a card's, which has no body.
  ...(name === "hubspot-v2" && { body: '{"callbackId":"call-1"}' }),
});

/** What tells repeats of a delivery: of a batch, of its events. */
const ruledBy = async (verified: Promise<Delivery>): Promise<Pick<Delivery, "repeat">> => {
  const whole = await verified;
  return whole.items?.[0] ?? whole;
};

const all = Object.values<Scheme>(schemes).map((scheme) => [scheme.name, scheme] as const);

describe("of each sender", () => {
  test.each(all)("%s: the same delivery three times has the effect that the table says", async (_name, scheme) => {
    const { receive, stored, expectEffects, verifier } = receiverOf(scheme);
    const request = await signerOf(scheme).signed(deliveryOf(scheme));
    const { repeat } = await ruledBy(verifier.verify(request));
    // Nothing but the table may decide; events of a batch go by their own ids.
    if (scheme.items === undefined) expect(tableOf(scheme).map(({ by }) => by)).toContain(repeat.by);
    await receive(request);
    const once = (await stored()).length;
    await receive(request);
    await receive(request);
    expect(await stored()).toHaveLength(repeat.by === "none" ? 3 * once : once);
    await expectEffects();
  });

  test.each(all)("%s: signed anew, it has the effect that the table says", async (_name, scheme) => {
    const { receive, stored, expectEffects, verifier, clock } = receiverOf(scheme);
    const { at, signed } = signerOf(scheme);
    const first = await signed(deliveryOf(scheme));
    const { repeat } = await ruledBy(verifier.verify(first));
    // The time that Dropbox Sign signs is that of the event.
    const later = scheme.name === "dropbox-sign" ? 0 : 2_000;
    await receive(first);
    const once = (await stored()).length;
    clock.now = at + later;
    const anew = await signed(deliveryOf(scheme), later);
    await receive(anew);
    const isExact =
      repeat.by === "body" &&
      tableOf(scheme).some((rule) => rule.by === "body" && "exact" in rule && rule.exact === true);
    expect(await stored()).toHaveLength(
      repeat.by === "none" || (isExact && scheme.covered.includes("timestamp")) ? 2 * once : once,
    );
    await expectEffects();
  });

  describe.each(["id", "type"] as const)("a delivery without %s", (part) => {
    test.each(all)("%s: is quarantined only if the sender promises it", async (_name, scheme) => {
      const request = await lacking(scheme, part);
      if (request === undefined) return;
      const { receive, stored, expectEffects, verifier } = receiverOf(scheme);
      let verified: Awaited<ReturnType<typeof verifier.verify>>;
      try {
        verified = await verifier.verify(request);
      } catch {
        // Its signature covers the part, so there is no such delivery.
        return;
      }
      if (verified[part] !== undefined) return;
      for (let time = 0; time < 3; time += 1) await receive(request);
      const isPromised = scheme.promises?.[part] === "promised";
      const { repeat } = verified;
      expect(tableOf(scheme).map(({ by }) => by)).toContain(repeat.by);
      const events = await stored();
      expect(events.map(({ state }) => state)).toEqual(
        Array.from({ length: repeat.by === "none" ? 3 : 1 }, () => (isPromised ? "quarantined" : "received")),
      );
      await expectEffects();
    });
  });
});
