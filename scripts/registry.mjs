/**
 * Packs the packages, which are built already, and serves them as a registry until Ctrl-C: a project
 * elsewhere installs them as it will install a release.
 *   node scripts/registry.mjs
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packAll, serveRegistry } from "./packed.mjs";

const folder = mkdtempSync(join(tmpdir(), "postern-registry-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit());
const { address } = await serveRegistry(packAll(folder));
process.stdout.write(`In another terminal, so that npm takes Postern's packages from here:
  export npm_config_registry=${address}
  npm create postern@latest my-app --yes
`);
