/** Packs the packages as a release would, and serves them as a registry does. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const windows = process.platform === "win32";

/** Runs a program of npm and returns what it printed; its errors are shown. */
export const run = (command, args, cwd) =>
  execFileSync(windows ? `${command}.cmd` : command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: windows,
    maxBuffer: 64 * 1024 * 1024,
  });

/** Packs a package into a folder of its own below `folder`, and checks that its tarball is whole. */
const pack = (path, folder) => {
  const { name, exports } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
  const target = join(folder, path.replaceAll("/", "-"));
  mkdirSync(target, { recursive: true });
  run("pnpm", ["pack", "--pack-destination", target], join(root, path));
  const tarball = join(target, readdirSync(target)[0]);
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).split("\n");
  const missing = ["LICENSE", "README.md", "dist/index.d.ts"].filter((file) => !files.includes(`package/${file}`));
  const maps = files.filter((file) => file.endsWith(".map"));
  if (missing.length > 0 || maps.length > 0)
    throw new Error(`The tarball of ${name} lacks ${missing.join(", ") || "nothing"} and has ${maps.length} maps.`);
  const dist = join(root, path, "dist");
  const strange = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".d.ts") && basename(file) !== "internal.d.ts")
    .filter((file) => /["']@postern\/[a-z-]+\/internal["']/.test(readFileSync(join(dist, file), "utf8")));
  if (strange.length > 0) throw new Error(`Public types of ${name} name an /internal: ${strange.join(", ")}.`);
  return { name, tarball, exports };
};

/** Packs every package. Each result has the package's `name`, its `exports` and the path of its `tarball`. */
export const packAll = (folder) =>
  [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "apps/server"].map((path) =>
    pack(path, folder),
  );

/** What a registry says about a package that has one version. */
const documentOf = ({ tarball }, address) => {
  const text = execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" });
  const manifest = JSON.parse(text);
  const { name, version } = manifest;
  const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  const dist = { tarball: `${address}/-/packed/${basename(tarball)}`, integrity };
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
};

/**
 * A registry on this machine that has the packed packages, so that `npm install postern` installs
 * them. It sends npm to its usual registry for all others. Set `npm_config_registry` to its
 * `address`, and call `close` at the end.
 */
export const serveRegistry = async (packed) => {
  const usual = run("npm", ["config", "get", "registry"], root).trim().replace(/\/$/, "");
  let documents = new Map();
  const files = new Map(packed.map(({ tarball }) => [`/-/packed/${basename(tarball)}`, tarball]));
  const server = createServer(({ url = "/" }, response) => {
    const file = files.get(url);
    if (file !== undefined) return response.end(readFileSync(file));
    const known = documents.get(decodeURIComponent(url.slice(1)));
    if (known === undefined) return response.writeHead(307, { location: usual + url }).end();
    // The next run packs other contents under the same version.
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
    return response.end(JSON.stringify(known));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  documents = new Map(packed.map((one) => [one.name, documentOf(one, address)]));
  return { address, close: () => server.close() };
};
