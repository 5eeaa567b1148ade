import type { Ports } from "@postern/core";
import { AppError } from "@postern/core";
import type { Alert, Alerts, FeedCommit, FeedEntry } from "@postern/core/ports";

/** How far a reader has come: the number of a commit, and the last part of it that the reader has. */
export interface FeedPosition {
  readonly place: number;
  readonly part: number;
}

/** What a reader gets next. */
export type FeedNews =
  /** Entries, each with the position behind it. */
  | {
      readonly kind: "entries";
      readonly entries: readonly (FeedPosition & { readonly at: number; readonly entry: FeedEntry })[];
    }
  /** Nothing that it wants has happened since it began, or for a while. It is now here. */
  | { readonly kind: "quiet"; readonly position: FeedPosition }
  /** What came behind its position was deleted. It goes on here. */
  | { readonly kind: "reset"; readonly position: FeedPosition }
  | { readonly kind: "end"; readonly why: "closed" | "over" };

interface FeedReader {
  /** Waits for news, up to 15 s. Ask for one at a time. After `end` it answers `end`. */
  next(): Promise<FeedNews>;
  /** The reader takes no more. A waiting `next` answers `end`. */
  end(): void;
}

interface FeedOptions {
  /** Goes on behind this position. Default: what happens from now on. */
  readonly after?: FeedPosition;
  /** Whether the reader wants an entry. */
  wants(entry: FeedEntry): boolean;
}

/** Tells what happens, to any number of readers up to `mostFeedReaders`. */
export interface Feed {
  /**
   * A new reader. Its first `next` begins to read.
   * @throws AppError `overloaded` if there are too many.
   */
  open(options: FeedOptions): FeedReader;
  /** Looks at once, because this process has committed something. */
  wake(): void;
  /** Passes an alert on, and puts it in the feed. */
  readonly alerts: Alerts;
  /** Ends every reader. Further ones end at once. */
  close(): void;
}

/** Most readers of one process. */
export const mostFeedReaders = 100;

/** The database is asked this often, however many readers there are. */
const everyMs = 1_000;
/** What this process itself commits is looked for this often at most. */
const wokenMs = 100;
const heartbeatMs = 15_000;
/** A reader proves anew who it is after this long. */
const longestMs = 10 * 60_000;
/** Commits that are read at once; fewer if they have many entries. */
const page = 100;
/** Entries that are kept for readers that keep up. The others read theirs from the database. */
const recentEntries = 5_000;
/** Alerts that wait to be stored. Further ones are not in the feed. */
const mostAlerts = 100;

type FeedPorts = Pick<Ports, "storage" | "clock" | "telemetry">;

/** The newest commits of the database, as one loop of this process reads them for all its readers. */
const createRecent = ({ storage: { feed, past }, clock, telemetry }: FeedPorts) => {
  let commits: readonly FeedCommit[] = [];
  /** `commits` has all that is newer than this. `undefined` before the first look. */
  let from: number | undefined;
  let newest = 0;
  let setbacks = past.setbacks();
  /** Grows with each look that found something. */
  let looks = 0;
  let isWanted = false;
  let isRunning = false;
  let endedAt = Number.NEGATIVE_INFINITY;
  let isWoken = false;
  let hasFailed = false;
  let cancel = (): void => undefined;
  const waiting = new Set<() => void>();

  const tell = (): void => {
    looks += 1;
    for (const resolve of [...waiting]) resolve();
  };

  const look = async (): Promise<void> => {
    for (let numbered = 1; isWanted && numbered > 0; ) numbered = await feed.number();
    if (setbacks !== past.setbacks()) {
      // What was read may be of a time that never was, and its places come again.
      setbacks = past.setbacks();
      from = undefined;
    }
    if (from === undefined) {
      newest = await feed.newest();
      from = newest;
      commits = [];
      tell();
    }
    while (isWanted) {
      const found = await feed.read(newest, page);
      if (found.length === 0) return;
      newest = found.at(-1)?.place ?? newest;
      commits = [...commits, ...found];
      let entries = commits.reduce((sum, commit) => sum + commit.entries.length, 0);
      let dropped = 0;
      for (; entries > recentEntries; dropped += 1) entries -= commits[dropped]?.entries.length ?? 0;
      from = commits[dropped - 1]?.place ?? from;
      commits = commits.slice(dropped);
      tell();
    }
  };

  const run = async (): Promise<void> => {
    cancel();
    isRunning = true;
    isWoken = false;
    try {
      await look();
      hasFailed = false;
    } catch (thrown) {
      if (!hasFailed) telemetry.log("warn", "the feed cannot be read at the moment", {}, thrown);
      hasFailed = true;
    }
    isRunning = false;
    endedAt = clock.monotonic();
    if (isWanted) cancel = clock.after(isWoken ? wokenMs : everyMs, () => void run());
  };

  return {
    /** The commits behind a place, or `undefined` if it is older than those in memory. */
    behind: (place: number): readonly FeedCommit[] | undefined =>
      from === undefined || place < from ? undefined : commits.filter((commit) => commit.place > place),
    /** The newest place; `undefined` before the first look, and until the next one after a setback. */
    newest: (): number | undefined => (from === undefined || setbacks !== past.setbacks() ? undefined : newest),
    looks: () => looks,
    /** Resolves after a look later than `seen` that found something, when it is cancelled, or after `ms`. */
    wait: (seen: number, ms: number, onCancel: (cancel: () => void) => void): Promise<void> =>
      new Promise((resolve) => {
        if (looks !== seen) {
          resolve();
          return;
        }
        const done = (): void => {
          waiting.delete(done);
          stop();
          resolve();
        };
        const stop = clock.after(ms, done);
        onCancel(done);
        waiting.add(done);
      }),
    /** There is a reader. */
    begin: (): void => {
      isWanted = true;
      if (!isRunning) void run();
    },
    /** There is none any more. The next reader begins with what happens from then on. */
    forget: (): void => {
      isWanted = false;
      cancel();
      from = undefined;
    },
    wake: (): void => {
      if (!isWanted || isWoken) return;
      isWoken = true;
      if (isRunning) return;
      cancel();
      cancel = clock.after(Math.max(0, endedAt + wokenMs - clock.monotonic()), () => void run());
    },
  };
};

const isBehind = (place: number, part: number, position: FeedPosition): boolean =>
  place > position.place || (place === position.place && part > position.part);

/** The whole of a commit has been read. */
const wholePart = Number.MAX_SAFE_INTEGER;
const wholeOf = (place: number): FeedPosition => ({ place, part: wholePart });

const closed: FeedNews = { kind: "end", why: "closed" };

/** Alerts, which go on as before and into the feed. */
const feedAlerts = (ports: FeedPorts & Pick<Ports, "alerts">, wake: () => void): Alerts => {
  const { storage, clock, alerts, telemetry } = ports;
  let storing = 0;
  const store = async (alert: Alert): Promise<void> => {
    storing += 1;
    try {
      await storage.feed.alert(alert, clock.now());
      wake();
    } catch (thrown) {
      telemetry.log("debug", "an alert is not in the feed", { kind: alert.kind }, thrown);
    }
    storing -= 1;
  };
  return {
    raise: (alert) => {
      alerts.raise(alert);
      if (storing < mostAlerts) void store(alert);
    },
  };
};

/**
 * The feed of this process. Each reader takes at its own pace and holds at most one page. A slow
 * reader reads from the database what is no longer in memory.
 */
export const createFeed = (ports: FeedPorts & Pick<Ports, "alerts">): Feed => {
  const { storage, clock } = ports;
  const recent = createRecent(ports);
  const open = new Set<FeedReader>();
  /** End readers that are no longer asked. */
  const stops = new Map<FeedReader, () => void>();
  let isClosed = false;

  const reader = ({ after, wants }: FeedOptions): FeedReader => {
    const until = clock.monotonic() + longestMs;
    let position = after;
    /** The setbacks of the database when the position was last compared with it. */
    let comparedAt: number | undefined;
    // A reader knows where it is from the first moment, in case it breaks off before anything happens.
    let quietSince = Number.NEGATIVE_INFINITY;
    let isEnded = false;
    let cancelWait = (): void => undefined;

    /** Where the reader is when it begins, and whether what came behind it was deleted. */
    const begin = async (newest: number): Promise<FeedNews | undefined> => {
      comparedAt = storage.past.setbacks();
      if (position === undefined) {
        position = wholeOf(newest);
        return undefined;
      }
      const { place } = position;
      if (place === 0 || (await storage.feed.has(place))) return undefined;
      const last = await storage.feed.newest();
      const [oldest] = await storage.feed.read(0, 1);
      position = wholeOf(place > last ? last : (oldest?.place ?? last + 1) - 1);
      return { kind: "reset", position };
    };

    const look = async (): Promise<FeedNews | undefined> => {
      const newest = recent.newest();
      if (newest === undefined) return undefined;
      const reset = comparedAt === storage.past.setbacks() ? undefined : await begin(newest);
      if (reset !== undefined) return reset;
      while (position !== undefined && !isEnded) {
        const from = position;
        const behind = from.part === wholePart ? from.place : from.place - 1;
        const commits = recent.behind(behind)?.slice(0, page) ?? (await storage.feed.read(behind, page));
        const last = commits.at(-1);
        if (last === undefined) break;
        position = wholeOf(last.place);
        const entries = commits.flatMap(({ place, at, entries: all }) =>
          all
            .filter((entry) => isBehind(place, entry.part, from) && wants(entry))
            .map((entry) => ({ place, part: entry.part, at, entry })),
        );
        if (entries.length > 0) return { kind: "entries", entries };
      }
      return undefined;
    };

    const self: FeedReader = {
      next: async () => {
        for (;;) {
          const seen = recent.looks();
          const news = isEnded ? closed : await look();
          if (news !== undefined) {
            quietSince = clock.monotonic();
            return isEnded ? closed : news;
          }
          const now = clock.monotonic();
          if (now >= until) return { kind: "end", why: "over" };
          const left = quietSince + heartbeatMs - now;
          if (left <= 0 && position !== undefined) {
            quietSince = now;
            return { kind: "quiet", position };
          }
          if (isEnded) continue;
          await recent.wait(seen, Math.min(left > 0 ? left : heartbeatMs, until - now), (cancel) => {
            cancelWait = cancel;
          });
        }
      },
      end: () => {
        isEnded = true;
        stops.get(self)?.();
        stops.delete(self);
        if (open.delete(self) && open.size === 0) recent.forget();
        cancelWait();
      },
    };
    return self;
  };

  return {
    open: (options) => {
      if (open.size >= mostFeedReaders) {
        throw new AppError("overloaded", {
          detail: `${mostFeedReaders} readers of the feed are connected; try again later.`,
          headers: { "retry-after": "10" },
        });
      }
      const made = reader(options);
      open.add(made);
      stops.set(made, clock.after(longestMs + heartbeatMs, made.end));
      if (isClosed) made.end();
      else recent.begin();
      return made;
    },
    wake: recent.wake,
    alerts: feedAlerts(ports, recent.wake),
    close: () => {
      isClosed = true;
      for (const each of [...open]) each.end();
    },
  };
};
