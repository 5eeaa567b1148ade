import type { Resource } from "./resource.ts";

/** A way from a row to related rows. Requests can include them. */
export interface Relation {
  /** Its name in `include` and in the answer. */
  readonly name: string;
  /** `one`: the row that this one refers to. `many`: the rows that refer to this one. */
  readonly kind: "one" | "many";
  /** The resource of the related rows. */
  readonly resource: Resource;
  /**
   * The field that holds the reference: for `one` a field of this resource, for `many` a field of
   * the related one.
   */
  readonly field: string;
}

/**
 * The relations of a resource. Each readable reference is one, named like the reference. Each
 * resource whose parent this one is adds another, named after its table (`comments`).
 * @throws TypeError when a relation's name is already a field or another relation, or when it leads
 *   to a resource that is not declared.
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
