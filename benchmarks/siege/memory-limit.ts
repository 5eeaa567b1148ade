import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";

/** How the memory of a process is limited. */
export interface MemoryLimit {
  /**
   * `cgroup`: the kernel ends the process beyond the limit. `watched`: its resident memory is
   * checked every 50 ms.
   */
  readonly kind: "cgroup" | "watched" | "none";
  /** Puts a process under the limit. */
  hold(pid: number): void;
  close(): void;
}

const watchEveryMs = 50;

/** Resident memory of a process in MB, now and at its highest; `undefined` when it has ended. */
export const memoryOf = (pid: number): { readonly now: number; readonly peak: number } | undefined => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const megabytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
    const [now, peak] = [megabytes("VmRSS"), megabytes("VmHWM")];
    return peak === 0 ? undefined : { now, peak };
  } catch {
    return undefined;
  }
};

/** Version 1 has a tree of its own for memory. Version 2 has one tree for everything. */
const groupPlaces = [
  { folder: "/sys/fs/cgroup/memory", file: "memory.limit_in_bytes" },
  { folder: "/sys/fs/cgroup", file: "memory.max" },
];

const groupOf = (megabytes: number): string | undefined => {
  for (const { folder, file } of groupPlaces) {
    const path = `${folder}/postern-siege-${process.pid}-${Math.round(performance.now())}`;
    try {
      mkdirSync(path);
    } catch {
      continue;
    }
    try {
      if (!existsSync(`${path}/${file}`)) throw new Error("no memory controller");
      writeFileSync(`${path}/${file}`, String(megabytes * 1024 * 1024));
      return path;
    } catch {
      rmdirSync(path);
    }
  }
  return undefined;
};

const watched = (megabytes: number): MemoryLimit => {
  const timers: NodeJS.Timeout[] = [];
  return {
    kind: "watched",
    hold: (pid) => {
      const look = (): void => {
        if ((memoryOf(pid)?.now ?? 0) > megabytes) process.kill(pid, "SIGKILL");
      };
      timers.push(setInterval(look, watchEveryMs));
    },
    close: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
};

/** A limit of this many MB; 0 means none. If no cgroup can be made, the memory is watched. */
export const memoryLimit = (megabytes: number): MemoryLimit => {
  if (megabytes === 0) return { kind: "none", hold: () => undefined, close: () => undefined };
  const group = groupOf(megabytes);
  if (group === undefined) return watched(megabytes);
  return {
    kind: "cgroup",
    hold: (pid) => appendFileSync(`${group}/cgroup.procs`, String(pid)),
    close: () => {
      try {
        rmdirSync(group);
      } catch {
        // The kernel has not released the process yet. An empty group costs nothing.
      }
    },
  };
};
