import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtInDeprecations, builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { type Deprecation, openApiDifferences } from "@postern/rest";
import { brokenPromises, writtenOut } from "@postern/rest/internal";
import { describe, expect, test } from "vitest";
import { additions } from "../packages/app/src/generated/additions.ts";
import { additionsBetween, additionsFile } from "./additions.ts";

const app = createApp({ versions: builtInVersions, ports: memoryPorts() });
const today = Date.now();

const contractPath = (version: string): string =>
  fileURLToPath(new URL(`../contracts/${version}/openapi.json`, import.meta.url));

const howTo =
  "A live version's users would notice. Make it a VersionChange of the next version (packages/app/src/versions), so that this one stays as it is. " +
  "What went away as announced needs an entry in the deprecation registry whose sunset has come. Before the first release: delete the contract and write it anew.";

/** Whether the removal of this part was announced and its day has come. */
const isAnnounced = (version: string, name: string, deprecations: readonly Deprecation[]): boolean =>
  deprecations.some(({ target, sunset }) => {
    if (target.version !== version || Date.parse(sunset) > today) return false;
    if ("resource" in target) return name === `${target.resource}.${target.field}`;
    return !("operation" in target) || name === (target.parameter ?? target.operation);
  });

/**
 * The differences between the served contract and the committed one that users would notice, one
 * line each.
 */
const broken = (version: string, committed: object, served: object): readonly string[] =>
  openApiDifferences({ ...committed }, { ...served })
    .filter(({ breaking }) => breaking)
    .map(({ kind, what, target }) => ({
      name:
        target.resource === undefined ? (target.name ?? target.operation ?? "") : `${target.resource}.${target.field}`,
      told: [kind, what, target.type, target.operation, target.location, target.name].filter(Boolean).join(" "),
    }))
    .filter(({ name }) => !isAnnounced(version, name, builtInDeprecations))
    .map(({ told }) => told);

describe.each(app.versions.map(({ id }) => id))("the contract of %s", (version) => {
  /**
   * The committed contract, which a reviewer reads when a contract changes. `pnpm test -u --project
   * workspace` writes it anew, unless the change would break it.
   */
  test("is what the server serves, and is not broken by it", async () => {
    const path = contractPath(version);
    const committed = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    expect(existsSync(path) ? broken(version, committed, app.openApi(version)) : [], howTo).toEqual([]);
    await expect(`${JSON.stringify(app.openApi(version), null, 2)}\n`).toMatchFileSnapshot(path);
  });

  const served = () => JSON.parse(JSON.stringify(writtenOut(app.openApi(version))));
  const schemaOf = (document: ReturnType<typeof served>, name: string) => document.components.schemas[name];

  test.each([
    ["an operation is removed", (document: ReturnType<typeof served>) => void delete document.paths["/posts/{id}"].get],
    ["a field is no longer answered", (document) => void delete schemaOf(document, "post").properties.title],
    ["a field is no longer taken", (document) => void delete schemaOf(document, "post_create").properties.status],
    ["a field becomes required", (document) => void schemaOf(document, "post_create").required.push("status")],
    [
      "a field takes less",
      (document) => void Object.assign(schemaOf(document, "post_create").properties.title, { maxLength: 10 }),
    ],
    ["a value is no longer taken", (document) => void schemaOf(document, "post_create").properties.status.enum.pop()],
    [
      "a type changes",
      (document) => void Object.assign(schemaOf(document, "post").properties.title, { type: "integer" }),
    ],
    ["a parameter is removed", (document) => void document.paths["/users/{id}/posts"].get.parameters.splice(2, 1)],
    [
      "a path moves",
      (document) => {
        document.paths["/articles/{id}"] = document.paths["/posts/{id}"];
        delete document.paths["/posts/{id}"];
      },
    ],
  ] as readonly (readonly [string, (document: ReturnType<typeof served>) => void])[])(
    "would be broken when %s",
    (_what, change) => {
      const changed = served();
      change(changed);
      expect(broken(version, served(), changed).length).toBeGreaterThan(0);
    },
  );

  test("is not broken by additions, or by answers that promise more", () => {
    const [older, changed] = [served(), served()];
    schemaOf(older, "post").required.splice(schemaOf(older, "post").required.indexOf("title"), 1);
    schemaOf(changed, "post").properties.subtitle = { type: "string" };
    schemaOf(changed, "post_create").properties.title.maxLength = 400;
    changed.paths["/users/{id}/posts"].get.parameters.push({ name: "q", in: "query", schema: { type: "string" } });
    changed.paths["/feed"] = { get: { operationId: "feed.read", responses: {} } };
    expect(broken(version, older, changed)).toEqual([]);
    expect(openApiDifferences(older, changed)).toHaveLength(5);
  });
});

test("the change log has what the versions gained since their release, each from the day on which it came", async () => {
  const documents = app.versions.map(({ id }) => {
    const path = fileURLToPath(new URL(`../contracts/${id}/released.json`, import.meta.url));
    return { version: id, released: JSON.parse(readFileSync(path, "utf8")), served: app.openApi(id) };
  });
  const made = additionsBetween(documents, additions, new Date(today).toISOString().slice(0, 10));
  const path = fileURLToPath(new URL("../packages/app/src/generated/additions.ts", import.meta.url));
  await expect(additionsFile(made)).toMatchFileSnapshot(path);
  const gained = documents.flatMap(({ released, served }) =>
    openApiDifferences(released, { ...served }).flatMap(({ kind, target }) =>
      kind === "added" && target.type === "endpoint" ? [target.operation] : [],
    ),
  );
  expect(made.flatMap(({ operation, parts }) => (parts === undefined ? (operation ?? []) : []))).toEqual(
    expect.arrayContaining([...new Set(gained)]),
  );
  expect(new Set(gained).size).toBeGreaterThan(60);
  const told = new Set(
    app.changeLog().entries.map(({ api_version, date, target }) => `${api_version} ${date} ${target.name}`),
  );
  const missing = additions.flatMap(({ date, versions, name }) =>
    versions.map((version) => `${version} ${date} ${name}`).filter((one) => !told.has(one)),
  );
  expect(missing).toEqual([]);
});

test("an addition keeps its day, and a new one is of the day on which it is written", () => {
  const operation = (operationId: string, parameters: readonly string[] = []) => ({
    operationId,
    summary: "Say something",
    parameters: parameters.map((name) => ({ name, in: "query", schema: { type: "string" } })),
    responses: {},
  });
  const released = { paths: { "/a": { get: operation("a.list") } } };
  const first = { paths: { "/a": { get: operation("a.list", ["one"]) }, "/b": { post: operation("b.create") } } };
  const second = { ...first, paths: { ...first.paths, "/a": { get: operation("a.list", ["one", "two"]) } } };
  const made = additionsBetween([{ version: "v1", released, served: first }], [], "2026-01-01");
  expect(made).toEqual([
    { date: "2026-01-01", versions: ["v1"], name: "POST /b", operation: "b.create", text: "Say something." },
    { date: "2026-01-01", versions: ["v1"], name: "GET /a", operation: "a.list", parts: ["the parameter `one`"] },
  ]);
  expect(additionsBetween([{ version: "v1", released, served: second }], made, "2026-01-02")).toEqual([
    ...made,
    { date: "2026-01-02", versions: ["v1"], name: "GET /a", operation: "a.list", parts: ["the parameter `two`"] },
  ]);
});

test("never announces an earlier date of removal than before", async () => {
  const path = fileURLToPath(new URL("../contracts/deprecations.json", import.meta.url));
  const committed: Deprecation[] = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
  expect(brokenPromises(committed, builtInDeprecations, today), "dates may be moved later, never earlier").toEqual([]);
  await expect(`${JSON.stringify(builtInDeprecations, null, 2)}\n`).toMatchFileSnapshot(path);
});

test("the change log accounts for every difference between the versions", () => {
  const { entries, unexplained } = app.changeLog();
  expect(unexplained, "something went and something alike came: say with renameField whether it is the same").toEqual(
    [],
  );
  expect(entries.map(({ kind, from, to }) => `${kind} ${from} → ${to}`)).toEqual(
    expect.arrayContaining([
      "renamed post.content → post.body",
      "renamed comment.content → comment.body",
      "renamed user.subscription_status → user.subscription.status",
      "changed array → object",
      "changed false → true",
    ]),
  );
});
