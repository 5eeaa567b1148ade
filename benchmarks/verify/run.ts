/**
 * How fast verification is, beside the senders' own packages and the bare cryptographic call, in one run.
 * `node --conditions=@postern/source --import tsx benchmarks/verify/run.ts [--readme]`, from packages/webhook-verifier.
 */
import { createHmac, createSecretKey, generateKeyPairSync, verify as rawVerify, timingSafeEqual } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createVerifier, type Scheme, signRequest } from "../../packages/webhook-verifier/src/index.ts";
import { discord } from "../../packages/webhook-verifier/src/schemes/discord.ts";
import { github } from "../../packages/webhook-verifier/src/schemes/github.ts";
import { sendgrid } from "../../packages/webhook-verifier/src/schemes/sendgrid.ts";
import { standardWebhooks } from "../../packages/webhook-verifier/src/schemes/standard-webhooks.ts";
import { stripe } from "../../packages/webhook-verifier/src/schemes/stripe.ts";
import { wise } from "../../packages/webhook-verifier/src/schemes/wise.ts";

// The rivals are installed for the package, not for this folder.
const load = createRequire(new URL("../../packages/webhook-verifier/package.json", import.meta.url));
const { Webhook } = load("standardwebhooks");
const { Webhook: Svix } = load("svix");
const Stripe = load("stripe");
const octokit = await import(
  new URL("../../packages/webhook-verifier/node_modules/@octokit/webhooks-methods/dist-node/index.js", import.meta.url)
    .href
);
const { verifyKey } = load("discord-interactions");
const { EventWebhook } = load("@sendgrid/eventwebhook");
const nacl = load("tweetnacl");

const filler = "x".repeat(1024 - 60);
const body = `{"id":"evt_1","type":"thing.made","data":"${filler}"}`.padEnd(1024);
const bytes = Buffer.from(body);
const text = "a secret of a good length for this";
const whsec = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** One thing to time: does its work once; throws or returns false when it is wrong. */
interface Runner {
  readonly name: string;
  readonly run: () => unknown;
}

// Short batches and many of them: on a busy machine the median of batches that fit into a time slice is undisturbed.
const batchMs = 2;
const rounds = 201;

/** Processor time of one call in ns: on a shared machine the wall clock shows what others do. */
const timed = async ({ run }: Runner, times: number): Promise<number> => {
  const from = process.cpuUsage();
  for (let index = 0; index < times; index++) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(from);
  return ((user + system) * 1000) / times;
};

/** Medians over rounds in which all take turns, so that what disturbs one disturbs its rivals. */
const medians = async (runners: readonly Runner[]): Promise<readonly number[]> => {
  const times: number[] = [];
  for (const runner of runners) {
    if ((await runner.run()) === false) throw new Error(`${runner.name} refuses the message`);
    await timed(runner, runner.name === "tweetnacl" ? 5 : 300);
    times.push(
      Math.max(
        1,
        Math.ceil((batchMs * 1e6) / Math.max(500, await timed(runner, runner.name === "tweetnacl" ? 5 : 200))),
      ),
    );
  }
  const samples: number[][] = runners.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, runner] of runners.entries()) samples[index]?.push(await timed(runner, times[index] ?? 20));
  return samples.map((list) => list.sort((left, right) => left - right)[Math.floor(list.length / 2)] ?? Number.NaN);
};

const ours = async (
  scheme: Scheme,
  verifying: string,
  signing: string,
  more: object = {},
): Promise<{ runners: Runner[]; headers: Record<string, string> }> => {
  const { headers } = await signRequest(scheme, { keys: signing, body, ...more });
  const verifier = createVerifier(scheme, { keys: verifying });
  return {
    headers: { ...headers },
    runners: [
      { name: "ours: verify", run: () => verifier.verify({ headers, body: bytes }) },
      {
        name: "ours: verify, payload and dedupeKey read",
        run: async () => {
          const delivery = await verifier.verify({ headers, body: bytes });
          return delivery.payload !== null && delivery.dedupeKey !== "";
        },
      },
    ],
  };
};

const rows: string[] = [];
const group = async (title: string, raw: Runner, mine: readonly Runner[], rivals: readonly Runner[]): Promise<void> => {
  const all = [raw, ...mine, ...rivals];
  const found = await medians(all);
  const base = found[0] ?? Number.NaN;
  for (const [index, runner] of all.entries()) {
    const ns = found[index] ?? Number.NaN;
    rows.push(
      `| ${index === 0 ? title : ""} | ${runner.name} | ${(ns / 1000).toFixed(2)} | ${(base / ns).toFixed(2)} |`,
    );
    console.log(rows.at(-1));
  }
};

const rawHmac = (key: string | Buffer, prefix: string, expected: Buffer): (() => boolean) => {
  const secret = createSecretKey(typeof key === "string" ? Buffer.from(key) : key);
  return () => {
    const state = createHmac("sha256", secret);
    if (prefix !== "") state.update(prefix);
    return timingSafeEqual(state.update(bytes).digest(), expected);
  };
};

{
  const { headers, runners } = await ours(standardWebhooks, whsec, whsec, { id: "msg_1" });
  const prefix = `msg_1.${headers["webhook-timestamp"]}.`;
  const expected = Buffer.from((headers["webhook-signature"] ?? "").slice(3), "base64");
  const webhook = new Webhook(whsec);
  const svix = new Svix(whsec);
  await group(
    "Standard Webhooks (HMAC)",
    { name: "raw node:crypto", run: rawHmac(Buffer.alloc(32, 7), prefix, expected) },
    runners,
    [
      { name: "standardwebhooks", run: () => webhook.verify(body, headers) !== undefined },
      { name: "svix", run: () => svix.verify(body, headers) !== undefined },
    ],
  );
}
{
  const { headers, runners } = await ours(stripe, text, text);
  const [, time = "", signature = ""] = /t=(\d+),v1=([0-9a-f]+)/.exec(headers["stripe-signature"] ?? "") ?? [];
  await group(
    "Stripe",
    { name: "raw node:crypto", run: rawHmac(text, `${time}.`, Buffer.from(signature, "hex")) },
    runners,
    [
      {
        name: "stripe (constructEvent)",
        run: () => Stripe.webhooks.constructEvent(body, headers["stripe-signature"], text) !== undefined,
      },
      {
        name: "stripe (signature only)",
        run: () => Stripe.webhooks.signature.verifyHeader(body, headers["stripe-signature"], text, 300),
      },
    ],
  );
}
{
  const { headers, runners } = await ours(github, text, text);
  const signature = headers["x-hub-signature-256"] ?? "";
  await group(
    "GitHub",
    { name: "raw node:crypto", run: rawHmac(text, "", Buffer.from(signature.slice(7), "hex")) },
    runners,
    [{ name: "@octokit/webhooks-methods", run: () => octokit.verify(text, body, signature) }],
  );
}
{
  const pair = nacl.sign.keyPair.fromSeed(Buffer.alloc(32, 7));
  const hexKey = Buffer.from(pair.publicKey).toString("hex");
  const { headers, runners } = await ours(discord, hexKey, Buffer.alloc(32, 7).toString("hex"));
  const time = headers["x-signature-timestamp"] ?? "";
  const signature = headers["x-signature-ed25519"] ?? "";
  const content = Buffer.concat([Buffer.from(time), bytes]);
  const { createPublicKey } = await import("node:crypto");
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(pair.publicKey).toString("base64url") },
    format: "jwk",
  });
  const raw = Buffer.from(signature, "hex");
  await group(
    "Discord (Ed25519)",
    { name: "raw node:crypto", run: () => rawVerify(null, content, key, raw) },
    runners,
    [
      { name: "discord-interactions", run: () => verifyKey(bytes, signature, time, hexKey) },
      { name: "tweetnacl", run: () => nacl.sign.detached.verify(content, raw, pair.publicKey) },
    ],
  );
}
{
  const pair = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const spki = pair.publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const { headers, runners } = await ours(
    sendgrid,
    spki,
    pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  );
  const time = headers["x-twilio-email-event-webhook-timestamp"] ?? "";
  const signature = headers["x-twilio-email-event-webhook-signature"] ?? "";
  const content = Buffer.concat([Buffer.from(time), bytes]);
  const raw = Buffer.from(signature, "base64");
  const webhook = new EventWebhook();
  const key = webhook.convertPublicKeyToECDSA(spki);
  await group(
    "SendGrid (ECDSA P-256)",
    { name: "raw node:crypto", run: () => rawVerify("sha256", content, pair.publicKey, raw) },
    runners,
    [{ name: "@sendgrid/eventwebhook", run: () => webhook.verifySignature(key, bytes, signature, time) }],
  );
}
{
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pemText = pair.publicKey.export({ format: "pem", type: "spki" }).toString();
  const { headers, runners } = await ours(
    wise,
    pemText,
    pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  );
  const raw = Buffer.from(headers["x-signature-sha256"] ?? "", "base64");
  await group(
    "Wise (RSA 2048)",
    { name: "raw node:crypto", run: () => rawVerify("sha256", bytes, pair.publicKey, raw) },
    runners,
    [{ name: "node:crypto, PEM read each time", run: () => rawVerify("sha256", bytes, pemText, raw) }],
  );
}

if (process.argv.includes("--readme")) {
  const file = new URL("README.md", import.meta.url);
  const table = ["| scheme | what | µs | share of raw |", "|---|---|---:|---:|", ...rows].join("\n");
  const marked = /<!-- figures -->[\s\S]*<!-- \/figures -->/;
  const heading = `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, medians of ${rounds} rounds in one run, 1 KiB bodies, one shared core.`;
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(marked, `<!-- figures -->\n${heading}\n\n${table}\n<!-- /figures -->`),
  );
}
