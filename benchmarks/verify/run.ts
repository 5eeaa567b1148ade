/**
 * Measures how fast verification is: every scheme beside the same written by hand with node:crypto,
 * and the senders' own packages, in one run, with the package as it is published. From
 * packages/webhook-verifier, after `pnpm build`: `node --import tsx ../../benchmarks/verify/run.ts
 * [--readme] [scheme …]`.
 */
import { createPublicKey, verify as rawVerify } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Keys, Scheme, SignedRequest, SignInput } from "../../packages/webhook-verifier/src/index.ts";
import { body, type Case, cases, type Incoming, url } from "./by-hand.ts";

// The published bundle, as users run it. The conditions in package.json tell it its platform.
const built = (name: string): string =>
  new URL(`../../packages/webhook-verifier/dist/${name}.js`, import.meta.url).href;
const library: typeof import("../../packages/webhook-verifier/src/index.ts") = await import(built("index"));
const { schemes }: typeof import("../../packages/webhook-verifier/src/all-schemes.ts") = await import(
  built("all-schemes")
);

// The rivals are installed in the package, not in this folder.
const load = createRequire(new URL("../../packages/webhook-verifier/package.json", import.meta.url));

/** Something to time. It does its work once, and throws or returns false if the result is wrong. */
interface Runner {
  readonly name: string;
  readonly run: () => unknown;
}

// Many short batches: on a busy machine the median of batches that fit into a time slice is
// undisturbed.
const batchMs = 1;
const rounds = 301;

/** Processor time of one call in ns. Other work on the machine does not count. */
const timed = async ({ run }: Runner, times: number): Promise<number> => {
  const from = process.cpuUsage();
  for (let index = 0; index < times; index++) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(from);
  return ((user + system) * 1000) / times;
};

/** Medians over rounds. All take turns, so that a disturbance affects all of them. */
const medians = async (runners: readonly Runner[]): Promise<readonly number[]> => {
  const times: number[] = [];
  for (const runner of runners) {
    if ((await runner.run()) === false) throw new Error(`${runner.name} refuses the message`);
    const first = await timed(runner, 3);
    await timed(runner, Math.ceil(4e7 / Math.max(2000, first)));
    times.push(Math.max(1, Math.ceil((batchMs * 1e6) / (await timed(runner, Math.ceil(2e6 / Math.max(2000, first)))))));
  }
  const samples: number[][] = runners.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, runner] of runners.entries()) samples[index]?.push(await timed(runner, times[index] ?? 20));
  return samples.map((list) => list.sort((left, right) => left - right)[Math.floor(list.length / 2)] ?? Number.NaN);
};

/** What a server's requests contain in addition. */
const usual = {
  host: "hooks.example.com",
  "user-agent": "Sender/1.0",
  accept: "*/*",
  "accept-encoding": "gzip",
  "content-type": "application/json",
  "content-length": "1024",
  "x-forwarded-for": "192.0.2.1",
  "x-forwarded-proto": "https",
};

/** Senders' own packages, by the scheme's name. */
const rivals: Readonly<Record<string, (request: Incoming, wish: Case) => readonly Runner[]>> = {
  "standard-webhooks": ({ headers, body: raw }, { keys }) => {
    const webhook = new (load("standardwebhooks").Webhook)(keys);
    return [{ name: "standardwebhooks", run: () => webhook.verify(raw, headers) !== undefined }];
  },
  svix: ({ headers, body: raw }, { keys }) => {
    const webhook = new (load("svix").Webhook)(keys);
    return [{ name: "svix", run: () => webhook.verify(raw, headers) !== undefined }];
  },
  stripe: ({ headers, body: raw }, { keys }) => {
    const { signature, constructEvent } = load("stripe").webhooks;
    const header = headers["stripe-signature"];
    const event = constructEvent.bind(load("stripe").webhooks);
    return [
      { name: "stripe (signature only)", run: () => signature.verifyHeader(raw, header, keys, 300) },
      { name: "stripe (constructEvent)", run: () => event(raw, header, keys) !== undefined },
    ];
  },
  discord: ({ headers, body: raw }, { keys }) => {
    const { verifyKey } = load("discord-interactions");
    const nacl = load("tweetnacl");
    const spki = createPublicKey((keys as { key: string }).key).export({ format: "der", type: "spki" });
    const bytes = spki.subarray(-32);
    const [signature = "", time = ""] = [headers["x-signature-ed25519"], headers["x-signature-timestamp"]];
    return [
      { name: "discord-interactions", run: () => verifyKey(raw, signature, time, bytes.toString("hex")) },
      {
        name: "tweetnacl",
        run: () =>
          nacl.sign.detached.verify(Buffer.concat([Buffer.from(time), raw]), Buffer.from(signature, "hex"), bytes),
      },
    ];
  },
  sendgrid: ({ headers, body: raw }, { keys }) => {
    const webhook = new (load("@sendgrid/eventwebhook").EventWebhook)();
    const key = webhook.convertPublicKeyToECDSA(
      createPublicKey((keys as { key: string }).key)
        .export({ format: "der", type: "spki" })
        .toString("base64"),
    );
    const name = "x-twilio-email-event-webhook";
    return [
      {
        name: "@sendgrid/eventwebhook",
        run: () => webhook.verifySignature(key, raw, headers[`${name}-signature`], headers[`${name}-timestamp`]),
      },
    ];
  },
  wise: ({ headers, body: raw }, { keys }) => [
    {
      name: "node:crypto, PEM read each time",
      run: () =>
        rawVerify(
          "sha256",
          raw,
          (keys as { key: string }).key,
          Buffer.from(headers["x-signature-sha256"] ?? "", "base64"),
        ),
    },
  ],
};
const octokit = await import(
  new URL("../../packages/webhook-verifier/node_modules/@octokit/webhooks-methods/dist-node/index.js", import.meta.url)
    .href
);

const signed = async (scheme: Scheme, wish: Case): Promise<Incoming> => {
  const made = wish.body ?? body;
  const request: SignedRequest = await library.signRequest(scheme, {
    keys: (wish.signing ?? wish.keys) as SignInput["keys"],
    // Linear keeps the time in its body.
    body: made.replace('"webhookTimestamp":0', `"webhookTimestamp":${Date.now()}`),
    id: scheme.name === "mailgun" ? "0".repeat(50) : "msg-1",
    url,
    headers: { "x-fal-webhook-user-id": "u1", ...usual, ...wish.headers },
    ...(wish.settings !== undefined && { settings: wish.settings }),
  });
  return {
    method: request.method,
    url: request.url ?? url,
    headers: { ...request.headers },
    body: Buffer.from(request.body),
  };
};

const only = process.argv.slice(2).filter((name) => !name.startsWith("--"));
const rows: string[] = [];
const beside: string[] = [];
for (const [name, scheme] of Object.entries<Scheme>(schemes)) {
  const wish = cases[name];
  if (wish === undefined || (only.length > 0 && !only.includes(name))) continue;
  const request = await signed(scheme, wish);
  const verifier = library.createVerifier(scheme, {
    keys: wish.keys as Keys,
    // Batches take longer than Paddle's five seconds and Linear's minute. Both sides check the time
    // all the same.
    ...(scheme.toleranceSeconds !== undefined && { toleranceSeconds: Math.max(600, scheme.toleranceSeconds) }),
    ...(wish.settings !== undefined && { settings: wish.settings }),
  });
  const theirs = [
    ...(rivals[name]?.(request, wish) ?? []),
    ...(name === "github"
      ? [
          {
            name: "@octokit/webhooks-methods",
            run: () => octokit.verify(wish.keys, request.body.toString(), request.headers["x-hub-signature-256"]),
          },
        ]
      : []),
  ];
  const runners: Runner[] = [
    { name: "by hand", run: () => wish.byHand(request) },
    { name: "ours", run: () => verifier.verify(request) },
    {
      name: "ours, payload and dedupeKey read",
      run: async () => {
        const delivery = await verifier.verify(request);
        return delivery.payload !== null && delivery.dedupeKey !== "";
      },
    },
    ...theirs,
  ];
  const [hand = Number.NaN, own = Number.NaN, all = Number.NaN, ...others] = await medians(runners);
  const us = (ns: number): string => (ns / 1000).toFixed(2);
  rows.push(`| ${name} | ${us(hand)} | ${us(own)} | ${(hand / own).toFixed(2)} | ${us(all)} |`);
  console.log(rows.at(-1));
  for (const [index, ns] of others.entries()) {
    beside.push(`| ${name} | ${theirs[index]?.name} | ${us(ns)} | ${us(own)} | ${(ns / own).toFixed(1)} |`);
    console.log(beside.at(-1));
  }
}

if (process.argv.includes("--readme")) {
  const file = new URL("README.md", import.meta.url);
  const tables = [
    `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, µs of processor time, medians of ${rounds} rounds in one run, two shared cores.`,
    "",
    "| scheme | by hand | ours | share | ours, all read |",
    "|---|---:|---:|---:|---:|",
    ...rows,
    "",
    "| scheme | the sender's package | it | ours | times as fast |",
    "|---|---|---:|---:|---:|",
    ...beside,
  ].join("\n");
  const marked = /<!-- figures -->[\s\S]*<!-- \/figures -->/;
  writeFileSync(file, readFileSync(file, "utf8").replace(marked, `<!-- figures -->\n${tables}\n<!-- /figures -->`));
}
