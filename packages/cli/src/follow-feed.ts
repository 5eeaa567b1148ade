import type { Operations } from "./operations.ts";
import { CommandError, exitCodes } from "./terminal.ts";

/** What the feed tells: an entry, or only where the reader is now. */
export interface FeedMessage {
  /** `event`, `job`, `alert` or `reset`; `undefined` if this says only where the reader is. */
  readonly kind: string | undefined;
  /** Go on behind it with `after`. */
  readonly id: string;
  readonly data: unknown;
}

/** A server that is away is asked again after a second, then less and less often, up to this. */
const longestPauseMs = 10_000;

/** The blocks in a stream of server-sent events. */
async function* blocksOf(next: () => Promise<string | undefined>): AsyncGenerator<readonly string[]> {
  let text = "";
  for (let piece = await next(); piece !== undefined; piece = await next()) {
    const blocks = (text + piece).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) yield block.split("\n");
  }
}

const messageOf = (lines: readonly string[]): FeedMessage | undefined => {
  const member = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const id = member("id");
  const data = member("data");
  if (id === undefined) return undefined;
  return { kind: data === undefined ? undefined : member("event"), id, data: data && JSON.parse(data) };
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/**
 * Follows the feed until `signal`: over ends of the answer, restarts of the server and sleep of this
 * machine, each time from where it was. `onAway` hears that the server does not answer, once until it
 * answers again.
 * @throws CommandError for a refusal, and if the first try reaches nobody.
 */
export async function* followFeed(
  { stream }: Operations,
  query: Readonly<Record<string, string>>,
  { signal, onAway }: { readonly signal: AbortSignal; readonly onAway: (why: string) => void },
): AsyncGenerator<FeedMessage> {
  let after: string | undefined = query.after;
  let failures = 0;
  let wasReached = false;
  while (!signal.aborted) {
    let end = (): void => undefined;
    const stop = (): void => end();
    signal.addEventListener("abort", stop);
    try {
      const feed = await stream({
        operation: "admin.feed.read",
        query: { ...query, ...(after === undefined ? {} : { after }) },
      });
      end = feed.end;
      if (signal.aborted) feed.end();
      for await (const lines of blocksOf(feed.next)) {
        wasReached = true;
        failures = 0;
        const message = messageOf(lines);
        if (message === undefined) continue;
        after = message.id;
        yield message;
      }
    } catch (thrown) {
      const isAway = thrown instanceof CommandError && thrown.exitCode === exitCodes.unreachable;
      if (!wasReached || (thrown instanceof CommandError && !isAway)) throw thrown;
      if (failures === 0) onAway(thrown instanceof Error ? thrown.message : String(thrown));
      failures += 1;
    } finally {
      signal.removeEventListener("abort", stop);
      end();
    }
    if (!signal.aborted) await pause(Math.min(failures * 1_000, longestPauseMs), signal);
  }
}

/** Aborted by Ctrl-C. */
export const untilInterrupted = (): AbortController => {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  return controller;
};
