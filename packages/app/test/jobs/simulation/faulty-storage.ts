import { AppError, type Storage, type Stores } from "@postern/core";
import type { Clock } from "@postern/core/ports";

/** What happens to one call of the storage, by the plan. */
export interface CallFate {
  /** How long it takes to get there and back, in milliseconds. */
  readonly before: number;
  readonly after: number;
  /** `lost-request`: nothing was done. `lost-answer`: it was done, but the answer never arrives. */
  readonly outcome: "answered" | "lost-request" | "lost-answer";
}

export interface FaultyOptions {
  readonly storage: Storage;
  /** Real time of the simulated world: a frozen process does not slow the network down. */
  readonly clock: Clock;
  fate(): CallFate;
  /**
   * False once the process is gone. Then none of its calls is answered any more, and its open
   * transaction is rolled back.
   */
  alive(): boolean;
  readonly died: Promise<never>;
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

const never = (): Promise<never> => new Promise(() => undefined);
const away = (): AppError => new AppError("unavailable", { detail: "simulated" });

/**
 * The connection of one process to the storage. It is slow and unreliable, and ends with the
 * process.
 */
export const faultyStorage = (options: FaultyOptions): Storage => {
  const { storage, clock, alive } = options;
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));

  const call = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const { before, after, outcome } = options.fate();
    await wait(before);
    if (!alive()) return never();
    if (outcome === "lost-request") throw away();
    const result = await run();
    await wait(after);
    if (!alive()) return never();
    if (outcome === "lost-answer") throw away();
    return result;
  };

  /** The same object, but `way` runs each of its methods, and those of the objects in it. */
  const rerouted = <Subject extends object>(subject: Subject, way: (run: () => Promise<unknown>) => unknown): Subject =>
    Object.fromEntries(
      Object.entries(subject).map(([name, member]: [string, unknown]) => {
        if (typeof member === "function") {
          return [name, (...args: readonly unknown[]) => way(() => (member as Method)(...args))];
        }
        return [name, typeof member === "object" && member !== null ? rerouted(member, way) : member];
      }),
    ) as Subject;

  /**
   * Within a transaction each statement takes a while, so that the end can come between any two.
   */
  const inside = (stores: Stores): Stores =>
    rerouted(stores, (run) => wait(options.fate().before / 8).then(() => (alive() ? run() : never())));

  return {
    ...rerouted(storage, call),
    // It asks nothing of the database.
    past: { ...rerouted(storage.past, call), setbacks: () => storage.past.setbacks() },
    transaction: (work) =>
      call(() => storage.transaction((stores, own) => Promise.race([work(inside(stores), own), options.died]))),
  };
};
