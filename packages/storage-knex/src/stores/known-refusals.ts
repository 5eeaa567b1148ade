import { gcra, type RateLimitDecision, type RateLimitRequest } from "@postern/core/parts";

/** How long a refusal is known without a look at the database. No caller is told to wait less. */
const refusalMs = 1000;
/** So many keys are known to be refused; of more, the first one is looked up again. */
const mostRefusals = 10_000;

/** What a key's row said at a moment (milliseconds since the epoch). */
interface Refusal {
  readonly tat: number;
  readonly at: number;
}

/** Remembers for a moment which keys are refused, so that a flood does not read the database. */
export interface KnownRefusals {
  note(key: string, refusal: Refusal): void;
  /** The refusal of a request about which the database need not be asked. */
  of(request: RateLimitRequest): RateLimitDecision | undefined;
  forget(key: string): void;
}

export const createKnownRefusals = (): KnownRefusals => {
  const refusals = new Map<string, Refusal>();
  return {
    note: (key, refusal) => {
      const [first] = refusals.keys();
      if (first !== undefined && refusals.size >= mostRefusals) refusals.delete(first);
      refusals.set(key, refusal);
    },
    of: (request) => {
      const known = refusals.get(request.key);
      if (known === undefined) return undefined;
      const age = request.now - known.at;
      const { decision, tat } = gcra(known.tat, request);
      if (age >= 0 && age < refusalMs && !decision.allowed && tat === known.tat) return decision;
      refusals.delete(request.key);
      return undefined;
    },
    forget: (key) => {
      refusals.delete(key);
    },
  };
};
