import { compose, readConfig } from "@postern/server";
import { sign, traceVerification } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { expect, test } from "vitest";
import { environment, postern } from "./command-line.ts";

const { stripe } = schemes;
const keys = "whsec_the secret of this endpoint";
const body = '{"id":"evt_1","type":"invoice.paid"}';
const idOf = (n: number): string => `019a5e3c-2f81-7a64-8b1d-${String(n).padStart(12, "0")}`;

/** Two refusals, as a server keeps them. */
const fill = async (): Promise<void> => {
  const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  const at = Date.now() - 5_000;
  const headers = await sign(stripe, { keys, body, timestamp: at - 420_000 });
  const known = { at, provider: "stripe", requestId: "r1", address: "192.0.2.7", bytes: body.length, unkept: 3 };
  const trace = await traceVerification(stripe, { keys, now: () => at }, { headers, body });
  const bare = await traceVerification(stripe, { keys, now: () => at }, { headers: {}, body });
  await storage.refusals.add(
    [
      { ...known, id: idOf(1), reason: "timestamp_too_old", trace, body: undefined },
      { ...known, id: idOf(2), reason: "header_missing", trace: bare, body: new TextEncoder().encode(body) },
    ],
    1_000,
  );
  await close();
};

test("postern refusals lists what was refused, and shows why and what to do", async () => {
  await postern(["migrate"]);
  await fill();
  const list = async (...more: readonly string[]) =>
    JSON.parse((await postern(["refusals", "list", "--json", ...more])).out).items.map(({ id }: { id: string }) => id);
  expect(await list()).toEqual([2, 1].map(idOf));
  expect(await list("--reason", "timestamp_too_old")).toEqual([idOf(1)]);
  expect(await list("--provider", "github")).toEqual([]);
  expect(await list("--since", "1s")).toEqual([]);
  expect((await postern(["refusals", "list"])).out).toMatch(/\tstripe\theader_missing\t\S+\t3\tGive Stripe the secret/);

  const { out, code } = await postern(["refusals", "show", idOf(1)]);
  expect(code).toBe(0);
  for (const line of [
    /^verdict +refused: timestamp_too_old$/m,
    /^do +It was signed 7 min before it came: this machine's clock is 7 min fast/m,
    /^signed +\{timestamp\}\.\{body\}: \d+ bytes, sha256 [0-9a-f]{64}$/m,
    /^keys +number 1 of 1 fits$/m,
    /^time +signed \S+, 42\d s before it came; 300 s are allowed$/m,
    /^not kept +3 before it with the same reason$/m,
  ]) {
    expect(out).toMatch(line);
  }
  expect((await postern(["refusals", "show", idOf(2)])).out).toContain("header      stripe-signature: not there");
  const shown = JSON.parse((await postern(["refusals", "show", idOf(2), "--json"])).out);
  expect(atob(shown.body_base64)).toBe(body);
  expect((await postern(["refusals", "show", idOf(3)])).code).toBe(3);
});
