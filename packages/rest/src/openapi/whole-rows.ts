import type { JsonSchema } from "@postern/core";
import { type Described, mapSchema, marks, referenced } from "../json-schema/json-schema.ts";

const selectionOf = (name: string): string => `${name}_selection`;

const namesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/**
 * Tells whole rows and selections of their members apart. `post` requires every member that is
 * always there, `post_selection` requires none. The answer is a `post`; with `cut`, for an
 * operation with `fields`, it is one of the two. Included rows are selections, because their
 * members depend on what the caller may see.
 */
export const wholeRows = ({ schema, components }: Described, cut: boolean): Described => {
  const isRow = (name: string | undefined): name is string =>
    name !== undefined && Array.isArray(components[name]?.[marks.always]);
  const selected = (part: JsonSchema): JsonSchema => {
    const name = referenced(part);
    return isRow(name) ? { ...part, $ref: selectionOf(String(part.$ref)) } : part;
  };
  const made = Object.entries(components).flatMap(([name, component]): readonly [string, JsonSchema][] => {
    const { [marks.always]: always, required: _none, ...rest } = component;
    if (!isRow(name)) return [[name, component]];
    const selection = mapSchema(rest, selected);
    return [
      [name, { ...selection, required: namesIn(always) }],
      [selectionOf(name), selection],
    ];
  });
  const answered = (part: JsonSchema): JsonSchema =>
    cut && isRow(referenced(part)) ? { anyOf: [part, selected(part)] } : part;
  return { schema: mapSchema(schema, answered), components: Object.fromEntries(made) };
};
