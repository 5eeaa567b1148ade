import type { JsonSchema } from "@postern/core";
import { isObject } from "@postern/core/internal";
import { branchesOf, type Described, propertiesOf, referenced } from "../json-schema/json-schema.ts";

/** A step of a conversion: it computes a new value. The steps of one request share a `Context`. */
export type Step<Context> = (value: unknown, context: Context) => unknown;

type Steps<Context> = ReadonlyMap<string, Step<Context>>;

const same: Step<unknown> = (value) => value;

/**
 * Makes a conversion that follows a schema and changes only parts of a value. `atObject` gets an
 * object's schema and the conversions of its members; it returns a step, or `undefined` if the
 * object stays as it is.
 * @throws TypeError for a union with more than one branch that needs conversion: a value does not
 *   say which branch it belongs to.
 */
export const guided = <Context>(
  { schema, components }: Described,
  atObject: (schema: JsonSchema, members: Steps<Context>) => Step<Context> | undefined,
): Step<Context> | undefined => {
  const made = new Map<string, Step<Context> | undefined>();
  const begun = new Set<string>();

  const component = (name: string): Step<Context> | undefined => {
    if (made.has(name)) return made.get(name);
    // A schema that contains itself: its conversion is complete before the first value is
    // converted.
    if (begun.has(name)) return (value, context) => (made.get(name) ?? same)(value, context);
    begun.add(name);
    made.set(name, compile(components[name] ?? {}));
    return made.get(name);
  };

  const compile = (part: JsonSchema): Step<Context> | undefined => {
    const name = referenced(part);
    if (name !== undefined) return component(name);
    const branches = branchesOf(part).flatMap((branch) => compile(branch) ?? []);
    if (branches.length > 1) throw new TypeError("a union of several converted objects cannot be told apart");
    if (branches[0] !== undefined) return branches[0];
    if (isObject(part.items)) {
      const item = compile(part.items);
      if (item === undefined) return undefined;
      return (value, context) => (Array.isArray(value) ? value.map((one) => item(one, context)) : value);
    }
    const members = new Map<string, Step<Context>>();
    for (const [member, memberSchema] of propertiesOf(part)) {
      const step = compile(memberSchema);
      if (step !== undefined) members.set(member, step);
    }
    return atObject(part, members);
  };

  return compile(schema);
};
