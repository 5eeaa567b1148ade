import type { Cases } from "./cases.ts";
import type { CheckAnswer, Served, Trial } from "./trial.ts";

/**
 * What every adapter promises, case by case. Each entry runs its case on an adapter and rejects
 * when the promise is broken. `check` sees every answer of the case, too.
 */
export type AdapterContract<Adapter> = Readonly<
  Record<string, (adapter: Adapter, check?: CheckAnswer) => Promise<void>>
>;

/** @throws TypeError when two lists have a case of one name. */
export const contractOf = <Adapter, On extends Served>(
  lists: readonly Cases<On>[],
  run: (keep: (trial: Trial<On>) => Promise<void>, adapter: Adapter, check?: CheckAnswer) => Promise<void>,
): AdapterContract<Adapter> => {
  const contract = new Map<string, AdapterContract<Adapter>[string]>();
  for (const [name, keep] of lists.flatMap((list) => Object.entries(list))) {
    if (contract.has(name)) throw new TypeError(`two cases of one name: ${name}`);
    contract.set(name, (adapter, check) => run(keep, adapter, check));
  }
  return Object.fromEntries(contract);
};
