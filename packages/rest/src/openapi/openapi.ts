import type { ErrorCode, JsonSchema, Resource } from "@postern/core";
import { errorCatalogue } from "@postern/core/internal";
import { z } from "zod";
import type { Deprecation } from "../deprecations/deprecation.ts";
import { takesKey } from "../idempotency/keyed-request.ts";
import {
  type Described,
  describeSchema,
  mapSchema,
  marks,
  parametersOf,
  resolved,
} from "../json-schema/json-schema.ts";
import type { Steps } from "../limits/steps.ts";
import { type Operation, pathParameters } from "../operations/operation.ts";
import { bareProduct, type ProductInForce } from "../product.ts";
import { spoken } from "../resources/resource-words.ts";
import { type ApiVersion, bodiesIn } from "../versions/api-versions.ts";
import { announced, schemasIn } from "./announced.ts";
import { reference, referredTo, sortedByName, when } from "./document-parts.ts";
import { exampleOf } from "./example-of.ts";
import { limited } from "./limited-schema.ts";
import {
  answerHeaders,
  challengeHeader,
  errorHeaders,
  goneHeaders,
  isTaggedRead,
  noticeHeaders,
  notModifiedHeaders,
  requestHeaders,
  successHeaders,
} from "./operation-headers.ts";
import { queryParametersOf } from "./query-parameters.ts";
import { emptyName, problemName } from "./response-names.ts";
import { withSpokenDefaults } from "./spoken-defaults.ts";
import { tagDescriptions, tagPlace } from "./tag-descriptions.ts";
import { wholeRows } from "./whole-rows.ts";

export type OpenApiDocument = Readonly<Record<string, unknown>>;

/** The codes of errors that can occur before an operation is reached. */
const commonErrors = (operation: Operation): readonly ErrorCode[] => {
  const { method, access, scope, signIn, body, roles, own } = operation;
  const isRaw = body === "raw";
  return [
    ...when(access !== "public", "unauthenticated"),
    ...when(isRaw, "bad_request"),
    ...when(!isRaw, "invalid_token", "token_expired", "unknown_parameter", "invalid_parameter", "malformed_header"),
    ...when(!isRaw, "multiple_credentials", "rate_limited", "overloaded"),
    ...when(method === "GET" && !isRaw, "precondition_failed"),
    ...when(access === "admin" || signIn === true || roles !== undefined, "forbidden"),
    ...when(scope !== undefined, "insufficient_scope"),
    ...when(!isRaw && body !== undefined, "invalid_json", "validation_failed", "unknown_field"),
    ...when(!isRaw && body !== undefined, "content_too_large", "unsupported_media_type"),
    ...when(takesKey(operation), "idempotency_in_progress", "idempotency_key_reused"),
    ...when(method !== "GET" || isRaw, "storage_full"),
    "internal_error",
    ...when(own !== undefined, "bad_output"),
    "unavailable",
  ];
};

/** Errors that a request can get although its schemas accept it. */
const afterSchema: ReadonlySet<ErrorCode> = new Set([
  "answer_too_large",
  "field_read_only",
  "invalid_cursor",
  "invalid_fields",
  "invalid_filter",
  "invalid_include",
  "invalid_sort",
]);

/**
 * Codes of problems with status 400, and of their faults, that a request can get although it is
 * valid by the document.
 */
const checkedAfterSchema = ({ errors = [], checkedAfterSchema: own = [] }: Operation) => {
  const codes = [...errors.filter((code) => afterSchema.has(code)), ...own];
  return codes.length === 0 ? {} : { "x-checked-after-schema": codes.toSorted() };
};

const headersOf = (names: readonly string[]) => ({
  headers: Object.fromEntries(names.map((name) => [name, reference("headers", name)])),
});

/** Codes in the order of the catalogue, so that equal sets get the same text; then those of the application. */
const inOrder = (codes: readonly string[]): readonly string[] => {
  const known = Object.keys(errorCatalogue);
  return [...known.filter((code) => codes.includes(code)), ...codes.filter((code) => !known.includes(code))];
};

/** The titles of the codes that an operation can answer. */
const titlesFor = (operation: Operation | undefined): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(errorCatalogue).map(([code, { title }]) => [code, `${title}.`])),
  ...operation?.refusals,
});

/**
 * A single code has its title beside it. If there are several, the page of each code explains it.
 */
const codesTold = (codes: readonly string[], operation?: Operation): string => {
  const [first, ...others] = codes;
  if (first !== undefined && others.length === 0) return `\`${first}\`: ${titlesFor(operation)[first]}`;
  return `${codes.map((code) => `\`${code}\``).join(", ")}.`;
};

const problemResponse = (operation: Operation | undefined, status: number, codes: readonly string[]) => ({
  // Answers to webhooks have no headers about rates.
  [marks.part]: `${problemName(status, codes)}${operation?.body === "raw" ? "_webhook" : ""}`,
  description: codesTold(inOrder(codes), operation),
  ...headersOf(errorHeaders(operation, status)),
  content: { "application/problem+json": { schema: reference("schemas", "problem") } },
});

const schemaAlone = ({ schema: { [marks.example]: _example, ...schema } }: Described): JsonSchema => schema;

const bodySchema = (body: Described): JsonSchema => {
  const { examples: _said, ...schema } = schemaAlone(withSpokenDefaults(body));
  return schema;
};

/**
 * The body of an answer. Its schemas describe it, with examples of single members. The docs page
 * makes a whole example from the schema.
 */
const answerContent = (type: string, described: Described) => ({ [type]: { schema: schemaAlone(described) } });

const bodyContent = (type: string, described: Described) => ({
  [type]: { schema: bodySchema(described), example: exampleOf(described) },
});

const emptyAnswer = (word: string, description: string, headers: readonly string[]) => ({
  [marks.part]: emptyName(word, headers),
  description,
  ...headersOf(headers),
});

/** The forms of a list, besides JSON, that `Accept` can ask for. */
const otherForms = ({ list, success: { alternatives = [] } }: Operation): Record<string, unknown> =>
  list === true ? Object.fromEntries(alternatives.map((type) => [type, { schema: { type: "string" } }])) : {};

/** A refusal that names a field is 400, and any other is 409. */
const refusalStatuses = ({ body, query }: Operation): readonly number[] =>
  body === undefined && query === undefined ? [409] : [400, 409];

const responsesOf = (operation: Operation, answer: Described | undefined): Record<string, unknown> => {
  const byStatus = new Map<number, string[]>();
  const add = (status: number, code: string): void => {
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  };
  for (const code of new Set([...commonErrors(operation), ...(operation.errors ?? [])])) {
    add(errorCatalogue[code].status, code);
  }
  for (const code of Object.keys(operation.refusals ?? {})) {
    for (const status of refusalStatuses(operation)) add(status, code);
  }
  const { success, creates, accepted } = operation;
  const bare = answer !== undefined && resolved(answer).type === "array";
  const headers = successHeaders(operation, bare);
  const responses: Record<string, unknown> = {
    [success.status]: {
      description: success.description,
      ...headersOf(headers),
      content: answer && {
        ...answerContent(success.contentType ?? "application/json", answer),
        ...otherForms(operation),
      },
    },
  };
  if (creates !== undefined) {
    responses[201] = {
      description: creates,
      ...headersOf([...headers, "Location"]),
      content: answer && answerContent("application/json", answer),
    };
  }
  if (accepted !== undefined) {
    const without = { ...operation, success: { status: 202, description: "" } };
    responses[202] = { description: accepted, ...headersOf(successHeaders(without, false)) };
  }
  if (operation.minimal === true) {
    const located = creates === undefined ? headers : [...headers, "Location"];
    responses[204] = emptyAnswer("204_minimal", "Done, as `Prefer: return=minimal` asks.", located);
  }
  if (isTaggedRead(operation)) {
    responses[304] = emptyAnswer("304", "It is what `If-None-Match` names.", notModifiedHeaders(operation));
  }
  for (const [status, codes] of byStatus) responses[status] = problemResponse(operation, status, codes);
  return { ...responses, default: reference("responses", "Other") };
};

const requestErrors: readonly ErrorCode[] = [
  "bad_request",
  "method_not_allowed",
  "not_acceptable",
  "request_timeout",
  "uri_too_long",
  "headers_too_large",
];

/** Errors that do not belong to a single operation: those of the request itself. */
const otherErrors = {
  ...problemResponse(undefined, 400, requestErrors),
  [marks.part]: undefined,
  description: `The request as such cannot be answered, whatever it asks for: ${codesTold(inOrder(requestErrors))}`,
};

const idParameter = { type: "string", minLength: 1, maxLength: 64, pattern: "^[^/?#]+$" } as const;

const uuidExample = "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a";

/** `me` works for every user. Ids of other users come from a list. */
const idExample = ({ name, owner }: Resource): string => (name === "user" && owner === "id" ? "me" : uuidExample);

/** What a parameter that is not the id of a resource contains: a word for it, and an example. */
const pathExample = (path: string, name: string): readonly [word: string, example: string] => {
  if (name === "token") return ["mailed", "act_2zX7mVqN4bKcY9RtWfLhJd_5sPgT8uEoA1iQwZnBxMvCr"];
  if (name === "provider") return ["sender", "acme"];
  if (name === "name") return path.startsWith("/admin/providers/") ? ["sender", "acme"] : ["queue", "default"];
  return /^\/admin\/(?:events|jobs)\//.test(path) ? ["number", "2051"] : ["uuid", uuidExample];
};

const pathParameterOf = (operation: Operation, name: string, resources: readonly Resource[]) => {
  const of = resources.find(({ plural }) => operation.path.startsWith(`/${plural}/{${name}}`));
  const self = of?.owner === "id" && name === "id" && of.name === "user" ? "; `me` is yourself" : "";
  const [word, example] = pathExample(operation.path, name);
  return {
    [marks.part]: of === undefined ? `${name}_${word}` : `${of.name}_id`,
    name,
    in: "path",
    required: true,
    description: of === undefined ? `The ${name} in the path.` : `The id of the ${spoken(of.name)}${self}.`,
    schema: { ...idParameter, examples: [of === undefined ? example : idExample(of)] },
  };
};

const requestBodyOf = (
  { method, body: given, rawLimitBytes, bodyOptional, own }: Operation,
  body: Described | undefined,
) => {
  if (given === undefined || (given === "raw" && method === "GET")) return undefined;
  if (given === "raw" || body === undefined) {
    return {
      required: true,
      description: "The body as the sender sends it, byte for byte; the signature covers these bytes.",
      // OpenAPI 3.1 describes bytes by a schema without a type; the type `string` would mean a JSON
      // text in quotes. The length then counts bytes.
      content: { "*/*": { schema: { maxLength: rawLimitBytes ?? 5 * 1024 * 1024 } } },
    };
  }
  const isPatch = method === "PATCH" && own === undefined;
  return {
    required: bodyOptional !== true,
    description: isPatch ? "The members to change; null removes one." : "A JSON object.",
    content: {
      ...(isPatch ? bodyContent("application/merge-patch+json", body) : {}),
      ...bodyContent("application/json", body),
    },
  };
};

const who = {
  public: "Anyone may call this.",
  user: "Needs a signed-in user, and answers only what that user may see.",
  admin: "For administrators.",
} as const;

const rolesTold = (roles: readonly string[] = []): string => roles.map((role) => `\`${role}\``).join(", ");

const descriptionOf = ({ access, body, scope, widerScopes = {}, ...operation }: Operation): string =>
  [
    body === "raw" ? "The signature is the credential." : who[access],
    ...when(operation.roles !== undefined, `Only for the roles ${rolesTold(operation.roles)}, and administrators.`),
    ...when(scope !== undefined, `An API key needs the scope \`${scope}\`.`),
    ...Object.entries(widerScopes).map(([wider, adds]) => `The scope \`${wider}\` adds ${adds}.`),
    ...when(operation.signIn === true, "Needs a sign-in: API keys cannot do this."),
    ...when(operation.requiresIfMatch === true, "Answers 428 to a write without `If-Match`."),
    ...when(operation.list === true, 'Paged: follow `Link` rel="next" or the page\'s cursors.'),
  ].join(" ");

/**
 * The credentials that are accepted. The scope is listed where OpenAPI 3.1 allows roles for a
 * scheme without scopes.
 */
const securityOf = ({ access, body, scope, signIn }: Operation) => {
  if (body === "raw") return { security: [{}] };
  const scopes = scope === undefined ? [] : [scope];
  const bearer = { bearer: scopes };
  if (access === "public") return { security: [{}, bearer] };
  if (signIn !== true) return { security: [bearer] };
  // An API key cannot call this operation, so there is no scope to name. OpenAPI 3.1 allows the
  // name of a role here.
  return { security: [{ bearer: access === "admin" ? ["admin"] : [] }] };
};

const mapDescribed = ({ schema, components }: Described, map: (schema: JsonSchema) => JsonSchema): Described => ({
  schema: map(schema),
  components: Object.fromEntries(Object.entries(components).map(([name, one]) => [name, map(one)])),
});

/**
 * Answers may get new members at any time, so their schemas allow members that they do not name.
 * Patterns are only for texts that clients write, not for texts that they read.
 */
const open = ({ additionalProperties, pattern: _pattern, ...rest }: JsonSchema): JsonSchema => ({
  ...rest,
  ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties }),
});

const operationOf = (
  version: ApiVersion,
  operation: Operation,
  schemas: Record<string, JsonSchema>,
  resources: readonly Resource[],
) => {
  const conversion = version.conversion(operation);
  const { answer, body } = bodiesIn(version, operation);
  const cut = parametersOf(operation.query).includes("fields");
  const shown =
    answer &&
    wholeRows(
      mapDescribed(answer, (schema) => limited(mapSchema(schema, open))),
      cut,
    );
  const taken = body && mapDescribed(body, limited);
  Object.assign(schemas, shown?.components, taken && withSpokenDefaults(taken).components);
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: conversion?.textDown(descriptionOf(operation)) ?? descriptionOf(operation),
    tags: [operation.tag],
    ...(operation.confirm === undefined ? {} : { "x-postern-confirm": operation.confirm }),
    ...securityOf(operation),
    parameters: [
      ...pathParameters(operation.path).map((name) => pathParameterOf(operation, name, resources)),
      ...queryParametersOf(version, operation, answer),
      ...requestHeaders(operation),
    ],
    requestBody: requestBodyOf(operation, taken),
    ...checkedAfterSchema(operation),
    responses: responsesOf(operation, shown),
  };
};

/** What answers to a request that uses something deprecated, or removed, have in addition. */
const told = {
  ...headersOf(noticeHeaders),
  gone: {
    ...problemResponse(undefined, 410, ["feature_removed", "endpoint_removed", "version_retired"]),
    ...headersOf(goneHeaders),
  },
};

/**
 * Makes the OpenAPI 3.1 document of one version from the operations and their schemas, one
 * operation per step. So the document describes what is served. `deprecations` is the registry.
 */
export function* openApiSteps(
  version: ApiVersion,
  resources: readonly Resource[],
  deprecations: readonly Deprecation[] = [],
  product: ProductInForce = bareProduct,
): Steps<OpenApiDocument> {
  const schemas: Record<string, JsonSchema> = { problem: limited(describeSchema(problemSchema, "output").schema) };
  const paths: Record<string, Record<string, unknown>> = {};
  const described = version.operations
    .filter(({ unversioned }) => unversioned !== true)
    .toSorted((left, right) => tagPlace(left.tag) - tagPlace(right.tag));
  for (const operation of described) {
    const path = paths[operation.path] ?? {};
    paths[operation.path] = path;
    path[operation.method.toLowerCase()] = operationOf(version, operation, schemas, resources);
    yield;
  }
  const tags = [...new Set(described.map(({ tag }) => tag))];
  const concerned = deprecations.filter(({ target }) => target.version === version.id);
  const isTold = concerned.length > 0;
  // An older version may not use every schema of the newest version.
  const used = schemasIn([paths, schemas.problem], schemas);
  const usedHeaders = referredTo("headers", [paths, otherErrors, isTold ? told : {}]);
  const document = {
    openapi: "3.1.1",
    info: {
      title: product.title,
      version: `${version.id.slice(1)}.0.0`,
      ...(product.summary === undefined ? {} : { summary: product.summary }),
      description: [...(product.description === undefined ? [] : [product.description]), introductionOf(version)].join(
        "\n\n",
      ),
      ...(product.contact === undefined ? {} : { contact: product.contact }),
      ...(product.license === undefined ? {} : { license: product.license }),
    },
    servers: [{ url: `/api/${version.id}`, description: `Version ${version.id} on this server.` }],
    security: [{ bearer: [] }],
    tags: tags.map((name) => ({ name, description: tagDescriptions(name, resources) })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "An access token from POST /sessions, or an API key (RFC 6750). Both are opaque: do not parse them. An API key needs the scope that an operation names.",
        },
      },
      responses: { Other: otherErrors },
      headers: Object.fromEntries(
        Object.entries({ ...answerHeaders, "WWW-Authenticate": challengeHeader(product.realm) }).filter(([name]) =>
          usedHeaders.has(name),
        ),
      ),
      schemas: sortedByName(Object.entries(schemas).filter(([name]) => used.has(name))),
    },
  };
  return isTold ? announced(document, concerned, told) : document;
}

/** What a reader of the document must know first: which paths it describes, and what they have in common. */
const introductionOf = ({ id }: ApiVersion): string =>
  [
    `This is version ${id} of the API. All paths in this document are below \`/api/${id}\`. The paths directly below \`/api\`, such as \`/api/openapi.json\`, belong to the default version of the server; \`GET /api\` names it as \`default\`.`,
    "Send and expect JSON. Errors are `application/problem+json` (RFC 9457) with a stable `code`; `/api/problems/{code}` says what the code means and how to fix the request.",
    "Requests are strict: an unknown member or parameter is refused. Answers are open: new members and values may come at any time, so ignore those that you do not know.",
    "Texts that are unique, or by which lists can be filtered, are stored, compared and answered in Unicode's normal form NFC: write and search them in any form.",
  ].join("\n\n");

const problemExample = {
  type: "/api/problems/precondition_failed",
  title: errorCatalogue.precondition_failed.title,
  status: errorCatalogue.precondition_failed.status,
  instance: "/api/v2/posts/019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
  code: "precondition_failed",
  request_id: "3f1d9a52-8c0e-4a53-9a57-0f5b7d9c2e11",
};

const text = (most: number, pattern: RegExp) => z.string().max(most).regex(pattern);
const codeText = text(64, /^[a-z_]+$/);
const pointerMeta = { description: "The member of the body (RFC 6901).", format: "json-pointer" };
const fault = z.object({
  pointer: z.string().max(2048).optional().meta(pointerMeta),
  parameter: text(2048, /^/).optional().meta({ description: "The query parameter." }),
  header: text(64, /^[A-Za-z-]+$/)
    .optional()
    .meta({ description: "The request header." }),
  code: codeText,
  detail: text(2048, /\S/),
});
const problemSchema = z
  .looseObject({
    type: z.string().max(256).meta({ description: "Where the code is explained.", format: "uri-reference" }),
    title: text(256, /\S/),
    status: z.int().min(400).max(599),
    detail: text(8192, /\S/).optional().meta({ description: "What was wrong, and what to do." }),
    instance: z.string().max(8192).meta({ description: "The path of the request.", format: "uri-reference" }),
    code: codeText.meta({ description: "Stable: programs can rely on it." }),
    request_id: text(128, /^[A-Za-z0-9._-]+$/),
    errors: z.array(fault).max(1000).optional().meta({ description: "Each thing that was wrong, with its place." }),
  })
  .meta({ examples: [problemExample] });
