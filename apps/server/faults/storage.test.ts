import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { call, eventually, pause, type Scene, type Server, sceneOf } from "./server-under-fault.ts";
import { deliver, isLong, judge, outcomeOf, queryOf, sqliteUrl, storm } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 120_000 });

/**
 * Whether this command works on this machine. If not, it prints what is not tested and why.
 */
const can = (what: string, attempt: () => void): boolean => {
  try {
    attempt();
    return true;
  } catch {
    process.stdout.write(`not tested here: ${what}\n`);
    return false;
  }
};

const isReady = async (one: Server): Promise<boolean> => (await call(`${one.url}/health/ready`)).status === 200;

interface Trouble {
  readonly fault: string;
  /** The folder of the database. Default: `directory`. */
  readonly place?: (scene: Scene, directory: string) => string;
  /** When a refused sender should try again, in seconds. Default: 1. */
  readonly retryAfter?: string;
  /** Begins the trouble and returns a function that ends it. */
  readonly begin: (one: Server, place: string) => () => void;
}

const large = "x".repeat(100_000);

/**
 * Stops all writes to the storage for a while. Meanwhile the server answers 503 at once, still
 * reads, and is not ready. When writes work again, it recovers by itself.
 */
const survives = async (
  scene: Scene,
  { fault, place = (_, directory) => directory, retryAfter = "1", begin }: Trouble,
): Promise<void> => {
  const directory = scene.temporaryDirectory();
  const data = place(scene, directory);
  const database = sqliteUrl(join(data, "postern.db"));
  const one = await scene.server(directory, { DATABASE_URL: database });
  await one.start();
  expect((await deliver(one.url, "evt_first")).status).toBe(200);
  const load = storm([one.url], { padding: "x".repeat(2_000) });
  const end = begin(one, data);
  await eventually("events are refused", async () => load.replies.some(({ status }) => status === 503), 20_000);
  await pause(500);
  const refused = await deliver(one.url, "evt_full", { padding: large });
  expect([refused.status, refused.retryAfter]).toEqual([503, retryAfter]);
  expect(refused.ms).toBeLessThan(1_000);
  await eventually("it says that it is not ready", async () => !(await isReady(one)), 5_000);
  expect((await call(`${one.url}/health/live`)).status).toBe(200);
  expect((await call(`${one.url}/api`)).status).toBe(200);
  if (isLong) await pause(10_000);
  end();
  const backMs = await eventually("it is ready", () => isReady(one), 5_000);
  expect((await deliver(one.url, "evt_full", { padding: large })).status).toBe(200);
  const tally = await load.end();
  const accepted = new Set([...tally.accepted, "evt_first", "evt_full"]);
  const outcome = await outcomeOf(database, accepted);
  judge(fault, { ...tally, sent: tally.sent + 2, accepted }, outcome, `ready again after ${Math.round(backMs)} ms`);
  const [integrity] = await queryOf(database)("PRAGMA integrity_check");
  expect(integrity).toEqual({ integrity_check: "ok" });
};

/**
 * Node ignores the signal that the limit causes, so the write fails as it does on a full disk.
 */
const limitsFiles =
  process.platform === "linux" &&
  can("a limit on the size of files (needs prlimit)", () => void execFileSync("prlimit", ["--version"]));

const mounted = (directory: string): string => {
  const place = join(directory, "disk");
  mkdirSync(place, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=32m", "tmpfs", place], { stdio: "ignore" });
  return place;
};
const unmount = (place: string): void => void execFileSync("umount", ["--lazy", place]);

const mounts =
  process.platform === "linux" &&
  can("a disk that is really full (needs root that may mount a tmpfs)", () => {
    const place = mounted(`/tmp/postern-faults-mount-${process.pid}`);
    unmount(place);
    rmSync(join(place, ".."), { recursive: true });
  });

// The short form prefers the real disk if one can be mounted.
test.skipIf(!limitsFiles || (mounts && !isLong))("files that may not grow", (context) =>
  survives(sceneOf(context), {
    fault: "SQLite: files that may not grow (RLIMIT_FSIZE)",
    begin: ({ pid }) => {
      const limit = (bytes: string): void =>
        void execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]);
      limit("200000");
      return () => limit("unlimited");
    },
  }),
);

test.skipIf(!mounts)("a disk that is full", (context) =>
  survives(sceneOf(context), {
    fault: "SQLite: a full disk (tmpfs of 32 MB)",
    place: (scene, directory) => {
      const place = mounted(directory);
      scene.afterwards(() => unmount(place));
      return place;
    },
    // The database can only grow again once there is room.
    retryAfter: "30",
    begin: (_, place) => {
      const ballast = join(place, "ballast");
      // Another file takes the rest of the disk.
      expect(() => writeFileSync(ballast, Buffer.alloc(32 * 1024 * 1024))).toThrow("ENOSPC");
      return () => rmSync(ballast);
    },
  }),
);

const immutable = (on: boolean, ...files: readonly string[]): void =>
  void execFileSync("chattr", [on ? "+i" : "-i", ...files], { stdio: "ignore" });

const freezes =
  process.platform === "linux" &&
  can("a database that turns read-only (needs root and a file system with chattr)", () => {
    const file = `/tmp/postern-faults-file-${process.pid}`;
    writeFileSync(file, "");
    immutable(true, file);
    immutable(false, file);
    rmSync(file);
  });

test.skipIf(!freezes)("a database that turns read-only", (context) =>
  survives(sceneOf(context), {
    fault: "SQLite: a database that turns read-only (chattr +i)",
    begin: (_, place) => {
      // The -shm file stays writable. It is mapped into memory, where a failed write is a SIGBUS. A
      // file system that turns read-only does not send that.
      const files = ["postern.db", "postern.db-wal"].map((name) => join(place, name)).filter(existsSync);
      immutable(true, ...files);
      return () => immutable(false, ...files);
    },
  }),
);

test("a database file that is moved away and comes back", (context) =>
  survives(sceneOf(context), {
    fault: "SQLite: a file that is moved away and comes back",
    begin: (_, place) => {
      const file = join(place, "postern.db");
      renameSync(file, `${file}.moved`);
      return () => renameSync(`${file}.moved`, file);
    },
  }));
