import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Random draws that a seed determines: the same seed gives the same world. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1 (mulberry32). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  from(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  one<Item>(items: readonly Item[]): Item {
    const item = items[this.from(0, items.length - 1)];
    if (item === undefined && items.length === 0) throw new Error("nothing to draw from");
    return item as Item;
  }

  some<Item>(items: readonly Item[], probability = 0.5): Item[] {
    return items.filter(() => this.chance(probability));
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, at: this.fraction() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ item }) => item);
  }
}

const keptFile = fileURLToPath(new URL("failed-seeds.json", import.meta.url));

const kept = (): Record<string, number[]> =>
  existsSync(keptFile) ? (JSON.parse(readFileSync(keptFile, "utf8")) as Record<string, number[]>) : {};

/** A seed that failed stays in the file and is tried first from then on. */
const keep = (name: string, seed: number): void => {
  const seeds = kept();
  seeds[name] = [...new Set([...(seeds[name] ?? []), seed])];
  writeFileSync(keptFile, `${JSON.stringify(seeds, null, 2)}\n`);
};

const long = process.env.POSTERN_LAWS === "long";
/** How long one law is tried on one database. */
const seconds = Number(process.env.POSTERN_LAWS_SECONDS ?? (long ? 300 : 3));
const given = process.env.POSTERN_LAWS_SEED;

/** The time limit of a test, longer than the tries of any law. */
export const lawTimeoutMs = (seconds + 120) * 1000;

/**
 * Tries a law in random worlds: first in those that broke it once, then in new ones for as long as
 * there is time. `POSTERN_LAWS_SEED` names one world to look at again.
 * @throws Error with the seed of the world that breaks the law.
 */
export const holds = async (name: string, law: (draw: Draw, seed: number) => Promise<void>): Promise<void> => {
  const attempt = async (seed: number): Promise<void> => {
    try {
      await law(new Draw(seed), seed);
    } catch (cause) {
      keep(name, seed);
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`"${name}" is broken in world ${seed} (POSTERN_LAWS_SEED=${seed} tries it again): ${why}`, {
        cause,
      });
    }
  };
  if (given !== undefined) return attempt(Number(given));
  for (const seed of kept()[name] ?? []) await attempt(seed);
  const first = Math.floor(Math.random() * 4_000_000_000);
  process.stdout.write(`${name}: worlds from ${first}\n`);
  const end = performance.now() + seconds * 1000;
  let tried = 0;
  do {
    await attempt(first + tried);
    tried += 1;
  } while (performance.now() < end);
  process.stdout.write(`${name}: holds in ${tried} worlds\n`);
};
