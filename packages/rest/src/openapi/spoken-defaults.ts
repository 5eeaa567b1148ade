import type { JsonSchema } from "@postern/core";
import { type Described, mapSchema } from "../json-schema/json-schema.ts";

const withText = ({ default: usual, ...schema }: JsonSchema): JsonSchema => {
  const { description } = schema;
  if (typeof description === "string" && /\bDefault: /.test(description)) return schema;
  const text = `Default: \`${typeof usual === "string" ? usual : JSON.stringify(usual)}\`.`;
  return { ...schema, description: description === undefined ? text : `${description} ${text}` };
};

/**
 * The body of a request, whose descriptions tell the defaults of its members instead of the keyword
 * `default`. Generators of types, such as openapi-typescript, take a member with that keyword for one
 * that is always there: right for what a server reads, wrong for what a client must send.
 */
export const withSpokenDefaults = ({ schema, components }: Described): Described => {
  const spoken = (one: JsonSchema): JsonSchema => mapSchema(one, (part) => ("default" in part ? withText(part) : part));
  return {
    schema: spoken(schema),
    components: Object.fromEntries(Object.entries(components).map(([name, one]) => [name, spoken(one)])),
  };
};
