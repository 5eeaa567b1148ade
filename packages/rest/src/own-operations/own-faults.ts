import type { AccessRule, OptionRules, Resource } from "@postern/core";
import {
  didYouMean,
  errorCatalogue,
  fieldsOf,
  isForNobody,
  isObject,
  isRule,
  oneOf,
  option,
  optionFaults,
  refusalCode,
  required,
} from "@postern/core/internal";
import { describeSchema, resolved } from "../json-schema/json-schema.ts";
import { type Operation, pathParameters } from "../operations/operation.ts";
import { answerSchemaOf, bodySchemaOf, querySchemaOf } from "./described-schema.ts";
import { isResource, takesQuery } from "./own-entry.ts";
import { isOwnOperation, type OwnOperation } from "./own-operation.ts";

const isSchema = (value: unknown): boolean => {
  const standard: unknown = Object(value)["~standard"];
  return isObject(standard) && typeof standard.validate === "function";
};

const aSchema = { is: isSchema, says: "a schema of Zod, or of another library with Standard Schema" };

const operationOptions: OptionRules = {
  id: required(option.aText),
  method: required(oneOf("GET", "POST", "PUT", "PATCH", "DELETE")),
  path: required(option.aText),
  summary: required(option.aText),
  access: required({
    is: (value) => value === "public" || isRule(value),
    says: '"public", or a rule such as signedIn, withRole("accountant") or ownedBy("author_id")',
  }),
  on: { is: isResource, says: "a resource made with defineResource" },
  resources: option.aList,
  input: aSchema,
  output: { is: (value) => isSchema(value) || isResource(value), says: "a schema or a resource" },
  status: { is: (value) => value === 200 || value === 201 || value === 202, says: "200, 201 or 202" },
  errors: option.anObject,
  idempotent: option.trueOrFalse,
  scope: option.aText,
  confirm: option.aText,
  handle: required(option.aFunction),
};

/** What the declarations of operations are checked against. */
interface Around {
  /** The operations of Postern and of the resources. */
  readonly others: readonly Operation[];
  readonly resources: readonly Resource[];
  /** The names of all roles. */
  readonly roles: readonly string[];
}

const idForm = /^[a-z][\w-]*(?:\.[a-z][\w-]*)*$/i;
const segmentForm = /^(?:[a-z0-9][a-z0-9._~-]*|\{[a-z]\w*\})$/i;

/** The same for all paths that lead to the same place. */
const shapeOf = ({ method, path }: Pick<Operation, "method" | "path">): string =>
  `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`;

const pathFaults = ({ path, on }: OwnOperation, resources: readonly Resource[]): readonly string[] => {
  const segments = path.split("/").slice(1);
  const wrong = segments.find((segment) => !segmentForm.test(segment));
  if (!path.startsWith("/") || wrong !== undefined) {
    const what = wrong === undefined || wrong === "" ? "" : `; "${wrong}" is no segment`;
    return [
      `path: "${path}" must be like /invoices/{id}/send, with each parameter as a whole segment in braces${what}`,
    ];
  }
  const names = pathParameters(path);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const [first, second] = segments;
  const below = resources.find(({ plural }) => plural === first);
  return [
    ...(twice === undefined ? [] : [`path: the parameter {${twice}} stands in it twice`]),
    ...(first === "admin" ? ["path: /admin is the part of the operators; choose another first segment"] : []),
    ...(on !== undefined && !names.includes("id")
      ? [`path: "on" loads the row of {id}, and "${path}" has no {id}`]
      : []),
    ...(below !== undefined && second === "{id}" && on !== undefined && on.name !== below.name
      ? [`path: {id} names a ${below.name} in "${path}", and "on" is ${on.name}`]
      : []),
    ...(below !== undefined && second !== undefined && /^\{(?!id\})/.test(second)
      ? [`path: a ${below.name} is named by {id}, not by ${second}`]
      : []),
  ];
};

/** The roles that a rule names. */
const rolesIn = (rule: AccessRule): readonly string[] => {
  if (rule.rule === "any" || rule.rule === "all") return rule.rules.flatMap(rolesIn);
  return rule.rule === "role" ? rule.roles : [];
};

const accessFaults = ({ access, on }: OwnOperation, roles: readonly string[]): readonly string[] => {
  if (access === "public") {
    return on === undefined ? [] : ['access: "public" opens no rows: with "on", give a rule that says whose they are'];
  }
  const unknown = rolesIn(access).filter((role) => !roles.includes(role));
  const fields = on === undefined ? [] : fieldsOf(access).filter((name) => !on.fieldNames.includes(name));
  return [
    ...(isForNobody(access) ? ["access: nobody could call it"] : []),
    ...(on === undefined && access.rule !== "signed-in" && access.rule !== "role"
      ? ['access: this rule is about rows: say with "on" of which resource']
      : []),
    ...unknown.map(
      (role) => `access: there is no role "${role}"${didYouMean([role], roles)}; there are ${roles.join(", ")}`,
    ),
    ...(on === undefined
      ? []
      : fields.map((name) => `access: a ${on.name} has no field "${name}"${didYouMean([name], on.fieldNames)}`)),
  ];
};

const resourceFaults = ({ on, resources: used = [], output }: OwnOperation, known: readonly Resource[]) => {
  const named = [...(on === undefined ? [] : [on]), ...used, ...(isResource(output) ? [output] : [])];
  const missing = named.filter((one) => !known.some(({ name }) => name === Object(one).name));
  return [...new Set(missing)].map(
    (one) => `it uses the resource "${String(Object(one).name)}", which is not declared; add it to "resources"`,
  );
};

const schemaFaults = (operation: OwnOperation): readonly string[] => {
  const { input, output } = operation;
  const faults: string[] = [];
  const trying = (what: string, look: () => string | undefined): void => {
    try {
      const fault = look();
      if (fault !== undefined) faults.push(`${what}: ${fault}`);
    } catch (thrown) {
      faults.push(`${what}: it cannot be described: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  };
  if (input !== undefined) {
    trying("input", () => {
      if (!takesQuery(operation)) {
        const { type } = resolved(describeSchema(bodySchemaOf(input, "input"), "input"));
        return type === "object" ? undefined : "a body is an object";
      }
      const query = querySchemaOf(input);
      if (query === undefined)
        return "the names of the query's parameters are not known: give a z.object, or a schema with a Standard JSON Schema";
      describeSchema(query, "input");
      return undefined;
    });
  }
  if (output !== undefined && !isResource(output)) {
    trying("output", () => void describeSchema(answerSchemaOf(output, "output"), "output"));
  }
  return faults;
};

const codeFaults = ({ errors = {} }: OwnOperation): readonly string[] =>
  Object.entries(errors).flatMap(([code, sentence]) => [
    ...(refusalCode.test(code) ? [] : [`errors: "${code}" must have lower-case letters and underscores, 64 at most`]),
    ...(Object.hasOwn(errorCatalogue, code) ? [`errors: "${code}" is a code of Postern; choose another`] : []),
    ...(typeof sentence === "string" && sentence !== ""
      ? []
      : [`errors: "${code}" needs a sentence that says what it means`]),
  ]);

const faultsOfOne = (operation: OwnOperation, { others, resources, roles }: Around): readonly string[] => {
  const { id, method, idempotent, output, status } = operation;
  const other = others.find((one) => one.id === id);
  const taken = others.find((one) => shapeOf(one) === shapeOf(operation));
  return [
    ...(idForm.test(id) ? [] : [`id: "${id}" must be like invoices.send`]),
    ...(/^admin(?:\.|$)/.test(id) ? ["id: admin.… are Postern's own; choose another"] : []),
    ...(other === undefined ? [] : [`id: "${id}" is an operation that exists already`]),
    ...(taken === undefined
      ? []
      : [`path: ${method} ${operation.path} is the operation "${taken.id}"; choose another path`]),
    ...(idempotent === true && (method === "GET" || method === "PUT")
      ? [`idempotent: a ${method} can be repeated as it is; leave it out`]
      : []),
    ...(status !== undefined && output === undefined ? ["status: without `output` it is 204; leave it out"] : []),
    ...pathFaults(operation, resources),
    ...accessFaults(operation, roles),
    ...resourceFaults(operation, resources),
    ...schemaFaults(operation),
    ...codeFaults(operation),
  ];
};

const placeOf = (given: unknown, index: number): string => {
  const id: unknown = Object(given).id;
  return typeof id === "string" && id !== "" ? `operation "${id}"` : `operations[${index}]`;
};

/** Everything that is wrong with the operations of an application, each fault with its place. */
export const ownOperationFaults = (operations: readonly unknown[], around: Around): readonly string[] => {
  const seen: { id: string; shape: string }[] = [];
  return operations.flatMap((given, index) => {
    const place = placeOf(given, index);
    const wrong = optionFaults(place, given, operationOptions);
    if (wrong.length > 0) return wrong;
    if (!isOwnOperation(given)) return [`${place}: make it with defineOperation`];
    const shape = shapeOf(given);
    const before = seen.find((one) => one.id === given.id || one.shape === shape);
    seen.push({ id: given.id, shape });
    const faults = faultsOfOne(given, around).map((fault) => `${place}: ${fault}`);
    if (before === undefined) return faults;
    return [
      ...faults,
      before.id === given.id
        ? `${place}: there are two operations with this id`
        : `${place}: path: ${given.method} ${given.path} is the operation "${before.id}", too`,
    ];
  });
};
