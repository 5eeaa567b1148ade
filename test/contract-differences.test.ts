import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openApiDifferences } from "@postern/rest";
import { writtenOut } from "@postern/rest/internal";
import { describe, expect, test } from "vitest";

const inRepository = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: a test changes and reads documents whose shape it asserts
type Document = any;

interface Verdict {
  readonly ruleId: string;
  readonly impact: string;
  readonly message: string;
}

interface Report {
  readonly changes: readonly {
    readonly verdicts: readonly Verdict[];
    readonly base?: { readonly pointer: string };
    readonly revision?: { readonly pointer: string };
  }[];
}

/**
 * The differences that `redocly diff` reports between two documents, under the rules of
 * redocly.yaml.
 */
const redoclyDiff = async (older: Document, newer: Document): Promise<Report> => {
  const directory = await mkdtemp(join(tmpdir(), "contract-"));
  try {
    const paths = ["older.json", "newer.json"].map((name) => join(directory, name));
    const [base = "", revision = ""] = paths;
    await Promise.all([writeFile(base, JSON.stringify(older)), writeFile(revision, JSON.stringify(newer))]);
    return await redoclyDiffOf(base, revision);
  } finally {
    await rm(directory, { recursive: true });
  }
};

const redoclyDiffOf = async (base: string, revision: string): Promise<Report> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      inRepository("node_modules/@redocly/cli/bin/cli.js"),
      "diff",
      base,
      revision,
      "--format=json",
      "--fail-on=none",
      `--config=${inRepository("redocly.yaml")}`,
    ],
    { env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }, maxBuffer: 64 * 1024 * 1024 },
  );
  return JSON.parse(stdout);
};

const segmentsOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));

/**
 * The schema, member, parameter, header or operation that a pointer names, in the words of our own
 * differences.
 */
const placeOf = (document: Document, pointer: string): string => {
  const [first = "", second = "", third = "", ...rest] = segmentsOf(pointer);
  if (first === "components" && second === "schemas") {
    const members = rest.flatMap((segment, index) => (rest[index - 1] === "properties" ? [segment] : []));
    return ["schema", [third, ...members].join(".")].join(" ");
  }
  if (first !== "paths") return pointer;
  const operation = document.paths[second]?.[third];
  if (operation === undefined) return `path ${second}`;
  const [part, at = ""] = rest;
  if (part === "parameters") return `parameter ${operation.operationId} ${operation.parameters[at].name}`;
  if (rest.includes("headers")) return `header ${operation.operationId} ${rest[rest.indexOf("headers") + 1]}`;
  return `operation ${operation.operationId}`;
};

/** Whether one of our breaking differences is about this place. */
const toldIn = (older: Document, newer: Document) => {
  const breaking = openApiDifferences(older, newer).filter((difference) => difference.breaking);
  return (place: string): boolean => {
    const [kind, subject = "", name = ""] = place.split(" ");
    return breaking.some(({ target }) => {
      if (kind === "schema") {
        const told = target.operation === undefined ? (target.name ?? "") : "";
        return told === subject || told.startsWith(`${subject}.`) || subject.startsWith(`${told}.`);
      }
      if (kind === "path")
        return Object.values(older.paths[subject]).some((one: Document) => one.operationId === target.operation);
      if (target.operation !== subject) return false;
      if (kind === "parameter") return target.type === "parameter" && target.name === name;
      return kind !== "header" || (target.location === "header" && target.name === name);
    });
  };
};

/**
 * Everything that redocly calls breaking and that our own differences do not call breaking at the
 * same place.
 */
const untold = (older: Document, newer: Document, { changes }: Report): readonly string[] => {
  const isTold = toldIn(older, newer);
  return changes.flatMap(({ verdicts, base, revision }) => {
    const places = [
      ...(base === undefined ? [] : [placeOf(older, base.pointer)]),
      ...(revision === undefined ? [] : [placeOf(newer, revision.pointer)]),
    ];
    return (
      verdicts
        .filter(({ impact }) => impact === "major")
        // Each version has a server of its own, because a client changes to v2 on purpose.
        .filter(({ ruleId }) => ruleId !== "server-removed")
        .filter(() => !places.some(isTold))
        .map(({ ruleId, message }) => `${ruleId}: ${message} (${places.join(", ")})`)
    );
  });
};

/**
 * The committed contract. Each operation repeats its parameters and responses, so that a difference
 * has its place there.
 */
const contract = async (version: string): Promise<Document> =>
  writtenOut(JSON.parse(await readFile(inRepository(`contracts/${version}/openapi.json`), "utf8")));

const majorsOf = ({ changes }: Report): readonly Verdict[] =>
  changes.flatMap(({ verdicts }) => verdicts.filter(({ impact }) => impact === "major"));

describe("what redocly calls breaking, our own differences call breaking, too", () => {
  test("between v1 and v2", async () => {
    const [older, newer] = [await contract("v1"), await contract("v2")];
    const report = await redoclyDiff(older, newer);
    expect(majorsOf(report).length).toBeGreaterThan(0);
    expect(untold(older, newer, report)).toEqual([]);
  });

  test("in a version that was broken in many ways", async () => {
    const older = await contract("v2");
    const newer = structuredClone(older);
    const { schemas } = newer.components;
    const breaks: readonly (readonly [rule: string, change: () => void])[] = [
      ["path-removed", () => void delete newer.paths["/comments/{id}"]],
      ["operation-removed", () => void delete newer.paths["/posts/{id}"].get],
      ["property-removed", () => void delete schemas.user.properties.name],
      ["required-properties-added", () => void schemas.post_create.required.push("status")],
      ["schema-constraint-changed", () => void Object.assign(schemas.post_create.properties.title, { maxLength: 10 })],
      ["enum-values-removed", () => void schemas.post_create.properties.status.enum.pop()],
      ["schema-type-changed", () => void Object.assign(schemas.post.properties.title, { type: "integer" })],
      ["parameter-removed", () => void newer.paths["/users/{id}/posts"].get.parameters.splice(2, 1)],
      [
        "parameter-became-required",
        () => void Object.assign(newer.paths["/users"].get.parameters.at(-1), { required: true }),
      ],
      ["response-removed", () => void delete newer.paths["/users"].post.responses["201"]],
      ["response-header-removed", () => void delete newer.paths["/sessions"].post.responses["201"].headers.RateLimit],
      ["media-type-removed", () => void delete newer.paths["/sessions"].post.requestBody.content["application/json"]],
      [
        "security-requirement-changed",
        () => void Object.assign(newer.paths["/webhooks/{provider}"].post, { security: [{ bearer: [] }] }),
      ],
      [
        "request-body-became-required",
        () => void Object.assign(newer.paths["/admin/events/{id}/replay"].post.requestBody, { required: true }),
      ],
      ["schema-combinator-changed", () => void schemas.user_replace.properties.address.anyOf.pop()],
      [
        "schema-constraint-changed",
        () => void Object.assign(schemas.user_update.properties.phone.anyOf[0], { maxLength: 5 }),
      ],
      ["request-body-removed", () => void delete newer.paths["/sessions/refresh"].post.requestBody],
    ];
    for (const [, change] of breaks) change();
    const report = await redoclyDiff(older, newer);
    const rules = new Set(majorsOf(report).map(({ ruleId }) => ruleId));
    expect(
      breaks.map(([rule]) => rule).filter((rule) => !rules.has(rule)),
      "redocly did not look",
    ).toEqual([]);
    expect(untold(older, newer, report)).toEqual([]);
  });
});
