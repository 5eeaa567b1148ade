import type { SqliteDriverName } from "./driver-names.ts";

/** Why a driver does not work here. */
export interface DriverFailure {
  readonly name: SqliteDriverName;
  readonly thrown: unknown;
}

/** The versions of Node and of the SQLite in it, as `process.versions` has them. */
export interface NodeVersions {
  readonly node: string;
  readonly sqlite?: string;
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const codeOf = (thrown: unknown): unknown =>
  typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;

export const isMissingPackage = (thrown: unknown): boolean =>
  codeOf(thrown) === "MODULE_NOT_FOUND" || codeOf(thrown) === "ERR_MODULE_NOT_FOUND";

/** The system could not load the binary. Packages that catch that keep its text. */
const hasForeignBinary = ({ thrown }: DriverFailure): boolean =>
  codeOf(thrown) === "ERR_DLOPEN_FAILED" ||
  /NODE_MODULE_VERSION|ELF|file too short|incompatible architecture|mach-o|Win32/i.test(messageOf(thrown));

/** The package is there, and its binary is not. */
const hasNoBinary = ({ thrown }: DriverFailure): boolean => /bindings file|\.node'/.test(messageOf(thrown));

const reasonOf = ({ thrown }: DriverFailure): string =>
  isMissingPackage(thrown) && !/\.node'/.test(messageOf(thrown))
    ? "it is not installed"
    : (messageOf(thrown).split("\n", 1)[0] ?? "").replace(/\s*Tried:\s*$/, "");

const commands = (npm: string, pnpm: string, yarn: string, bun: string): readonly string[] => [
  `  npm:  ${npm}`,
  `  pnpm: ${pnpm}`,
  `  yarn: ${yarn}`,
  `  bun:  ${bun}`,
];

const tools = "a C++ compiler, make and Python 3";

/** What helps, for each package manager. */
const remedy = (failures: readonly DriverFailure[], { node }: NodeVersions): readonly string[] => {
  const foreign = failures.find(hasForeignBinary);
  if (foreign !== undefined) {
    return [
      `The binary of ${foreign.name} is damaged, or was made for another machine or Node. Install again, here:`,
      ...commands(
        "rm -rf node_modules && npm install",
        "rm -rf node_modules && pnpm install",
        "rm -rf node_modules && yarn install",
        "rm -rf node_modules && bun install",
      ),
    ];
  }
  const { name } = failures.find(hasNoBinary) ?? {};
  if (name !== undefined) {
    return [
      `The install script of ${name} was blocked, or it failed. It may need ${tools}. Run it:`,
      ...commands(
        `npm install-scripts approve ${name} && npm rebuild ${name} (npm 10: npm rebuild ${name})`,
        `pnpm approve-builds && pnpm rebuild ${name}`,
        `"dependenciesMeta": {"${name}": {"built": true}} in package.json, then yarn rebuild ${name} (Yarn 1: yarn install --force)`,
        `bun pm trust ${name}`,
      ),
    ];
  }
  if (Number.parseInt(node, 10) < 22) {
    return [
      `Or install ${tools}, and then:`,
      ...commands(
        "npm install better-sqlite3@12",
        "pnpm add --allow-build=better-sqlite3 better-sqlite3@12",
        "yarn add better-sqlite3@12",
        "bun add --trust better-sqlite3@12",
      ),
    ];
  }
  return [
    "Or add a driver that needs no compiler:",
    ...commands(
      "npm install better-sqlite3@13",
      "pnpm add better-sqlite3@13",
      "yarn add better-sqlite3@13",
      "bun add better-sqlite3@13",
    ),
  ];
};

/**
 * Nothing here can open a SQLite file. The message says why each driver failed, and the one line that
 * mends it.
 */
export class NoSqliteDriver extends Error {
  override readonly name = "NoSqliteDriver";
  readonly code = "no_sqlite_driver";

  /** `hasOwn`: whether Node itself has an SQLite that works. */
  constructor(failures: readonly DriverFailure[], versions: NodeVersions, hasOwn: boolean) {
    super(
      [
        failures.length === 1 ? "This driver for SQLite does not work here." : "No driver for SQLite works here.",
        ...failures.map((failure) => `  ${failure.name}: ${reasonOf(failure)}`),
        hasOwn
          ? "Leave `driver` out of the URL: this Node has SQLite itself."
          : "Use Node 24.15 or later, which has SQLite itself.",
        ...remedy(failures, versions),
      ].join("\n"),
    );
  }
}
