import { parseArgs } from "node:util";
import { simulate } from "./simulate.ts";

// pnpm simulate <seed>: tells the story of one world. pnpm simulate --from N --count M: many, only what is wrong with them.
const { values, positionals } = parseArgs({
  options: { from: { type: "string" }, count: { type: "string", default: "1000" } },
  allowPositionals: true,
});
const wholeNumber = (name: string, text: string): number => {
  if (!/^[0-9]{1,9}$/.test(text)) throw new Error(`${name} must be a whole number, not "${text}"`);
  return Number(text);
};
const alone = positionals[0] !== undefined;
const first = wholeNumber(alone ? "<seed>" : "--from", positionals[0] ?? values.from ?? "1");
const count = alone ? 1 : wholeNumber("--count", values.count);
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
process.exitCode = failed === 0 ? 0 : 1;
