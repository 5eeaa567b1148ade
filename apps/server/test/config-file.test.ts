import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as app from "@postern/app";
import { defaultSettings } from "@postern/app";
import * as core from "@postern/core";
import * as rest from "@postern/rest";
import { compose, loadConfigFile, readConfig } from "@postern/server";
import { schemes } from "@postern/webhook-verifier/schemes";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { boundsOf } from "../src/bounds.ts";
import { allConfigModules, configModules } from "../src/config-modules.ts";
import * as forConfiguration from "../src/for-configuration.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "postern-config-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const load = (text: string, name = "postern.config.mjs") => {
  writeFileSync(join(directory, name), text);
  return loadConfigFile(undefined, directory);
};

describe("a configuration file", () => {
  test("can import what the documentation shows, and the modules of its own project", async () => {
    const own = join(directory, "node_modules/our-senders");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "package.json"), '{ "name": "our-senders", "main": "index.js" }');
    writeFileSync(join(own, "index.js"), 'exports.secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZg==";');
    const file = await load(
      `import { z } from "zod";
       import zod from "zod";
       import { defineConfig, on } from "@postern/server";
       import { createVerifier } from "@postern/webhook-verifier";
       import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
       import { stripe } from "@postern/webhook-verifier/schemes/stripe";
       import { secret } from "our-senders";
       createVerifier(stripe, { keys: "whsec_0123456789abcdef0123456789abcdef" });
       const schema = zod.object({ amount: z.number() });
       export default defineConfig({
         providers: { acme: { scheme: standardWebhooks, secret } },
         handlers: [on("acme", "paid", async ({ data }) => void data.amount, { schema })],
         http: { maxConnections: 100 },
       });`,
      "postern.config.ts",
    );
    expect(file.handlers).toHaveLength(1);
    expect(file.providers).toHaveProperty("acme");
  });

  test("can import everything that it may use from one place", () => {
    const missing = Object.entries({ app, core, rest }).map(([name, module]) => [
      name,
      Object.keys(module)
        .filter((one) => !(one in forConfiguration))
        .toSorted(),
    ]);
    // These are for applications that put the parts together themselves.
    expect(Object.fromEntries(missing)).toMatchInlineSnapshot(`
      {
        "app": [
          "createApp",
          "defaultSettings",
          "hasAdmin",
          "readPublishedKeys",
          "resealSecondFactors",
          "resealSigningKeys",
          "resourcesOfParts",
          "signingKeysOpen",
        ],
        "core": [
          "DeclarationError",
        ],
        "rest": [
          "alwaysShown",
          "builtInRoles",
          "challenge",
          "changeLogMarkdown",
          "createApi",
          "createRow",
          "createSchema",
          "defaultApiSettings",
          "defaultLimit",
          "defaultLimits",
          "escapeHtml",
          "fieldsParameter",
          "hasSignedInRecently",
          "idOf",
          "includesScope",
          "isAdmin",
          "keyedList",
          "limitsOf",
          "listOf",
          "marks",
          "networkOf",
          "newestOf",
          "openApiDifferences",
          "pageParameters",
          "pageStart",
          "pathParameters",
          "presentPage",
          "principalOf",
          "readOnlyFields",
          "resourceOperations",
          "rowSchema",
          "scopeFor",
          "signInTooOld",
          "tableEntry",
          "versionOf",
        ],
      }
    `);
    for (const one of [app, core, rest]) {
      for (const [name, value] of Object.entries(forConfiguration)) {
        if (name in one) expect(Reflect.get(one, name)).toBe(value);
      }
    }
  });

  test("can import every scheme by its own path", async () => {
    const [modules, all] = [configModules([]), await allConfigModules([])];
    for (const [name, scheme] of Object.entries(schemes)) {
      const specifier = `@postern/webhook-verifier/schemes/${name}`;
      expect(Object.values((await modules[specifier]) ?? {})).toEqual([scheme]);
      expect(Object.values(all[specifier] ?? {})).toEqual([scheme]);
    }
    expect(Object.keys(all).toSorted()).toEqual(Object.keys(modules).toSorted());
  });

  test("can import schemes in files that it imports, and with `require`", async () => {
    const secret = "0123456789abcdef0123456789abcdef";
    writeFileSync(
      join(directory, "senders.ts"),
      `import { github } from "@postern/webhook-verifier/schemes/github";
       export { stripe } from "@postern/webhook-verifier/schemes/stripe";
       export const secret: string = github.name + "${secret}";`,
    );
    writeFileSync(
      join(directory, "older.cjs"),
      `const { slack } = require("@postern/webhook-verifier/schemes/slack");
       const { schemes } = require("@postern/webhook-verifier/schemes");
       module.exports = { slack, shopify: schemes.shopify };`,
    );
    const lines = [
      'import { stripe, secret } from "./senders.ts";',
      'const { linear } = await import("@postern/webhook-verifier/schemes/linear");',
    ];
    const senders = "stripe: { scheme: stripe, secret }, linear: { scheme: linear, secret }";
    const imported = await load([...lines, `export default { providers: { ${senders} } };`].join("\n"));
    expect(imported.providers).toMatchObject({
      stripe: { scheme: schemes.stripe, secret: `github${secret}` },
      linear: { scheme: schemes.linear },
    });
    const older = "slack: { scheme: older.slack, secret }, shopify: { scheme: older.shopify, secret }";
    const required = await load(
      [...lines, 'import older from "./older.cjs";', `export default { providers: { ${senders}, ${older} } };`].join(
        "\n",
      ),
      "postern.config.ts",
    );
    expect(required.providers).toMatchObject({
      stripe: { scheme: schemes.stripe },
      slack: { scheme: schemes.slack },
      shopify: { scheme: schemes.shopify },
    });
  });

  test.each([
    ["mjs", "export const handlers = [];"],
    ["mjs", "({ handlers: [] });"],
    ["mjs", "export default undefined;"],
    ["ts", "export const handlers: string[] = [];"],
    ["ts", "({ handlers: [] });"],
  ])("is refused without a default export (%s: %s)", async (ending, text) => {
    await expect(load(text, `postern.config.${ending}`)).rejects.toThrow(
      /postern\.config\.\w+ has no default export: write `export default defineConfig/,
    );
  });

  test.each([
    ["js", "module.exports = { handlers: [] };"],
    ["js", "exports.handlers = [];"],
    ["ts", "module.exports = { handlers: [] };"],
    ["ts", "export const more = 1; export default { handlers: [] };"],
  ])("may be a CommonJS module or export more (%s: %s)", async (ending, text) => {
    expect(await load(text, `postern.config.${ending}`)).toMatchObject({ handlers: [] });
  });

  test("may be empty in its default export", async () => {
    expect(await load("export default {};", "postern.config.ts")).toEqual({});
  });

  test("runs once", async () => {
    const counted = await load(
      "globalThis.loadedTimes = (globalThis.loadedTimes ?? 0) + 1; export default { limits: { requestsAtOnce: globalThis.loadedTimes } };",
    );
    expect(counted).toMatchObject({ limits: { requestsAtOnce: 1 } });
  });

  test("names the module that it cannot find", async () => {
    await expect(
      load('import { x } from "@postern/webhook-verifier/schemes/stirpe"; export default {};'),
    ).rejects.toThrow(/could not be loaded.*stirpe/);
  });

  test("is refused with each name that its modules do not export, wherever it is used", async () => {
    const own = join(directory, "own.ts");
    writeFileSync(
      own,
      'import { eqals, type Row } from "@postern/server"; export const late = (row: Row) => eqals("id", String(row.id));',
    );
    const loading = load(
      `import { defineConfig, on, alllRows, shedule, PosternConfig } from "@postern/server";
       import { stirpe } from "@postern/webhook-verifier/schemes/stripe";
       import { late } from "./own.ts";
       const handlers = [on("demo", "*", async () => void [alllRows("why"), late, stirpe])];
       const config: PosternConfig = { handlers, schedules: [shedule] };
       export default defineConfig(config);`,
      "postern.config.ts",
    );
    const file = join(directory, "postern.config.ts");
    await expect(loading).rejects.toMatchObject({
      faults: [
        `${file}: "@postern/server" does not export "alllRows"; did you mean "allRows"?`,
        `${file}: "@postern/server" does not export "shedule"; did you mean "schedule"?`,
        `${file}: "@postern/webhook-verifier/schemes/stripe" does not export "stirpe"; did you mean "stripe"?`,
        `${own}: "@postern/server" does not export "eqals"; did you mean "equals"?`,
      ],
    });
  });

  test("is refused with a resource that was not made by its function", async () => {
    await expect(load('export default { resources: [{ name: "task" }, null, {}] };')).rejects.toMatchObject({
      faults: [0, 1, 2].map((index) => `resources[${index}]: make it with defineResource`),
    });
  });

  test("is refused with all faults of its declarations and settings at once, and where they are declared", async () => {
    const loading = load(`
      import { defineResource, on, ownedBy, reference, text } from "@postern/server";
      const own = ownedBy("user_idd");
      export default {
        providers: { stripe: { secrte: "never-shown" } },
        routes: [{ provider: "stripe", too: "log" }],
        handlers: [on("stripe", "a", async () => {}, { timeoutMs: "5s" }), on("stripe", "b", 7)],
        resources: [defineResource({
          name: "task", plural: "tasks", description: "A task.",
          fields: { user_id: reference("user", { onDelete: "cascade", description: "Whose." }), title: text(9, { description: "x", fliter: "everyone" }) },
          owner: "user_id", access: { read: own, update: ownedBy("user_id"), delete: ownedBy("user_id") },
        })],
        queues: { mail: { concurency: 1 } },
        shedules: [],
      };`);
    const { faults } = await loading.then(
      () => ({ faults: [] }),
      (thrown: { faults: readonly string[] }) => thrown,
    );
    const places = faults.map((fault) => / \((\/.*\/)?postern\.config\.\w+:(\d+)\)$/.exec(fault)?.[2]);
    expect(places.slice(0, 4)).toEqual(["7", "7", "8", "8"]);
    expect(faults.map((fault) => fault.replace(/ \([^ ]*:\d+\)$/, ""))).toEqual([
      expect.stringContaining('handler "stripe:a": "timeoutMs" must be a whole number of milliseconds'),
      'handler "stripe:b": "handle" must be a function, not 7',
      'resource "task", field "title": there is no option "fliter"; did you mean "filter"?',
      'resource "task", access.read: there is no field "user_idd"; did you mean "user_id"?',
      'the configuration file: there is no option "shedules"; did you mean "schedules"?',
      'providers.stripe: there is no option "secrte"; did you mean "secret"?',
      expect.stringContaining('routes[0]: there is no option "too"'),
      'routes[0]: "to" is missing; it must be "log" or { url: "https://…", secret: "whsec_…" }',
      'queues.mail: there is no option "concurency"; did you mean "concurrency"?',
    ]);
  });

  test("is refused with all faults of objects written by hand", async () => {
    const file = await load('export default { handlers: [{}, { name: "mine", provider: "strpe", type: "*" }] };');
    const config = readConfig({ DATABASE_URL: `sqlite:${join(directory, "postern.db")}` }, false);
    await expect(compose(config, file)).rejects.toThrow(
      /handlers\[0\]: "handle" is missing.*no sender "strpe"; did you mean/s,
    );
  });

  test("sets quotas and the bounds of the API", async () => {
    const file = await load(
      `export default {
         quotas: { posts: { rows: 10_000, bytes: "50MB" }, comments: { bytes: 2048 } },
         limits: { sessionSeconds: 60, sessionMostSeconds: 600, requestsAtOnce: 2,
           rates: { default: { limit: 5, windowMs: 1_000 } }, statementMs: 500 },
         http: { memoryLimitBytes: 8_000_000 },
       };`,
    );
    const config = readConfig({ DATABASE_URL: `sqlite:${join(directory, "postern.db")}` }, false);
    await (await compose(config, file)).close();
    await expect(compose(config, { quotas: { pots: { rows: 1 } } })).rejects.toThrow(
      /quotas\.pots: there is no resource/,
    );
    expect(boundsOf(file)).toEqual({
      quotas: { posts: { rows: 10_000, bytes: 50_000_000 }, comments: { bytes: 2048 } },
      answerBounds: { bytes: 1_000_000, rows: 10_000 },
      answersBytes: 4_000_000,
      exportBytes: 1_000_000,
      requestsAtOnce: 2,
      sessionSeconds: 60,
      sessionMostSeconds: 600,
      limits: { ...defaultSettings.limits, default: { limit: 5, windowMs: 1_000 } },
    });
  });

  test("refuses quotas and bounds that make no sense", async () => {
    const text = `export default {
      quotas: { posts: { rows: 0, bytes: "many", pages: 1 } },
      limits: { statementMs: -1, statements: 5, rates: { defualt: { limit: 1, windowMs: 1 }, address: { limit: 0 } } },
    };`;
    const faults = await load(text).catch(({ problems, message }) => problems ?? [message]);
    const all = faults.join("\n");
    for (const fault of [
      /quotas\.posts.*rows/,
      /quotas\.posts.*bytes.*50MB/,
      /quotas\.posts.*pages/,
      /limits.*statementMs/,
      /limits.*statements/,
      /limits\.rates.*defualt.*default/,
      /limits\.rates\.address.*limit/,
      /limits\.rates\.address.*windowMs.*missing/,
    ]) {
      expect(all).toMatch(fault);
    }
  });
});
