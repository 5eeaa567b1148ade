import type { Attack } from "../attack.ts";
import { besiege, type Outcome, type SiegeOptions } from "../besiege.ts";
import { peakMegabytes } from "../bounds.ts";
import type { Mechanism } from "./mechanisms.ts";

/** What the runs of one attack have in the middle, or at worst. */
interface Figures {
  readonly p99: number;
  readonly memory: number;
  readonly refused: number;
  readonly deaths: number;
}

const medianOf = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const figuresOf = (outcomes: readonly Outcome[]): Figures => ({
  p99: medianOf(outcomes.map(({ client }) => client.p99)),
  memory: Math.max(...outcomes.map(({ peakMemory }) => peakMemory)),
  refused: medianOf(outcomes.map(({ client }) => client.refused)),
  deaths: outcomes.filter(({ death }) => death !== undefined).length,
});

/** Why a mechanism stays because of an attack; empty if it does not. */
const reasonOf = (with_: Figures, without: Figures): string => {
  const reasons = [
    ...(without.deaths > with_.deaths ? ["keeps the server alive"] : []),
    ...(without.memory > peakMegabytes && with_.memory <= peakMegabytes ? ["memory"] : []),
    ...(without.refused > 0 && with_.refused < without.refused / 2 ? ["refusals"] : []),
    ...(with_.p99 <= (without.p99 * 2) / 3 ? [`p99 × ${(with_.p99 / without.p99).toFixed(2)}`] : []),
  ];
  return reasons.join(", ");
};

const cell = ({ p99, refused, memory, deaths }: Figures): string =>
  `${Math.round(p99)} ms · ${refused} · ${Math.round(memory)} MB${deaths > 0 ? ` · died ${deaths} times` : ""}`;

/**
 * Runs the attacks of each mechanism with and without it, in rounds in which all take their turn, and
 * yields a row of the table for each pair.
 */
export const compare = async (
  chosen: readonly Mechanism[],
  attacks: readonly Attack[],
  rounds: number,
  options: SiegeOptions,
): Promise<readonly string[]> => {
  const outcomes = new Map<string, Outcome[]>();
  const run = async (attack: Attack, mechanism: Mechanism | undefined): Promise<void> => {
    const key = `${attack.name} ${mechanism?.name ?? ""}`;
    const outcome = await besiege(attack, {
      ...options,
      without: mechanism ?? { name: "nothing", does: "", attacks: [] },
    });
    outcomes.set(key, [...(outcomes.get(key) ?? []), outcome]);
    const { p99, refused } = outcome.client;
    console.error(`${key}: ${Math.round(p99)} ms, ${refused} refused, ${Math.round(outcome.peakMemory)} MB`);
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const attack of attacks) {
      const taken = chosen.filter(({ attacks }) => attacks.includes(attack.name));
      if (taken.length === 0) continue;
      await run(attack, undefined);
      for (const mechanism of taken) await run(attack, mechanism);
    }
  }
  return chosen.flatMap((mechanism) =>
    mechanism.attacks.flatMap((attack) => {
      const runs = outcomes.get(`${attack} ${mechanism.name}`);
      if (runs === undefined) return [];
      const with_ = figuresOf(outcomes.get(`${attack} `) ?? []);
      const without = figuresOf(runs);
      const reason = reasonOf(with_, without);
      return `| ${mechanism.name}: ${mechanism.does} | ${attack} | ${cell(with_)} | ${cell(without)} | ${reason || "–"} |`;
    }),
  );
};

export const comparisonHeading = [
  "| mechanism | attack | with it | without it | why it stays |",
  "|---|---|---|---|---|",
];
