/** What the OpenAPI document of this server says about the rows of its resources. */

import { type Address, api, type Method, type Readable } from "./address.ts";
import { useLive } from "./api.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly maxLength?: number;
  readonly readOnly?: boolean;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly "x-resource"?: string;
  readonly "x-list"?: boolean;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly { readonly bearer?: readonly string[] }[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body>>;
  readonly "x-postern-confirm"?: string;
}

export interface OpenApi {
  readonly "x-roles": Readonly<Record<string, { readonly scopes: readonly string[]; readonly description: string }>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

export const openApi = api("/openapi.json") as unknown as Address<Readable<OpenApi>>;
/** The document of this server. */
export const useOpenApi = () => useLive(openApi);

/** A member of a row or of a request's body. */
export interface Member {
  readonly name: string;
  readonly description: string;
  readonly kind: "text" | "prose" | "number" | "boolean" | "choice" | "date" | "time" | "words" | "json";
  readonly choices: readonly string[];
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  readonly maxLength: number | undefined;
}

/** A parameter `filter[…]` of a list. */
export interface Filter extends Member {
  readonly parameter: string;
  /** `contains`, `lt`, …; none for equality. */
  readonly operator: string | undefined;
}

/** A list of rows, with what the document allows for it. */
export interface RowList {
  /** The path in the document, such as `/posts/{id}/comments`. */
  readonly template: string;
  readonly title: string;
  readonly description: string;
  readonly resource: string;
  readonly members: readonly Member[];
  readonly filters: readonly Filter[];
  readonly sorts: readonly string[];
  /** What a new row takes; none if none can be made here. */
  readonly creates: readonly Member[] | undefined;
}

/** One row, with what the document allows for it. */
export interface RowPlace {
  readonly template: string;
  readonly resource: string;
  readonly members: readonly Member[];
  /** What can be changed; none if nothing can. */
  readonly changes: readonly Member[] | undefined;
  readonly canDelete: boolean;
  /** The relations that lead to one row, as `include` names them, each with its resource. */
  readonly relations: readonly (readonly [name: string, resource: string])[];
}

const proseFrom = 500;

/** The schema with what it refers to, and whether it allows null. */
const flat = (api: OpenApi, schema: Schema): Schema & { readonly isNullable?: boolean } => {
  const named = schema.$ref === undefined ? {} : flat(api, api.components.schemas[last(schema.$ref)] ?? {});
  const { $ref: _ref, anyOf, allOf = [], ...own } = schema;
  const choices = (anyOf ?? []).filter(({ type }) => type !== "null");
  const parts = [named, ...allOf.map((part) => flat(api, part)), ...choices.slice(0, 1).map((one) => flat(api, one))];
  const properties = Object.assign({}, ...parts.map((part) => part.properties), own.properties);
  const types = [own.type ?? parts.find(({ type }) => type !== undefined)?.type ?? []].flat();
  return {
    ...Object.assign({}, ...parts),
    ...own,
    properties,
    ...(types.length === 0 ? {} : { type: types.find((type) => type !== "null") ?? "null" }),
    isNullable: choices.length < (anyOf?.length ?? 0) || types.includes("null"),
  };
};

const last = (path: string): string => path.split("/").at(-1) ?? "";

const kindOf = ({ type, format, enum: choices, maxLength = 0, items }: Schema): Member["kind"] => {
  if (choices !== undefined) return "choice";
  if (type === "integer" || type === "number") return "number";
  if (type === "boolean") return "boolean";
  if (type === "array" && items?.type === "string") return "words";
  if (type !== "string") return "json";
  if (format === "date") return "date";
  if (format === "date-time") return "time";
  return maxLength > proseFrom ? "prose" : "text";
};

const memberOf = (api: OpenApi, name: string, schema: Schema, required: readonly string[] = []): Member => {
  const whole = flat(api, schema);
  return {
    name,
    description: whole.description ?? "",
    kind: kindOf(whole),
    choices: (whole.enum ?? []).map(String),
    isNullable: whole.isNullable === true,
    isRequired: required.includes(name),
    maxLength: whole.maxLength,
  };
};

const membersOf = (api: OpenApi, schema: Schema): readonly Member[] =>
  Object.entries(flat(api, schema).properties ?? {}).map(([name, one]) =>
    memberOf(api, name, one, flat(api, schema).required),
  );

/** The members of a body that a caller may set. */
const settable = (api: OpenApi, operation: Operation | undefined): readonly Member[] | undefined => {
  const body = operation?.requestBody?.content?.["application/json"]?.schema;
  if (body === undefined) return undefined;
  const { properties = {} } = flat(api, body);
  return membersOf(api, body).filter(({ name }) => flat(api, properties[name] ?? {}).readOnly !== true);
};

const answerOf = (operation: Operation | undefined): Schema =>
  operation?.responses?.["200"]?.content?.["application/json"]?.schema ?? {};

/** The relations of a row, which are no members of its own. */
const relationsOf = (api: OpenApi, schema: Schema) =>
  Object.entries(flat(api, schema).properties ?? {}).flatMap(([name, one]) => {
    const { "x-resource": resource, properties = {} } = flat(api, one);
    return resource !== undefined || ("data" in properties && "link" in properties) ? [{ name, resource }] : [];
  });

const ownMembers = (api: OpenApi, schema: Schema): readonly Member[] => {
  const relations = relationsOf(api, schema).map(({ name }) => name);
  return membersOf(api, schema).filter(({ name }) => !relations.includes(name));
};

const filterOf = (api: OpenApi, { name, description = "", schema = {} }: Parameter): readonly Filter[] => {
  const [, field, operator] = /^filter\[([^\]]+)\](?:\[([^\]]+)\])?$/.exec(name) ?? [];
  // `eq` says what the name alone says.
  if (field === undefined || operator === "eq") return [];
  const { items = schema } = flat(api, schema);
  return [{ ...memberOf(api, field, items), description, parameter: name, operator }];
};

const parametersOf = (api: OpenApi, { parameters = [] }: Operation): readonly Parameter[] =>
  parameters.map((one) => (one.$ref === undefined ? one : (api.components.parameters[last(one.$ref)] ?? one)));

/** Every list of rows of a resource. */
export const rowListsOf = (api: OpenApi): readonly RowList[] =>
  Object.entries(api.paths).flatMap(([template, { get, post }]) => {
    const answer = flat(api, answerOf(get));
    const row = answer.properties?.data?.items;
    const resource = row === undefined ? undefined : flat(api, row)["x-resource"];
    if (get === undefined || row === undefined || resource === undefined || answer["x-list"] !== true) return [];
    const parameters = parametersOf(api, get);
    const sort = parameters.find(({ name }) => name === "sort")?.schema;
    return [
      {
        template,
        title: last(template).replaceAll("-", " "),
        description: api.tags.find(({ name }) => name === get.tags?.[0])?.description ?? "",
        resource,
        members: ownMembers(api, row),
        filters: parameters.flatMap((one) => filterOf(api, one)),
        sorts: (sort?.items?.enum ?? []).map(String),
        creates: settable(api, post),
      },
    ];
  });

/** Every place of one row of a resource. */
export const rowPlacesOf = (api: OpenApi): readonly RowPlace[] =>
  Object.entries(api.paths).flatMap(([template, { get, patch, delete: remove }]) => {
    const row = flat(api, answerOf(get));
    const resource = row["x-resource"];
    if (resource === undefined || !template.endsWith("}")) return [];
    return [
      {
        template,
        resource,
        members: ownMembers(api, row),
        changes: settable(api, patch),
        canDelete: remove !== undefined,
        relations: relationsOf(api, row).flatMap(({ name, resource: to }) =>
          to === undefined ? [] : [[name, to] as const],
        ),
      },
    ];
  });

/** The scopes that operations below a path name, in the order of the alphabet. */
export const scopesOf = (api: OpenApi, below = "/"): readonly string[] =>
  [
    ...new Set(
      Object.entries(api.paths).flatMap(([path, methods]) =>
        (path.startsWith(below) ? Object.values(methods) : []).flatMap(({ security }) =>
          // A sign-in is demanded by a word that is no scope.
          (security ?? []).flatMap(({ bearer = [] }) => bearer.filter((scope) => scope.includes(":"))),
        ),
      ),
    ),
  ].toSorted();

/** Whether a path is one of those that the template stands for. */
export const fits = (template: string, path: string): boolean => {
  const parts = path.split("/");
  const wanted = template.split("/");
  return wanted.length === parts.length && wanted.every((one, at) => one.startsWith("{") || one === parts[at]);
};

/** What an operation asks before what cannot be undone; `undefined` if it asks nothing. */
export const questionOf = (api: OpenApi, method: Method, at: string): string | undefined => {
  const operations = Object.entries(api.paths).flatMap(([template, { [method.toLowerCase()]: operation }]) =>
    operation !== undefined && fits(template, at) ? [{ template, operation }] : [],
  );
  // A template may stand for a path that has an operation of its own.
  const { template, operation } = operations.find((one) => one.template === at) ?? operations[0] ?? {};
  const values = at.split("/");
  return operation?.["x-postern-confirm"]?.replace(/\{\w+\}/g, (name) =>
    decodeURIComponent(values[template?.split("/").indexOf(name) ?? -1] ?? ""),
  );
};
