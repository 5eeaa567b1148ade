import { AppError, type FieldValue, type Resource, type Row } from "@postern/core";
import { allows, didYouMean, quotedNames, type Relation, relationsOf } from "@postern/core/internal";
import { z } from "zod";
import { isAdmin, type Principal, requireScope } from "../access/principal.ts";
import { marks } from "../json-schema/json-schema.ts";
import { namesMark, pageFacts } from "../operations/page.ts";
import { componentStem, namedRow, rowSchema } from "./write.ts";

export const fieldsParameter = z.string().max(2048).optional().meta({
  description: "The names of the fields to answer with, separated by commas. Default: all fields.",
});

/** The query of an operation that answers one row. */
export const selection = z.strictObject({ fields: fieldsParameter });

/** The fields of a resource that users and that administrators may see: always the very same arrays. */
const readableFields = { users: new WeakMap<Resource, string[]>(), admins: new WeakMap<Resource, string[]>() };

/** `A post`, `An invoice`. Names with a vowel that is spoken as a consonant, such as `user`, begin with u. */
const withArticle = (name: string): string => `${/^[aeio]/.test(name) ? "An" : "A"} ${name}`;

/**
 * The fields to answer with, in the resource's own order.
 * @throws AppError `invalid_fields`, naming each field that does not exist or may not be read; also
 *   if none is named.
 */
export const selectFields = (
  resource: Resource,
  principal: Principal | undefined,
  value: string | undefined,
  parameter = "fields",
): readonly string[] => {
  const admin = isAdmin(principal);
  const readable = readableFields[admin ? "admins" : "users"];
  const allowed =
    readable.get(resource) ?? resource.fieldNames.filter((name) => allows(resource.fields[name]?.read, admin));
  readable.set(resource, allowed);
  return namesAmong(allowed, value, resource.name, parameter);
};

/**
 * Those of the known fields of a `what` that `asked` names, in their own order; all of them without it.
 * @throws AppError `invalid_fields`, naming each that does not exist.
 */
export const namesAmong = (
  known: readonly string[],
  asked: string | undefined,
  what: string,
  parameter = "fields",
): readonly string[] => {
  if (asked === undefined) return known;
  const names = new Set(asked.split(","));
  const unknown = [...names].filter((name) => !known.includes(name));
  if (unknown.length === 0) return known.filter((name) => names.has(name));
  const quoted = quotedNames(unknown);
  throw new AppError("invalid_fields", {
    detail: `${withArticle(what)} has no field ${quoted} to select; it has ${quotedNames(known)}.`,
    faults: [{ parameter, code: "unknown_field", detail: `no field ${quoted}${didYouMean(unknown, known)}` }],
  });
};

const versionedFields = new WeakMap<readonly string[], readonly string[]>();

/**
 * The fields to read so that a changed row can be distinguished from an unchanged one. Always the
 * very same array for the same array.
 */
export const versioned = (fields: readonly string[]): readonly string[] => {
  const made = versionedFields.get(fields) ?? [...new Set([...fields, "id", "revision", "created_at", "updated_at"])];
  versionedFields.set(fields, made);
  return made;
};

/** A row as it is answered: the selected fields and nothing else, whatever the store returned. */
export const present = (row: Row, fields: readonly string[]): Record<string, FieldValue> => {
  const shown: Record<string, FieldValue> = {};
  for (const name of fields) shown[name] = row[name] ?? null;
  return shown;
};

type Resources = ReadonlyMap<string, Resource>;

const maxDepth = 2;

/** A relation to include, the fields of its rows, and what to include in them. */
export interface Inclusion {
  readonly relation: Relation;
  readonly fields: readonly string[];
  readonly inclusions: readonly Inclusion[];
}

interface RelationTree {
  readonly relation: Relation;
  readonly below: ReadonlyMap<string, RelationTree>;
}

const treeOf = (
  resource: Resource,
  resources: Resources,
  depth: number,
  manyAbove: boolean,
): Map<string, RelationTree> => {
  const tree = new Map<string, RelationTree>();
  if (depth === 0) return tree;
  for (const [name, relation] of relationsOf(resource, resources)) {
    const many = relation.kind === "many";
    // Lists inside lists would multiply: a page of 100 rows with 20 each, and 20 each again.
    if (many && manyAbove) continue;
    tree.set(name, { relation, below: treeOf(relation.resource, resources, depth - 1, manyAbove || many) });
  }
  return tree;
};

/** All relations in a tree, each with its path: `author.posts`. */
const relationsIn = (
  tree: ReadonlyMap<string, RelationTree>,
  prefix = "",
): readonly { readonly path: string; readonly relation: Relation }[] =>
  [...tree].flatMap(([name, { relation, below }]) => [
    { path: prefix + name, relation },
    ...relationsIn(below, `${prefix}${name}.`),
  ]);

/** What a request for a row or a list can say about related rows. */
export type Includable = ReturnType<typeof includable>;

/** @throws TypeError when relations of the declared resources contradict each other. */
export const includable = (resource: Resource, resources: Resources) => {
  const tree = treeOf(resource, resources, maxDepth, false);
  const relations = relationsIn(tree);
  const paths = relations.map(({ path }) => path);
  const kinds = [...new Map(relations.map(({ relation }) => [relation.resource.plural, relation.resource.name]))];
  return {
    /** `include`, and `fields[resource]` for each resource that it can include. */
    parameters: (): Readonly<Record<string, z.ZodType<string | undefined>>> => ({
      ...(paths.length === 0 ? {} : { include: includeParameter(paths) }),
      ...Object.fromEntries(
        kinds.map(([plural, name]) => [
          `fields[${plural}]`,
          fieldsParameter.meta({
            description: `The same for included ${plural}; only together with \`include\`.`,
            [marks.resource]: name,
          }),
        ]),
      ),
    }),
    /**
     * Wrong names that callers use for these parameters, each with the right one: `fields[author]`
     * for `fields[users]`. They take the name of a resource, not that of a relation.
     */
    misnomers: new Map(
      relations.flatMap(({ path, relation: { name, resource: related } }) =>
        [path, name, related.name]
          .filter((wrong) => wrong !== related.plural)
          .map((wrong) => [`fields[${wrong}]`, `fields[${related.plural}]`]),
      ),
    ),
    /** The schema of a row with everything that can be included in it. */
    withRelations: (): z.ZodObject =>
      schemaWith(new Map(), resource, tree, `${componentStem(resource)}_with_relations`),
    /**
     * Reads what to include.
     * @throws AppError `invalid_include` for a path that does not exist; `invalid_fields` for fields
     *   of a resource that is not included; `insufficient_scope` for a key that may not read what it
     *   asks for.
     */
    inclusions: (principal: Principal, query: Readonly<Record<string, unknown>>): readonly Inclusion[] => {
      const asked = query.include === undefined ? [] : String(query.include).split(",");
      const unknown = asked.filter((path) => !paths.includes(path));
      if (unknown.length > 0) throw invalidInclude(resource, unknown, paths);
      const included = new Set<string>();
      const below = (branches: ReadonlyMap<string, RelationTree>, prefix: string): Inclusion[] =>
        [...branches.values()]
          .filter(({ relation }) => asked.some((path) => `${path}.`.startsWith(`${prefix}${relation.name}.`)))
          .map(({ relation, below: deeper }) => {
            const parameter = `fields[${relation.resource.plural}]`;
            requireScope(principal, `${relation.resource.plural}:read`);
            included.add(parameter);
            const asks = query[parameter] === undefined ? undefined : String(query[parameter]);
            const fields = selectFields(relation.resource, principal, asks, parameter);
            return { relation, fields, inclusions: below(deeper, `${prefix}${relation.name}.`) };
          });
      const inclusions = asked.length === 0 ? [] : below(tree, "");
      for (const name of kinds.map(([plural]) => `fields[${plural}]`)) {
        if (query[name] === undefined || included.has(name)) continue;
        throw new AppError("invalid_fields", {
          detail: `${name} selects fields of a kind that this request does not include.`,
          faults: [{ parameter: name, code: "not_included", detail: "name it in include, or leave this out" }],
        });
      }
      return inclusions;
    },
  };
};

const includeParameter = (paths: readonly string[]) =>
  z
    .string()
    .max(512)
    .optional()
    .meta({
      description: `Related rows to answer with, comma-separated, as far as you may read them: ${paths.join(", ")}. Of many the first 20 come.`,
      [namesMark]: paths,
    });

const invalidInclude = (resource: Resource, unknown: readonly string[], paths: readonly string[]): AppError => {
  const names = unknown.map((path) => `"${path}"`).join(", ");
  return new AppError("invalid_include", {
    detail:
      paths.length === 0
        ? `${withArticle(resource.name)} has nothing to include.`
        : `${withArticle(resource.name)} cannot include ${names}, only ${quotedNames(paths)}.`,
    faults: [
      { parameter: "include", code: "invalid_include", detail: `no relation ${names}${didYouMean(unknown, paths)}` },
    ],
  });
};

/** The name of related rows by their own relations: `comment_with_post_and_author`. */
const nameBelow = (resource: Resource, below: RelationTree["below"]): string => {
  const names = [...below.keys()].join("_and_");
  // The row with all its relations is called `comment_with_relations`.
  return `${componentStem(resource)}_with${names === "relations" ? "-" : "_"}${names}`;
};

/**
 * The schema of a row, named `name`, and of everything that can be included in it. Two relations to
 * one resource share the schema of its rows, which is among those that were `made` for its name.
 */
const schemaWith = (
  made: Map<string, z.ZodObject>,
  resource: Resource,
  tree: ReadonlyMap<string, RelationTree>,
  name: string,
): z.ZodObject => {
  const row = rowSchema(resource);
  if (tree.size === 0) return row;
  const known = made.get(name);
  if (known !== undefined) return known;
  const whole = row.extend(
    Object.fromEntries(
      [...tree].map(([member, { relation, below }]) => {
        const related = schemaWith(made, relation.resource, below, nameBelow(relation.resource, below));
        return [
          member,
          relation.kind === "one"
            ? related.nullable().optional().meta({ description: `With \`include\`; null when you may not read it.` })
            : listBelow(related),
        ];
      }),
    ),
  );
  const schema = namedRow(resource, name, whole);
  made.set(name, schema);
  return schema;
};

const listBelow = (row: z.ZodObject) =>
  z
    .object({ data: z.array(row), page: pageFacts, link: z.string().meta({ description: "The list itself." }) })
    .optional()
    .meta({ description: "With `include`: the first 20 that you may read." });
