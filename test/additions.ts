import { openApiDifferences, type VersionId } from "@postern/rest";
import { writtenOut } from "@postern/rest/internal";
import type { additions } from "../packages/app/src/generated/additions.ts";

type Addition = (typeof additions)[number];

type Difference = ReturnType<typeof openApiDifferences>[number];
// biome-ignore lint/suspicious/noExplicitAny: a document, whose shape other tests assert
type Document = any;

/** One gain of one version, not yet dated. */
interface Gain {
  readonly name: string;
  readonly operation?: string;
  readonly text?: string;
  readonly part?: string;
}

/** Headers that tell of an announced removal come and go with the announcements. */
const ofNotices: ReadonlySet<string> = new Set(["Deprecation", "Sunset", "Link"]);

const operationsIn = (document: Document): ReadonlyMap<string, { readonly name: string; readonly summary: string }> =>
  new Map(
    Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Document>(methods).map(([method, { operationId, summary }]) => [
        String(operationId),
        { name: `${method.toUpperCase()} ${path}`, summary: String(summary) },
      ]),
    ),
  );

const descriptionIn = (schema: unknown): string => {
  const { description } = schema as { description?: unknown };
  return typeof description === "string" ? description : "";
};

/** A part of an operation, in words. */
const partOf = ({ target: { type, location, name = "", operation = "" } }: Difference): string | undefined => {
  if (type === "parameter") return location === "header" ? `the header \`${name}\`` : `the parameter \`${name}\``;
  if (type === "field") {
    const member = name.slice(operation.length + 1);
    return location === "request" ? `\`${member}\` in the request` : `\`${member}\` in the answer`;
  }
  if (location === "header") return ofNotices.has(name) ? undefined : `the answer's header \`${name}\``;
  return /^\d/.test(name) ? `the answer ${name}` : `the form \`${name}\``;
};

/** What one document has and an older one has not. */
const gainsOf = (released: Document, served: Document): readonly Gain[] => {
  const operations = operationsIn(served);
  return openApiDifferences(released, served).flatMap((difference): readonly Gain[] => {
    const { kind, target, to } = difference;
    if (kind !== "added") return [];
    if (target.resource !== undefined) {
      return [{ name: `${target.resource}.${target.field}`, text: descriptionIn(to) }];
    }
    const { operation } = target;
    const known = operation === undefined ? undefined : operations.get(operation);
    if (operation === undefined || known === undefined) return [];
    if (target.type === "endpoint") return [{ name: known.name, operation, text: `${known.summary}.` }];
    const part = partOf(difference);
    return part === undefined ? [] : [{ name: known.name, operation, part }];
  });
};

const keyOf = ({ name, part = "" }: Gain): string => `${name} ${part}`;

/** The day of each gain that is on record, by version and gain. */
const daysIn = (known: readonly Addition[]): ReadonlyMap<string, string> =>
  new Map(
    known.flatMap(({ date, versions, name, parts = [""] }) =>
      versions.flatMap((version) => parts.map((part) => [`${version} ${name} ${part}`, date] as const)),
    ),
  );

/**
 * What the versions gained since their release, from the contract as it was released and the one
 * that is served. What is on record keeps its day; the rest is of `today`.
 */
export const additionsBetween = (
  contracts: readonly { readonly version: VersionId; readonly released: Document; readonly served: Document }[],
  known: readonly Addition[],
  today: string,
): readonly Addition[] => {
  const days = daysIn(known);
  const gains = contracts.flatMap(({ version, released, served }) =>
    gainsOf(writtenOut(released), writtenOut(served)).map((gain) => ({
      ...gain,
      version,
      date: days.get(`${version} ${keyOf(gain)}`) ?? today,
    })),
  );
  // What a version gained on a day, by its name: the parts together.
  const made = new Map<string, Addition>();
  for (const { version, date, name, operation, text, part } of gains) {
    const key = `${version} ${date} ${name} ${part === undefined}`;
    const before = made.get(key);
    made.set(key, {
      date,
      versions: [version],
      name,
      ...(operation === undefined ? {} : { operation }),
      ...(part === undefined ? { text: text ?? "" } : { parts: [...new Set([...(before?.parts ?? []), part])] }),
    });
  }
  // What two versions gained alike is told once.
  const together = new Map<string, Addition>();
  for (const { versions, ...rest } of made.values()) {
    const key = JSON.stringify(rest);
    together.set(key, { ...rest, versions: [...(together.get(key)?.versions ?? []), ...versions] });
  }
  const order = ({ date, name, parts, versions }: Addition): string =>
    `${date} ${parts === undefined ? 0 : 1} ${name} ${versions.join()}`;
  return [...together.values()].toSorted((left, right) => (order(left) < order(right) ? -1 : 1));
};

/** The module that holds them, from which the next ones take their days. */
export const additionsFile = (made: readonly Addition[]): string =>
  [
    "// Made by test/contracts.test.ts from contracts/*/released.json and the contracts of today.",
    'import type { Addition } from "../versions/addition.ts";',
    "",
    "export const additions: readonly Addition[] = [",
    ...made.map(({ date, versions, ...one }) => `  ${JSON.stringify({ date, versions, ...one })},`),
    "];",
    "",
  ].join("\n");
