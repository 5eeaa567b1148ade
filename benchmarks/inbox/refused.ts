/**
 * What keeping refused deliveries costs in a flood of them: requests a second that a server refuses,
 * with the recording and with one that keeps nothing, in turns. From the root:
 *
 * `node --conditions=@postern/source --import tsx benchmarks/inbox/refused.ts [--seconds 3] [--rounds 5]`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deliveriesFor, run } from "./load.ts";
import { option, pinLoad, startServer } from "./measured-server.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const seconds = Number(option("--seconds") ?? 3);
const rounds = Number(option("--rounds") ?? 5);
const connections = 64;
const bodyBytes = 1024;
const recorder = [{ file: "/inbox/refusal-recorder.ts", by: "./refusal-recorder.ts" }];

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

const directory = mkdtempSync(join(tmpdir(), "postern-refused-"));
const start = (name: string, without: unknown) =>
  startServer(directory, {
    name,
    command: [
      "--conditions=@postern/source",
      "--import",
      import.meta.resolve("tsx"),
      "--import",
      here("../siege/without/register.mjs"),
      here("../../apps/server/src/main.ts"),
    ],
    environment: {
      DATABASE_URL: `sqlite:${join(directory, `${name}.db`)}`,
      POSTERN_RATE_LIMIT: "off",
      POSTERN_LOG_FORMAT: "json",
      WEBHOOK_STRIPE_SECRET: "whsec_benchmark_secret_of_a_good_length",
      PORT: "0",
      SIEGE_WITHOUT: JSON.stringify(without),
    },
  });

pinLoad();
const servers = [
  { what: "with recording", ...(await start("with", [])), perSecond: [] as number[] },
  { what: "without", ...(await start("without", recorder)), perSecond: [] as number[] },
];
try {
  for (const { url } of servers) await measure(url, 1_000);
  for (let round = 0; round < rounds; round += 1) {
    for (const { url, perSecond } of round % 2 === 0 ? servers : servers.toReversed())
      perSecond.push(await measure(url, seconds * 1_000));
  }
  const [kept = [], none = []] = servers.map(({ perSecond }) => perSecond);
  for (const { what, perSecond } of servers)
    console.log(`${what}: ${perSecond.map(Math.round).join(", ")}; median ${Math.round(median(perSecond))}`);
  console.log(`with / without, by rounds: ${kept.map((one, at) => (one / (none[at] ?? 0)).toFixed(3)).join(", ")}`);
} finally {
  for (const { child } of servers) child.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
}

/** Requests a second that are refused, because another key signed them. */
async function measure(url: string, measureMs: number): Promise<number> {
  const load = { url, secret: "whsec_another_secret_of_a_good_length", connections, bodyBytes, measureMs };
  const deliveries = deliveriesFor(url, 2_000, load);
  let at = 0;
  const result = await run(load, () => deliveries[at++ % deliveries.length] as Buffer);
  if (result.refused !== result.answered) throw new Error("the server accepted deliveries");
  return result.perSecond;
}
