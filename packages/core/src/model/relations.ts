import type { Resource } from "./resource.ts";

/** A way from a row to others, which a request can ask to have included. */
export interface Relation {
  /** Its name in `include` and in the answer. */
  readonly name: string;
  /** One row that this one refers to, or the many below this one that refer to it. */
  readonly kind: "one" | "many";
  /** What it leads to. */
  readonly resource: Resource;
  /** The field that refers: for `one` a field of this resource, for `many` of the one it leads to. */
  readonly field: string;
}

/**
 * The relations of a resource: one for each readable reference of its own, named like the reference, and one for each resource whose parent it
 * is, named by that one's table (`comments`).
 * @throws TypeError when a relation's name is a field or another relation already, or leads to no declared resource.
 */
export const relationsOf = (
  resource: Resource,
  resources: ReadonlyMap<string, Resource>,
): ReadonlyMap<string, Relation> => {
  const relations = new Map<string, Relation>();
  const add = (relation: Relation): void => {
    const { name } = relation;
    if (Object.hasOwn(resource.fields, name)) {
      throw new TypeError(`resource "${resource.name}": the relation "${name}" has the name of a field`);
    }
    if (relations.has(name)) throw new TypeError(`resource "${resource.name}" has two relations named "${name}"`);
    relations.set(name, relation);
  };
  for (const [field, { references, read }] of Object.entries(resource.fields)) {
    if (references === undefined) continue;
    const target = resources.get(references.resource);
    if (target === undefined) {
      throw new TypeError(
        `resource "${resource.name}": "${field}" refers to "${references.resource}", which is not declared`,
      );
    }
    if (read === "everyone")
      add({ name: references.as ?? field.replace(/_id$/, ""), kind: "one", resource: target, field });
  }
  for (const other of resources.values()) {
    if (other.parent?.resource !== resource.name) continue;
    add({ name: other.table, kind: "many", resource: other, field: other.parent.field });
  }
  return relations;
};
