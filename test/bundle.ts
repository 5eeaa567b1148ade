import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Tests of real processes start the built server, as users do. It is built first if the sources
 * have changed.
 */
export const setup = (): void => {
  const launcher = fileURLToPath(new URL("../scripts/run.mjs", import.meta.url));
  const { status } = spawnSync(process.execPath, [launcher, "bundle"], { stdio: "inherit" });
  if (status !== 0) throw new Error("the packages could not be built");
};
