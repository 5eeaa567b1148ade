import type { Storage } from "../ports/storage.ts";
import { checkEnd, checkJobs } from "./job-model-checks.ts";
import type { Walk } from "./job-model-state.ts";
import { operations } from "./job-model-steps.ts";

/** One step of a walk: which operation, and two numbers that choose its arguments. */
export type JobStep = readonly [operation: number, first: number, second: number];

const start = 1_800_000_000_000;

/**
 * Walks a fresh storage through `steps`; the writers that share it take turns. After each step it
 * checks that the queue follows the rules: every answer, every job's state, every lease. Returns
 * the moves that it has seen (`ready→running`).
 */
export const walkJobModel = async (
  writers: readonly [Storage, ...Storage[]],
  steps: readonly JobStep[],
): Promise<ReadonlySet<string>> => {
  const walk: Walk = {
    storage: writers[0],
    now: start,
    stepNumber: 0,
    jobs: [],
    claims: [],
    runners: [],
    paused: new Set(),
    moves: new Set(),
  };
  for (const [operation, first, second] of steps) {
    walk.stepNumber += 1;
    walk.storage = writers[(operation + first + second) % writers.length] ?? walk.storage;
    await operations[operation % operations.length]?.(walk, first, second);
    await checkJobs(walk);
  }
  await checkEnd(walk);
  return walk.moves;
};

/** Every move that a walk can make; walks long enough see them all. */
export const movesOfWalks: readonly string[] = [
  "–→ready",
  "–→scheduled",
  "–→blocked",
  "blocked→ready",
  "blocked→scheduled",
  "blocked→cancelled",
  "scheduled→ready",
  "scheduled→blocked",
  "scheduled→cancelled",
  "ready→running",
  "ready→scheduled",
  "ready→cancelled",
  "running→done",
  "running→scheduled",
  "running→dead",
  "running→ready",
  "running→cancelled",
  "dead→cancelled",
];

/** Walks that make the moves that random walks seldom make. */
export const rareWalks: readonly (readonly JobStep[])[] = [
  // A ready job is rescheduled by another job with its unique key.
  [
    [0, 10, 0],
    [0, 5, 4],
  ],
  // A turn is passed on to a job that is for later.
  [
    [0, 0, 0],
    [0, 6, 6],
    [7, 0, 0],
  ],
  // A dead job that holds its key is cancelled.
  [
    [0, 6, 5],
    [1, 0, 0],
    [2, 0, 2],
    [7, 0, 0],
  ],
  // A retry comes due after another of its key went ahead.
  [
    [0, 6, 4],
    [0, 6, 4],
    [1, 0, 0],
    [2, 0, 1],
    [3, 2, 0],
  ],
];
