import { isObject } from "@postern/core/parts";
import { type Described, propertiesOf } from "../json-schema/json-schema.ts";
import { isList } from "./effects.ts";
import { resolved } from "./walk.ts";

/**
 * The row schema that an answer is about: the answer itself, or the items if it is a list, wrapped
 * or bare.
 */
export const subjectOf = (described: Described): Described => {
  const schema = resolved(described);
  const { components } = described;
  const items = isList(schema) ? propertiesOf(schema).get("data")?.items : schema.items;
  return isObject(items) ? { schema: resolved({ schema: items, components }), components } : { schema, components };
};
