import { performance } from "node:perf_hooks";

/**
 * A queue under measurement. It enqueues a no-op job durably, and calls back when its handler
 * begins.
 */
export interface Contender {
  readonly name: string;
  /** What makes it durable. */
  readonly settings: string;
  /**
   * Resolves when it is ready to take jobs. It calls `began` with a job's number when its handler
   * begins.
   */
  start(began: (job: number) => void): Promise<{
    enqueue(job: number): Promise<unknown>;
    /** How many jobs are done, by its own count. */
    done(): Promise<number>;
    /** Processor time that its server has used so far, if it has one that tells it. */
    serverMicroseconds?(): Promise<number>;
    stop(): Promise<void>;
  }>;
}

export interface Figures {
  readonly jobsPerSecond: number;
  /**
   * Processor time of this process, over all its threads, and of Redis. That of MariaDB is not
   * counted.
   */
  readonly cpuMicrosecondsPerJob: number;
  /**
   * From the call that enqueues to the handler's first line, including the commit, in milliseconds.
   */
  readonly pickup: { readonly p50: number; readonly p99: number };
}

const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Keeps `waiting` jobs under way for this many seconds. When one begins, the next is enqueued. */
export const closedLoop = async (contender: Contender, waiting: number, seconds: number): Promise<Figures> => {
  const begun: number[] = [];
  const enqueuedAt: number[] = [];
  let measuring = false;
  let finish = (): void => undefined;
  let open = 0;
  let running = true;
  let queue: Awaited<ReturnType<Contender["start"]>> | undefined;

  const next = (): void => {
    const job = enqueuedAt.length;
    enqueuedAt.push(performance.now());
    open += 1;
    queue?.enqueue(job).catch((thrown: unknown) => {
      process.stderr.write(`${contender.name}: ${thrown instanceof Error ? thrown.stack : String(thrown)}\n`);
      process.exit(1);
    });
  };
  queue = await contender.start((job) => {
    if (measuring) begun.push(performance.now() - (enqueuedAt[job] ?? 0));
    open -= 1;
    if (running) next();
    else if (open === 0) finish();
  });
  for (let count = 0; count < waiting; count += 1) next();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  measuring = true;
  const doneBefore = await queue.done();
  const serverBefore = (await queue.serverMicroseconds?.()) ?? 0;
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const jobs = (await queue.done()) - doneBefore;
  const took = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const server = ((await queue.serverMicroseconds?.()) ?? 0) - serverBefore;
  measuring = false;
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  running = false;
  if (open > 0) await ended;
  await queue.stop();
  const sorted = Float64Array.from(begun).sort();
  const cpuMicrosecondsPerJob = (user + system + server) / jobs;
  return {
    jobsPerSecond: jobs / took,
    cpuMicrosecondsPerJob,
    pickup: { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) },
  };
};
