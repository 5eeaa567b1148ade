import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { option } from "@postern/core/internal";
import { afterAll, describe, expect, test } from "vitest";
import { docstringsIn, memberRows, settingsPage, variableRows } from "../scripts/settings-page.ts";
import { readConfig } from "../src/config.ts";
import { configFileFaults } from "../src/config-file.ts";
import { readOptions } from "../src/embedded-config.ts";
import { readEnvironment, variablesOf } from "../src/settings/read-environment.ts";
import { senderSettings, senderVariables } from "../src/settings/senders.ts";
import { choice, count, faultsIn, group, needed, type Setting, type Table, text } from "../src/settings/setting.ts";
import { fileSettings, serverSettings, sharedSettings } from "../src/settings/settings.ts";
import { settingsOf, shownOf } from "../src/settings-in-effect.ts";

const directory = mkdtempSync(join(tmpdir(), "postern-settings-"));
afterAll(() => rmSync(directory, { recursive: true }));

const key = Buffer.alloc(32, 7).toString("base64");

/** What a text of the environment means, and a text and a value that mean nothing. */
interface Sample {
  readonly written: string;
  readonly value: unknown;
  readonly wrongText: string;
  readonly wrongValue: unknown;
}

/** Samples of settings whose texts have a form of their own. Bounds and words have theirs in the rule. */
const samples: Readonly<Record<string, Sample>> = {
  database: {
    written: "postgres://u:hunter22@localhost/a",
    value: "postgres://u:hunter22@localhost/a",
    wrongText: "oracle://hunter22",
    wrongValue: "mongodb://hunter22",
  },
  livenessUrl: {
    written: "postgres://u:hunter22@localhost/a",
    value: "postgres://u:hunter22@localhost/a",
    wrongText: "mysql://hunter22",
    wrongValue: 7,
  },
  adminAddresses: {
    written: "192.0.2.0/24, ::1",
    value: ["192.0.2.0/24", "::1"],
    wrongText: "here",
    wrongValue: "192.0.2.1",
  },
  securityContacts: {
    written: "mailto:a@b.example,https://a.example",
    value: ["mailto:a@b.example", "https://a.example"],
    wrongText: "a@b.example",
    wrongValue: ["a@b.example"],
  },
  metricsToken: { written: "hunter22hunter22", value: "hunter22hunter22", wrongText: "hunter22", wrongValue: 7 },
  secretKey: { written: key, value: key, wrongText: "hunter22", wrongValue: "hunter22" },
  previousSecretKeys: { written: `${key}, ${key}`, value: [key, key], wrongText: "hunter22", wrongValue: ["hunter22"] },
  "admin.email": { written: "ada@example.com", value: "ada@example.com", wrongText: "ada", wrongValue: "ada" },
  "admin.password": {
    written: "hunter22hunter22",
    value: "hunter22hunter22",
    wrongText: "hunter2",
    wrongValue: "hunter2",
  },
  "mail.url": {
    written: "smtp://u:hunter22@mail:587",
    value: "smtp://u:hunter22@mail:587",
    wrongText: "http://hunter22",
    wrongValue: "http://hunter22",
  },
  "mail.from": { written: "P <a@b.example>", value: "P <a@b.example>", wrongText: "postern", wrongValue: "postern" },
  defaultVersion: { written: "v2", value: "v2", wrongText: "2", wrongValue: "2" },
  workers: { written: "4", value: 4, wrongText: "1001", wrongValue: 0 },
  basePath: { written: "/postern", value: "/postern", wrongText: "postern/", wrongValue: "postern" },
  publicUrl: {
    written: "https://api.example.com",
    value: "https://api.example.com",
    wrongText: "https://API.example.com",
    wrongValue: "api.example.com",
  },
  corsOrigins: {
    written: "https://a.example, https://*.b.example",
    value: ["https://a.example", "https://*.b.example"],
    wrongText: "*",
    wrongValue: ["https://a.example", "*"],
  },
  corsHeaders: { written: "X-A,X-B", value: ["X-A", "X-B"], wrongText: "a b", wrongValue: ["a b"] },
  alertUrl: {
    written: "https://alerts.example/hunter22",
    value: "https://alerts.example/hunter22",
    wrongText: "ftp://hunter22",
    wrongValue: "hunter22",
  },
  "outsideIssuer.issuer": {
    written: "https://id.example.com/a/",
    value: "https://id.example.com/a/",
    wrongText: "http://id.example.com",
    wrongValue: "id",
  },
  "outsideIssuer.audience": { written: "a,b", value: ["a", "b"], wrongText: "a,,b", wrongValue: [""] },
  "outsideIssuer.internalUrl": { written: "http://id:80/", value: "http://id:80/", wrongText: "id", wrongValue: "id" },
  "outsideIssuer.roleClaim": { written: "role", value: "role", wrongText: "r".repeat(256), wrongValue: "" },
  "outsideIssuer.scopeClaims": { written: "a, b", value: ["a", "b"], wrongText: "a,", wrongValue: [] },
  "outsideIssuer.scopePrefix": { written: "api://", value: "api://", wrongText: "r".repeat(256), wrongValue: 7 },
  "outsideIssuer.fullAccess": { written: "a", value: ["a"], wrongText: ",", wrongValue: "a" },
  "outsideIssuer.trustAddresses": { written: "*", value: "*", wrongText: "a b", wrongValue: "example.com" },
  "outsideIssuer.emailClaim": { written: "mail", value: "mail", wrongText: "r".repeat(256), wrongValue: 7 },
};

/** The samples of a setting: its own, or those that follow from bounds and words in its rule. */
const samplesOf = (path: string, { says }: Setting): readonly Sample[] => {
  const own = samples[path];
  if (own !== undefined) return [own];
  if (says === option.aText.says) return [{ written: "a.b", value: "a.b", wrongText: "", wrongValue: 7 }];
  const [, least, most] = /^a whole number.*? from (\d+) to (\d+)$/.exec(says) ?? [];
  if (least !== undefined && most !== undefined)
    return [
      { written: least, value: Number(least), wrongText: `${Number(most) + 1}`, wrongValue: Number(most) + 1 },
      { written: most, value: Number(most), wrongText: "1.5", wrongValue: 1.5 },
      { written: most, value: Number(most), wrongText: "many", wrongValue: most },
      { written: least, value: Number(least), wrongText: `${Number(least) - 1}`, wrongValue: Number(least) - 1 },
    ];
  const words = [...says.matchAll(/"([a-z]+)"/g)].map(([, word = ""]) => word);
  if (words.length < 2) throw new TypeError(`${path} needs a sample here`);
  return words.map((word) => ({ written: word, value: word, wrongText: "neither", wrongValue: "neither" }));
};

const { outsideIssuer } = fileSettings;
const table: Table = { ...serverSettings, ...sharedSettings, outsideIssuer };

const at = (path: string, given: unknown): unknown =>
  path.split(".").reduce<unknown>((value, member) => Object(value)[member], given);

/** An object with a value at a path: `{ mail: { url } }`. */
const objectWith = (path: string, value: unknown): object => {
  const [first = "", ...rest] = path.split(".");
  return { [first]: rest.length === 0 ? value : objectWith(rest.join("."), value) };
};

/** What else a group needs. */
const companions = (path: string, as: "variables" | "object"): object => {
  const [group = ""] = path.split(".");
  const members = table[group]?.members ?? {};
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, { required }]) => required === true)
      .map(([member, setting]) => {
        const { env = "" } = setting;
        const [{ written, value } = { written: "", value: "" }] = samplesOf(`${group}.${member}`, setting);
        return as === "variables" ? [env, written] : [member, value];
      }),
  );
};

const faultsOf = (read: () => unknown): readonly string[] => {
  try {
    read();
    return [];
  } catch (thrown) {
    return (thrown as { faults: readonly string[] }).faults;
  }
};

describe.each(variablesOf(table).map(([path, setting]) => [path, setting] as const))(
  "the setting %s",
  (path, setting) => {
    const [group = "", member] = path.split(".");
    const place = member === undefined ? "openPostern" : group;
    const name = member ?? group;
    const isOption = group in sharedSettings;
    const inFile = group in fileSettings;
    const optionsWith = (value: unknown): object => {
      const own = objectWith(path, value);
      return member === undefined ? own : { [group]: { ...companions(path, "object"), ...Object(at(group, own)) } };
    };

    test("has the same value from each place that sets it", () => {
      for (const { written, value } of samplesOf(path, setting)) {
        const given = { ...companions(path, "variables"), [setting.env]: written };
        const { values, faults } = readEnvironment(given, table);
        expect([at(path, values), faults]).toEqual([value, []]);
        if (isOption) {
          const { config } = readOptions({
            database: "sqlite:a.db",
            publicUrl: "https://a.example",
            ...optionsWith(value),
          });
          expect(at(path, config)).toEqual(value);
        }
        if (inFile) {
          expect(configFileFaults(optionsWith(value))).toEqual([]);
          expect(at(path, readOptions({ database: "sqlite:a.db", ...optionsWith(value) }).file)).toEqual(value);
        }
      }
    });

    test("is refused in the words of the person who wrote it", () => {
      for (const { wrongText, wrongValue } of samplesOf(path, setting)) {
        if (wrongText !== "") {
          const faults = faultsOf(() =>
            readConfig({ ...companions(path, "variables"), [setting.env]: wrongText }, false),
          );
          // Other faults may name what the setting needs besides.
          expect(faults).toContain(`${setting.env} must be ${setting.written}.`);
        }
        if (!isOption && !inFile) continue;
        const options = { database: "sqlite:a.db", ...optionsWith(wrongValue) };
        const [fault = "", ...others] = faultsOf(() => readOptions(options));
        expect(others).toEqual([]);
        expect(fault).toContain(`${place}: "${name}" must be ${setting.says}`);
        expect(fault).not.toMatch(/POSTERN_|DATABASE_URL/);
        if (setting.secret === true) expect(fault).not.toContain("hunter2");
        if (inFile) expect(configFileFaults(optionsWith(wrongValue))).toEqual([fault]);
      }
    });

    test("is shown with what sets it, and never if it is secret", () => {
      for (const { written } of samplesOf(path, setting)) {
        const { variables } = readEnvironment({ ...companions(path, "variables"), [setting.env]: written }, table);
        const shown = variables.find((one) => one.path === path);
        const secret = setting.secret === true;
        expect(shown).toMatchObject({ name: setting.env, secret, variable: setting.env });
        if (secret) expect(shown?.value).toBe("set");
        expect(JSON.stringify(variables)).not.toMatch(/hunter22|BwcHBwcH/);
      }
    });
  },
);

const secrets = variablesOf(table).filter(([, { secret }]) => secret === true);

test.each(secrets.map(([path, setting]) => [path, setting] as const))(
  "the secret %s can be in a file",
  (path, setting) => {
    const file = join(directory, "secret");
    const [{ written, value } = { written: "", value: "" }] = samplesOf(path, setting);
    writeFileSync(file, `${written}\n`);
    const given = { ...companions(path, "variables"), [setting.env]: undefined, [`${setting.env}_FILE`]: file };
    const { values, variables, faults } = readEnvironment(given, table);
    expect([at(path, values), faults]).toEqual([value, []]);
    expect(variables.find((one) => one.path === path)?.variable).toBe(`${setting.env}_FILE`);
  },
);

describe("the settings of a sender", () => {
  test("are the same in the environment and in the file", () => {
    const { senders, faults } = readEnvironment(
      {
        WEBHOOK_MY_SHOP_SCHEME: "github",
        WEBHOOK_MY_SHOP_SECRET: "a secret of one, a secret of two",
        WEBHOOK_MY_SHOP_ALLOW_SHORT: "1",
        WEBHOOK_MY_SHOP_HEADERS: "X-Shop, x-acme-*",
        WEBHOOK_MY_SHOP_REPLAY_ON_RESEND: "0",
        WEBHOOK_MY_SHOP_DEDUPE: "body",
        WEBHOOK_MY_SHOP_DEDUPE_WINDOW: "10m",
      },
      table,
    );
    expect(faults).toEqual([]);
    expect(senders).toEqual({
      "my-shop": {
        scheme: "github",
        secret: ["a secret of one", "a secret of two"],
        allowShort: true,
        headers: ["x-shop", "x-acme-*"],
        replayOnResend: false,
        dedupe: { by: "body", windowSeconds: 600 },
      },
    });
    expect(configFileFaults({ providers: senders })).toEqual([]);
  });

  test("are refused in the words of the person who wrote them", () => {
    const { faults } = readEnvironment(
      {
        WEBHOOK_A_SECRET: "s",
        WEBHOOK_A_ALLOW_SHORT: "yes",
        WEBHOOK_A_DEDUPE: "name",
        WEBHOOK_A_DEDUPE_WINDOW: "soon",
        WEBHOOK_A_SECRETT: "s",
        WEBHOOK_B_HEADERS: "x",
      },
      table,
    );
    expect(faults).toEqual([
      expect.stringMatching(/^WEBHOOK_A_SECRETT is not a setting: use WEBHOOK_<NAME>_ with SCHEME, SECRET, /),
      "WEBHOOK_A_ALLOW_SHORT must be 1 or 0.",
      "WEBHOOK_A_DEDUPE must be id, body or none.",
      "WEBHOOK_A_DEDUPE_WINDOW must be seconds above 0, or a number with s, m, h or d, such as 10m.",
      "WEBHOOK_A_DEDUPE_WINDOW needs WEBHOOK_A_DEDUPE=body.",
      "WEBHOOK_B_HEADERS is set, but no key: set WEBHOOK_B_SECRET or WEBHOOK_B_PUBLIC_KEY.",
    ]);
    expect(configFileFaults({ providers: { a: { allowShort: "yes", secret: 7 } } })).toEqual([
      'providers.a: "secret" must be a text or a list of texts',
      'providers.a: "allowShort" must be true or false, not "yes"',
    ]);
  });
});

/** A table as a newcomer would extend it. Nothing else in the code knows of its entries. */
const added = {
  /** How many ducks swim on the pond. */
  ducks: count(1, 9)({ env: "POSTERN_DUCKS", default: 3 }),
  /** The word that opens the gate. @defaultValue no gate */
  password: text({ env: "POSTERN_PASSWORD", secret: true }),
  pond: group({
    /** Where the pond is. */
    place: needed(choice("garden", "park")({ env: "POSTERN_POND_PLACE" })),
    /** How deep it is, in metres. */
    depth: count(1, 20)({ env: "POSTERN_POND_DEPTH" }),
  }),
};

test("one entry is read, refused, shown and documented everywhere", () => {
  const { values, faults, variables } = readEnvironment(
    { POSTERN_DUCKS: "5", POSTERN_PASSWORD: "hunter22", POSTERN_POND_PLACE: "park" },
    added,
  );
  expect([values, faults]).toEqual([{ ducks: 5, password: "hunter22", pond: { place: "park" } }, []]);
  expect(variables.map(({ name, value }) => [name, value])).toEqual([
    ["POSTERN_DUCKS", 5],
    ["POSTERN_PASSWORD", "set"],
    ["POSTERN_POND_PLACE", "park"],
    ["POSTERN_POND_DEPTH", undefined],
  ]);
  const wrong = { POSTERN_DUCKS: "10", POSTERN_DUKCS: "1", POSTERN_POND_DEPTH: "2" };
  expect(readEnvironment(wrong, added).faults).toEqual([
    'POSTERN_DUKCS is not a setting of this server; did you mean "POSTERN_DUCKS"?',
    "POSTERN_DUCKS must be a whole number from 1 to 9.",
    "POSTERN_POND_DEPTH needs POSTERN_POND_PLACE.",
  ]);
  for (const place of ["openPostern", "the configuration file"]) {
    expect(faultsIn(place, { ducks: 5, password: "hunter22", pond: { place: "park" } }, added, "")).toEqual([]);
    expect(faultsIn(place, { ducks: 0, password: 7, dukcs: 1, pond: { depth: 21 } }, added, "")).toEqual([
      `${place}: there is no option "dukcs"; did you mean "ducks"?`,
      `${place}: "ducks" must be a whole number from 1 to 9, not 0`,
      `${place}: "password" must be a text that is not empty`,
      'pond: "place" is missing; it must be "garden" or "park"',
      'pond: "depth" must be a whole number from 1 to 20, not 21',
    ]);
  }
  expect(
    shownOf(added, { ducks: 5, password: "hunter22" }).map(({ name, value, origin }) => [name, value, origin]),
  ).toEqual([
    ["ducks", 5, "file"],
    ["password", "set", "file"],
    ["pond.place", null, "default"],
    ["pond.depth", null, "default"],
  ]);
  const docstrings = docstringsIn(readFileSync(fileURLToPath(import.meta.url), "utf8"));
  expect(variableRows("added", added, docstrings, true)).toEqual([
    "| `POSTERN_DUCKS` | `ducks` | `3` | How many ducks swim on the pond. |",
    "| `POSTERN_PASSWORD` | `password` | no gate | The word that opens the gate. |",
    "| `POSTERN_POND_PLACE` | `pond.place` | none | Where the pond is. |",
    "| `POSTERN_POND_DEPTH` | `pond.depth` | none | How deep it is, in metres. |",
  ]);
  expect(memberRows("added", added, docstrings)[0]).toBe("| `ducks` | How many ducks swim on the pond. |");
});

test("all faults of an environment are told at once, also those of settings that need each other", () => {
  const given = { PORT: "http", POSTERN_SIGNUP_CONFIRM: "on", POSTERN_TLS_KEY: "a.pem", WEBHOOK_A_SCHEME: "github" };
  expect(faultsOf(() => readConfig(given, false))).toEqual([
    "PORT must be a whole number from 0 to 65535.",
    "POSTERN_TLS_CERT and POSTERN_TLS_KEY go together.",
    "WEBHOOK_A_SCHEME is set, but no key: set WEBHOOK_A_SECRET or WEBHOOK_A_PUBLIC_KEY.",
    "POSTERN_SIGNUP_CONFIRM=on needs POSTERN_SMTP_URL: without mail, nobody can verify an address.",
  ]);
});

describe("the configuration file", () => {
  test("shows only the names of declarations", () => {
    const shown = settingsOf(
      readConfig({}, false),
      {
        providers: { github: "hunter22", acme: { scheme: "github", secret: "hunter22" } },
        routes: [{ to: { url: "https://a.example/hunter22", secret: "hunter22" } }],
        meter: { secret: "hunter22" } as never,
      },
      directory,
    );
    expect(JSON.stringify(shown)).not.toContain("hunter22");
    expect(shown.find(({ name }) => name === "providers")?.value).toEqual(["github", "acme"]);
  });
});

describe("docs/configuration.md", () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

  test("has the tables that the settings make: node --conditions=@postern/source --import tsx apps/server/scripts/settings.ts", () => {
    const page = read("../../../docs/configuration.md");
    expect(page).toBe(settingsPage(page, read("../src/settings/settings.ts"), read("../src/settings/senders.ts")));
  });

  test("every setting says what it sets", () => {
    const docstrings = new Map([
      ...docstringsIn(read("../src/settings/settings.ts")),
      ...docstringsIn(read("../src/settings/senders.ts")),
    ]);
    const tables: Readonly<Record<string, Table>> = {
      serverSettings,
      sharedSettings,
      fileSettings,
      senderSettings,
      senderVariables,
    };
    const silent = Object.entries(tables).flatMap(([name, one]) =>
      [...Object.keys(one), ...variablesOf(one).map(([path]) => path)]
        .filter((path) => (docstrings.get(`${name}.${path}`)?.says ?? "") === "")
        .map((path) => `${name}.${path}`),
    );
    expect(silent).toEqual([]);
  });
});
