import type { JsonSchema } from "@postern/core";
import { marks } from "../json-schema/json-schema.ts";
import type { Operation } from "../operations/operation.ts";
import { answerOf, bodyOf } from "../versions/conversion.ts";

/**
 * What would make the documents fail, or make them wrong: a body or an answer that cannot be
 * described, and a name that different schemas have.
 */
export const componentFaults = (operations: readonly Operation[]): readonly string[] => {
  const owners = new Map<string, unknown>();
  const faultOf = ([name, { [marks.resource]: owner }]: readonly [string, JsonSchema]): readonly string[] => {
    if (!owners.has(name)) owners.set(name, owner);
    const first = owners.get(name);
    if (first === owner) return [];
    return [
      `resource "${String(first ?? owner)}": documents use the name "${name}" for something else; choose another`,
    ];
  };
  const faults = operations.flatMap((operation) => {
    try {
      const described = [answerOf(operation), bodyOf(operation)];
      return described.flatMap((one) => Object.entries(one?.components ?? {}).flatMap(faultOf));
    } catch (thrown) {
      return [`operation "${operation.id}" cannot be described: ${thrown instanceof Error ? thrown.message : thrown}`];
    }
  });
  return [...new Set(faults)];
};
