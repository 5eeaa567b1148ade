/**
 * Packs every package as a release would, installs the tarballs in an empty folder, and compiles
 * there all of their types and the code of the verifier's README, with `skipLibCheck: false`. The
 * compiler and the packages that the README names come from the npm registry. Then it makes a project
 * from them as a new user would.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tryNewProject } from "./new-project.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "postern-tarballs-"));
const windows = process.platform === "win32";

const run = (command, args, cwd) =>
  execFileSync(windows ? `${command}.cmd` : command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: windows,
    maxBuffer: 64 * 1024 * 1024,
  });

const read = (...path) => readFileSync(join(root, ...path), "utf8");

/** Packs a package, and checks that its tarball is whole. */
const pack = (path) => {
  const { name, exports } = JSON.parse(read(path, "package.json"));
  const target = join(folder, "tarballs", path.replaceAll("/", "-"));
  mkdirSync(target, { recursive: true });
  run("pnpm", ["pack", "--pack-destination", target], join(root, path));
  const tarball = join(target, readdirSync(target)[0]);
  const files = run("tar", ["-tzf", tarball], folder).split("\n");
  const missing = ["LICENSE", "README.md", "dist/index.d.ts"].filter((file) => !files.includes(`package/${file}`));
  const maps = files.filter((file) => file.endsWith(".map"));
  if (missing.length > 0 || maps.length > 0)
    throw new Error(`The tarball of ${name} lacks ${missing.join(", ") || "nothing"} and has ${maps.length} maps.`);
  return { name, tarball, exports };
};

/** The names under which a program can import a package. */
const doors = ({ name, exports }) =>
  Object.keys(exports)
    .filter((door) => !/\*|package\.json/.test(door))
    .map((door) => name + door.slice(1));

const blocks = (readme) => [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);

try {
  const folders = [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "apps/server"];
  const packed = folders.map(pack);
  const { devDependencies } = JSON.parse(read("package.json"));
  const named = JSON.parse(read("packages", "webhook-verifier", "package.json")).devDependencies;
  const dependencies = {
    ...Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`])),
    "@types/node": devDependencies["@types/node"],
    typescript: devDependencies.typescript,
    fastify: named.fastify,
    hono: named.hono,
    stripe: named.stripe,
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  run("npm", ["install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"], folder);
  const imports = packed.flatMap(doors).map((door, at) => `import * as door${at} from "${door}";\nvoid door${at};`);
  writeFileSync(join(folder, "doors.ts"), imports.join("\n"));
  for (const [at, code] of blocks(read("packages", "webhook-verifier", "README.md")).entries())
    writeFileSync(join(folder, `readme-${at + 1}.ts`), code);
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023", "dom"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    types: ["node"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  execFileSync(process.execPath, [join("node_modules", "typescript", "bin", "tsc"), "-p", "."], {
    cwd: folder,
    stdio: "inherit",
  });
  process.stdout.write(`${packed.length} tarballs are whole, and compile where nothing else is.\n`);
  await tryNewProject({
    folder,
    tarballs: Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`])),
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
