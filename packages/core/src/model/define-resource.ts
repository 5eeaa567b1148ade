import { refuseFaults } from "./declaration-faults.ts";
import { type Field, id, timestamp } from "./field.ts";
import { withNfc } from "./normal-form.ts";
import type { Resource, ResourceDefinition } from "./resource.ts";
import { resourceFaults } from "./resource-faults.ts";

const listable = { filter: "everyone", sort: "everyone" } as const;

/** The words of the choice that holds the states; `never` without a lifecycle. */
type StatesOf<Fields, StateField extends keyof Fields> =
  Fields[StateField] extends Field<infer Value, infer _Default> ? Extract<Value, string> : never;

/**
 * Declares a resource: its fields, its owner, and who may access which rows. Tables, routes,
 * validation and documentation follow from the declaration.
 * @throws DeclarationError for a declaration that cannot work, with all its faults. Each fault
 *   names the resource and the place in it, and says what would be right.
 */
export const defineResource = <
  const Name extends string,
  const Fields extends Readonly<Record<Name, Field>>,
  const Plural extends string,
  const StateField extends Name = never,
>(
  definition: ResourceDefinition<Name, StateField, StatesOf<Fields, StateField>> & {
    readonly fields: Fields;
    readonly plural: Plural;
  },
): Resource<{
  // Written out, so that declarations name nothing but `Field`, also for a field that is spread.
  readonly fields: {
    readonly [One in keyof Fields]: Fields[One] extends Field<infer Value, infer Default>
      ? Field<Value, Default>
      : Field;
  };
  readonly plural: Plural;
  readonly state: StatesOf<Fields, StateField>;
}> => {
  const fields: Readonly<Record<string, Field>> = {
    id: id(),
    ...filledByServer(definition),
    created_at: timestamp({ ...listable, description: "When it was created." }),
    updated_at: timestamp({ ...listable, description: "When it was last changed." }),
  };
  refuseFaults(resourceFaults(definition, fields));
  return {
    ...definition,
    fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, withNfc(field)])),
    fieldNames: Object.keys(fields),
    table: definition.plural.replaceAll("-", "_"),
  };
};

/** The declared fields. The server fills the owner and the parent, so nobody writes them unless they say so. */
const filledByServer = (definition: ResourceDefinition): Readonly<Record<string, Field>> =>
  Object.fromEntries(
    Object.entries(definition?.fields ?? {}).map(([name, field]) => {
      const isFilled = name === definition.owner || name === definition.parent?.field;
      return [name, isFilled && field?.writtenByDefault ? { ...field, write: "nobody" } : field];
    }),
  );
