import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** A check of the types that is under way. */
interface TypeCheck {
  /** What the compiler says, with file and place; empty if all is well, or if the check was ended. */
  readonly faults: Promise<string>;
  end(): void;
}

const nothingToCheck: TypeCheck = { faults: Promise.resolve(""), end: () => undefined };

/** The project's own compiler. */
const compilerOf = (root: string): string | undefined => {
  try {
    const manifest = createRequire(join(root, "package.json")).resolve("typescript/package.json");
    return join(dirname(manifest), "bin", "tsc");
  } catch {
    return undefined;
  }
};

/** Checks the types of a project that has TypeScript and a `tsconfig.json`. */
export const checkTypes = (root: string): TypeCheck => {
  const compiler = existsSync(join(root, "tsconfig.json")) ? compilerOf(root) : undefined;
  if (compiler === undefined) return nothingToCheck;
  const memory = join(root, "node_modules", ".cache", "postern", "types");
  const args = [compiler, "--noEmit", "--pretty", "false", "--incremental", "--tsBuildInfoFile", memory];
  const child: ChildProcess = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece) => (said += String(piece)));
  const faults = new Promise<string>((resolve) => {
    child.on("error", () => resolve(""));
    // A check that was ended has no code.
    child.on("close", (code) => resolve(code === 0 || code === null ? "" : said));
  });
  return { faults, end: () => void child.kill() };
};
