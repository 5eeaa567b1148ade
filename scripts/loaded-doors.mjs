/** Loads the installed packages as a module and as CommonJS, on several versions of Node. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Doors that have types alone. */
const ofTypes = ["@postern/client/internal"];

/**
 * `doors` are the names to import, `nodes` the programs to try.
 * @throws Error if a name cannot be loaded, or if `require` gives other exports than `import`.
 */
export const loadDoors = ({ folder, doors, nodes }) => {
  const list = JSON.stringify(doors.filter((door) => !ofTypes.includes(door)));
  const program = join(folder, "load.mjs");
  writeFileSync(
    program,
    `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const names = (exported) => Object.keys(exported).filter((name) => name !== "__esModule").sort().join();
for (const door of ${list}) {
  const imported = names(await import(door));
  const required = names(require(door));
  if (imported === "" || imported !== required) throw new Error(\`\${door}: import gives \${imported}, require \${required}\`);
}
process.stdout.write(process.versions.node);
`,
  );
  const versions = nodes.map((node) =>
    // Node 20 and 22 warn that they require modules.
    execFileSync(node, ["--no-warnings", program], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  process.stdout.write(
    `${doors.length - ofTypes.length} doors give the same by import and by require on Node ${versions.join(", ")}.\n`,
  );
};
