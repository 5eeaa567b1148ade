/** Other versions of Node, from the registry, at pinned versions. */
import { execFileSync } from "node:child_process";

/** 24 has an SQLite of its own that needs no compiler. */
export const node24 = "node@24.21.0";
export const node22 = "node@22.23.3";
export const node26 = "node@26.9.0";

/** The path of the program. */
export const pathOfNode = (version) =>
  execFileSync("npm", ["exec", "--yes", `--package=${version}`, "--", "node", "-p", "process.execPath"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  }).trim();
