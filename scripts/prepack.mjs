// Builds a package and what it needs, before it is packed. CI has built them all and says so with
// POSTERN_BUILT: a build beside others would take away what they read.
import { spawnSync } from "node:child_process";

if (!process.env.POSTERN_BUILT) {
  const { status } = spawnSync("turbo", ["run", "build", "--output-logs=errors-only"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  process.exitCode = status ?? 1;
}
