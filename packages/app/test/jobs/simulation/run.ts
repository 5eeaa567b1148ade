import { parseArgs } from "node:util";
import { simulate } from "./simulate.ts";

const usage = "usage: pnpm simulate <seed> | pnpm simulate --from <seed> --count <seeds>";

class UsageError extends Error {}

const wholeNumber = (name: string, text: string, least: number): number => {
  if (/^[0-9]{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`${name} is a whole number from ${least} to 999999999, not "${text}"`);
};

const given = (args: readonly string[]) => {
  try {
    const options = { from: { type: "string" }, count: { type: "string" } } as const;
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown));
  }
};

interface Wanted {
  readonly first: number;
  readonly count: number;
  /** Runs one world and tells its story; of many worlds, it reports only the failures. */
  readonly alone: boolean;
}

const wantedOf = (args: readonly string[]): Wanted => {
  const { values, positionals } = given(args);
  const [seed, ...more] = positionals;
  if (seed === undefined) {
    const first = wholeNumber("--from", values.from ?? "1", 0);
    return { first, count: wholeNumber("--count", values.count ?? "1000", 1), alone: false };
  }
  if (more.length > 0 || values.from !== undefined || values.count !== undefined) {
    throw new UsageError("one seed stands alone; many are named by --from and --count");
  }
  return { first: wholeNumber("<seed>", seed, 0), count: 1, alone: true };
};

const run = async ({ first, count, alone }: Wanted): Promise<boolean> => {
  let failed = 0;
  const began = performance.now();
  for (let seed = first; seed < first + count; seed += 1) {
    const { story, violations, facts } = await simulate(seed);
    if (alone) {
      for (const line of story) process.stdout.write(`${line}\n`);
      process.stdout.write(`${JSON.stringify(facts)}\n`);
    }
    if (violations.length === 0) continue;
    failed += 1;
    process.stdout.write(`seed ${seed}:\n${violations.map((one) => `  ${one}\n`).join("")}`);
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${count} seeds, ${failed} failed, ${seconds} s\n`);
  return failed === 0;
};

try {
  process.exitCode = (await run(wantedOf(process.argv.slice(2)))) ? 0 : 1;
} catch (thrown) {
  if (!(thrown instanceof UsageError)) throw thrown;
  process.stderr.write(`${thrown.message.replaceAll("\n", " ")}; ${usage}\n`);
  process.exitCode = 2;
}
