/**
 * Looks at what npm has installed for a new project: how large it is, under which licences it stands
 * (from a list of all components, a CycloneDX document), and whether the registry knows weaknesses.
 */
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const windows = process.platform === "win32";
const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** The most that an installation may weigh with everything below it, in MB of 1,000,000 bytes. */
const boundsMb = { "@postern/webhook-verifier": 3, "@postern/core": 12, postern: 64 };

/** Where Node finds a package from a folder; `undefined` if it is not installed. */
const folderOf = (name, from) => {
  const found = join(from, "node_modules", name);
  if (existsSync(join(found, "package.json"))) return realpathSync(found);
  return dirname(from) === from ? undefined : folderOf(name, dirname(from));
};

/** The bytes of the files of one package, without packages that are nested in it. */
const bytesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .reduce((sum, entry) => {
      const path = join(folder, entry.name);
      return sum + (entry.isDirectory() ? bytesIn(path) : lstatSync(path).size);
    }, 0);

/** The folders of a package and of all that it needs, as they are installed on this system. */
const foldersBelow = (folder, seen = new Set()) => {
  if (seen.has(folder)) return seen;
  seen.add(folder);
  const { dependencies, optionalDependencies } = manifestIn(folder);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = folderOf(name, folder);
    if (found !== undefined) foldersBelow(found, seen);
  }
  return seen;
};

/** @throws Error if a package weighs more than its bound. */
const checkSizes = (project) => {
  for (const [name, bound] of Object.entries(boundsMb)) {
    const folders = [...foldersBelow(folderOf(name, project))];
    const size = folders.reduce((sum, folder) => sum + bytesIn(folder), 0) / 1e6;
    const said = `${name} with all below it: ${size.toFixed(1)} MB in ${folders.length} packages, at most ${bound} MB.\n`;
    process.stdout.write(said);
    if (size > bound) throw new Error(`An installation has grown: ${said}`);
  }
};

const npm = (args, { project, env }) =>
  spawnSync("npm", args, { cwd: project, env, encoding: "utf8", shell: windows, maxBuffer: 64 * 1024 * 1024 });

/**
 * All components, in CycloneDX's format.
 * @throws Error if one has a licence that is not in `licences.json`.
 */
const checkComponents = ({ project, env, sbom }) => {
  const { status, stdout, stderr } = npm(["sbom", "--sbom-format=cyclonedx", "--omit=dev"], { project, env });
  if (status !== 0) throw new Error(`npm could not list the components: ${stderr}`);
  const { components, specVersion } = JSON.parse(stdout);
  const { free, chosen } = JSON.parse(readFileSync(new URL("licences.json", import.meta.url), "utf8"));
  const licenceOf = ({ licenses = [] }) =>
    licenses.map(({ license, expression }) => expression ?? license.id ?? license.name).join(" and ") || "none";
  const others = components.filter((component) => ![...free, ...chosen].includes(licenceOf(component)));
  if (others.length > 0) {
    throw new Error(`Not in licences.json: ${others.map((one) => `${one.name}: ${licenceOf(one)}`).join(", ")}`);
  }
  if (sbom !== undefined) writeFileSync(sbom, stdout);
  process.stdout.write(
    `${components.length} components (CycloneDX ${specVersion}), each with a licence that allows any use.\n`,
  );
};

/**
 * What `npm audit` says. A registry that answers no audits is no error, unless
 * `POSTERN_REQUIRE_AUDIT=1` says that it must.
 * @throws Error for a known weakness.
 */
const checkWeaknesses = ({ project, env }) => {
  const { stdout } = npm(["audit", "--omit=dev", "--json"], { project, env });
  const { metadata, vulnerabilities, message } = JSON.parse(stdout);
  if (metadata === undefined) {
    const said = `npm audit: left out, because the registry answers no audits (${String(message).split(" - ")[0]}).\n`;
    if (process.env.POSTERN_REQUIRE_AUDIT === "1") throw new Error(said);
    process.stdout.write(said);
    return;
  }
  const names = Object.keys(vulnerabilities);
  if (names.length > 0) throw new Error(`npm audit knows weaknesses of ${names.join(", ")}.`);
  process.stdout.write("npm audit knows no weakness.\n");
};

/**
 * `project` is a folder in which the packages are installed without anything else, `env` has the npm
 * to use. Writes the list of components into the file `sbom`, if it is given.
 */
export const checkInstalled = (installed) => {
  checkSizes(installed.project);
  checkComponents(installed);
  checkWeaknesses(installed);
};
