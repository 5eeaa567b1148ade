/**
 * Compiles what a program can import from the installed packages: strictly, with the types of all
 * libraries (`skipLibCheck: false`), with several compilers and for each way to resolve modules.
 * The compilers are installed in the same folder, so that there is one installation for all.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** The names in `node_modules` with what npm installs there. The first is the usual one of the folder. */
export const compilers = {
  typescript: "5.9.3",
  "typescript-6": "npm:typescript@6.0.3",
  "typescript-7": "npm:typescript@7.0.2",
};

/** In CommonJS, `node16` can import what has a form of its own for it, and `nodenext` modules as well. */
const resolutions = {
  node16: { options: { module: "node16" }, include: ["*.ts", "required.cts"] },
  nodenext: { options: { module: "nodenext" }, include: ["*.ts", "required.cts", "required-modules.cts"] },
  bundler: { options: { module: "esnext", moduleResolution: "bundler" }, include: ["*.ts"] },
};

/**
 * The oldest compiler with the strictest resolution, and the newest, which is ten times as fast, with
 * each. All nine pairs are for the long run.
 */
const short = ["typescript nodenext", "typescript-7 node16", "typescript-7 nodenext", "typescript-7 bundler"];

const compilerOptions = {
  target: "es2023",
  lib: ["es2023", "dom"],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  types: ["node"],
};

const requiring = (doors) =>
  doors.map((door, at) => `import door${at} = require("${door}");\nvoid door${at};`).join("\n");

/**
 * `doors` are the names to import, `requirable` those of them with a form for CommonJS. Files of
 * TypeScript that lie in `folder` already are compiled with them. `modules` has the compilers.
 * @throws Error after the messages of the compiler.
 */
export const compileDoors = ({ folder, modules, doors, requirable, isLong }) => {
  const imports = doors.map((door, at) => `import * as door${at} from "${door}";\nvoid door${at};`);
  writeFileSync(join(folder, "doors.ts"), imports.join("\n"));
  writeFileSync(join(folder, "required.cts"), requiring(requirable));
  writeFileSync(join(folder, "required-modules.cts"), requiring(doors));
  for (const compiler of Object.keys(compilers)) {
    for (const [name, { options, include }] of Object.entries(resolutions)) {
      if (!isLong && !short.includes(`${compiler} ${name}`)) continue;
      const project = join(folder, `tsconfig.${name}.json`);
      writeFileSync(project, JSON.stringify({ compilerOptions: { ...compilerOptions, ...options }, include }));
      const began = performance.now();
      const program = join(modules, compiler, "bin", "tsc");
      const { status } = spawnSync(process.execPath, [program, "-p", project], { cwd: folder, stdio: "inherit" });
      if (status !== 0) throw new Error(`The packages do not compile with ${compiler} and ${name}.`);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const version = compilers[compiler].replace(/^.*@/, "");
      process.stdout.write(`The types compile with TypeScript ${version} and ${name}: ${seconds} s.\n`);
    }
  }
};
