import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { checkTypes } from "./check-types.ts";
import { watchProject } from "./watch-project.ts";

/** What the loop works on. */
export interface Project {
  /** The folder of the project. */
  readonly root: string;
  /** The program of the command line, and the words with which it serves. */
  readonly program: string;
  readonly line: readonly string[];
  /** Writes to the person who develops. */
  readonly tell: (text: string) => void;
  /** Called after a start that failed, with what it said. True if what kept it from starting is done now. */
  readonly mend: (said: string) => Promise<boolean>;
}

/** A process on its way, or serving. */
interface Started {
  readonly worker: Worker;
  /** Whether it takes requests; false if it has ended before. */
  readonly isUp: Promise<boolean>;
  /** What it has written to stderr. */
  readonly said: () => string;
}

/**
 * The environment without what `.env` gave to this process, so that each new process reads the file
 * itself.
 */
export const withoutEnvFile = (root: string): NodeJS.ProcessEnv => {
  const environment = { ...process.env };
  if (!process.execArgv.some((arg) => arg.startsWith("--env-file"))) return environment;
  for (const [name, value] of Object.entries(parseEnv(readFileSync(join(root, ".env"), "utf8")))) {
    if (environment[name] === value) delete environment[name];
  }
  return environment;
};

/** Characters of what a process says that are kept. */
const mostKept = 100_000;

const start = (environment: NodeJS.ProcessEnv): Started => {
  const worker = cluster.fork(environment);
  let said = "";
  worker.process.stderr?.on("data", (piece) => {
    process.stderr.write(piece);
    if (said.length < mostKept) said += String(piece);
  });
  const isUp = new Promise<boolean>((resolve) => {
    worker.on("listening", ({ port }) => {
      // Metrics may have a listener of their own, which opens first.
      if (String(port) !== environment.POSTERN_METRICS_PORT) resolve(true);
    });
    worker.on("exit", () => resolve(false));
  });
  return { worker, isUp, said: () => said };
};

const end = ({ worker }: Started): void => void worker.process.kill("SIGTERM");

/**
 * Serves a project, and begins anew after each change: the new process starts beside the old one, and
 * takes over when it takes requests. This process holds the port, so no request is refused meanwhile.
 * A new process that does not start, or whose types are wrong, leaves the old one serving. Where nothing
 * is served, one whose types are wrong is served, and they are told. Resolves
 * after SIGINT or SIGTERM, when all processes have ended.
 */
export const supervise = async ({ root, program, line, tell, mend }: Project): Promise<void> => {
  cluster.setupPrimary({ exec: program, args: [...line], stdio: ["ignore", "inherit", "pipe", "ipc"] });
  const environment = withoutEnvFile(root);
  let serving: Started | undefined;
  let coming: Started | undefined;
  let round = 0;
  let isOver = false;

  const begin = async (): Promise<void> => {
    round += 1;
    const own = round;
    if (coming !== undefined) end(coming);
    const types = checkTypes(root);
    const next = start(environment);
    coming = next;
    const isUp = await next.isUp;
    // A later change, or the end, has made this one needless.
    if (own !== round) return types.end();
    // Where nothing is served, this process is better than none, whatever its types.
    const isOnly = isUp && serving === undefined;
    if (isOnly) {
      coming = undefined;
      takeOver(next);
    }
    const faults = await types.faults;
    if (own !== round) return;
    if (isOnly) return tell(faults);
    coming = undefined;
    if (isUp && faults === "") return takeOver(next);
    if (isUp) end(next);
    tell(faults);
    if (!isUp && (await mend(next.said())) && own === round) return begin();
    tell(serving === undefined ? "Nothing is served yet." : "What was there before is still served.");
    tell(" Save a file to try again.\n");
  };

  const takeOver = (next: Started): void => {
    const old = serving;
    serving = next;
    if (old !== undefined) end(old);
    next.worker.once("exit", () => {
      if (serving !== next || isOver) return;
      serving = undefined;
      tell("The server has ended. Save a file to start it again.\n");
    });
  };

  const watching = watchProject(root, (files) => {
    const [first = "", ...more] = files;
    tell(`\n${first}${more.length === 0 ? "" : ` and ${more.length} more`} changed.\n`);
    void begin();
  });
  void begin();
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  isOver = true;
  round += 1;
  watching.close();
  const left = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
  await Promise.all(
    left.map((worker) => {
      worker.process.kill("SIGTERM");
      return worker.isDead() ? undefined : once(worker, "exit");
    }),
  );
};
