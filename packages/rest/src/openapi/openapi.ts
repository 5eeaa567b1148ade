import type { Resource } from "@postern/core";
import { type ErrorCode, errorCatalogue, type JsonSchema } from "@postern/core/parts";
import { z } from "zod";
import type { Deprecation } from "../deprecations/deprecation.ts";
import { takesKey } from "../idempotency/keyed-request.ts";
import { type Described, describeSchema, mapSchema, marks, propertiesOf } from "../json-schema/json-schema.ts";
import type { Steps } from "../limits/steps.ts";
import { type Operation, pathParameters } from "../operations/operation.ts";
import { spoken } from "../resources/resource-words.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { answerOf, bodyOf } from "../versions/conversion.ts";
import { resolved } from "../versions/walk.ts";
import { announced, schemasIn } from "./announced.ts";
import { exampleOf } from "./example-of.ts";
import { limited } from "./limited-schema.ts";
import {
  answerHeaders,
  errorHeaders,
  goneHeaders,
  isStream,
  noticeHeaders,
  notModifiedHeaders,
  requestHeaders,
  successHeaders,
} from "./operation-headers.ts";
import { queryParametersOf } from "./query-parameters.ts";
import { emptyName, problemName } from "./response-names.ts";
import { tagDescriptions, tagPlace } from "./tag-descriptions.ts";
import { wholeRows } from "./whole-rows.ts";

export type OpenApiDocument = Readonly<Record<string, unknown>>;

interface Parts {
  readonly schemas: Record<string, JsonSchema>;
  readonly headers: Set<string>;
}

const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** The codes of errors that can occur before an operation is reached. */
const commonErrors = (operation: Operation): readonly ErrorCode[] => [
  ...(operation.access === "public" ? [] : (["unauthenticated"] as const)),
  ...(operation.body === "raw"
    ? (["bad_request"] as const)
    : (["invalid_token", "token_expired", "unknown_parameter"] as const)),
  ...(operation.method === "GET" ? (["precondition_failed"] as const) : []),
  ...(operation.access === "admin" || operation.signIn === true ? (["forbidden"] as const) : []),
  ...(operation.scope === undefined ? [] : (["insufficient_scope"] as const)),
  ...(operation.body === undefined || operation.body === "raw"
    ? []
    : (["invalid_json", "validation_failed", "unknown_field", "content_too_large", "unsupported_media_type"] as const)),
  ...(takesKey(operation) ? (["idempotency_in_progress", "idempotency_key_reused"] as const) : []),
  ...(operation.body === "raw"
    ? []
    : (["invalid_parameter", "malformed_header", "multiple_credentials", "rate_limited", "overloaded"] as const)),
  "internal_error",
  "unavailable",
  ...(operation.method === "GET" ? [] : (["storage_full"] as const)),
];

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

const headersOf = (names: readonly string[], { headers }: Parts) => {
  for (const name of names) headers.add(name);
  return { headers: Object.fromEntries(names.map((name) => [name, reference("headers", name)])) };
};

/** Codes in the order of the catalogue, so that equal sets get the same text. */
const inOrder = (codes: readonly ErrorCode[]): readonly ErrorCode[] => {
  const wanted = new Set(codes);
  // The catalogue's keys are the codes.
  return (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => wanted.has(code));
};

/**
 * A single code has its title beside it. If there are several, the page of each code explains it.
 */
const codesTold = (codes: readonly ErrorCode[]): string => {
  const [first, ...others] = codes;
  if (first !== undefined && others.length === 0) return `\`${first}\`: ${errorCatalogue[first].title}.`;
  return `${codes.map((code) => `\`${code}\``).join(", ")}.`;
};

const problemResponse = (
  operation: Operation | undefined,
  status: number,
  codes: readonly ErrorCode[],
  parts: Parts,
) => ({
  [marks.part]: problemName(status, codes),
  description: codesTold(inOrder(codes)),
  ...headersOf(errorHeaders(operation, status), parts),
  content: { "application/problem+json": { schema: reference("schemas", "problem") } },
});

const schemaAlone = ({ schema: { [marks.example]: _example, ...schema } }: Described): JsonSchema => schema;

const bodySchema = (body: Described): JsonSchema => {
  const { examples: _said, ...schema } = schemaAlone(body);
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

const emptyAnswer = (word: string, description: string, headers: readonly string[], parts: Parts) => ({
  [marks.part]: emptyName(word, headers),
  description,
  ...headersOf(headers, parts),
});

/** The forms of a list, besides JSON, that `Accept` can ask for. */
const otherForms = ({ list, success: { alternatives = [] } }: Operation): Record<string, unknown> =>
  list === true ? Object.fromEntries(alternatives.map((type) => [type, { schema: { type: "string" } }])) : {};

const responsesOf = (operation: Operation, answer: Described | undefined, parts: Parts): Record<string, unknown> => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...commonErrors(operation), ...(operation.errors ?? [])])) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const { success } = operation;
  const bare = answer !== undefined && resolved(answer).type === "array";
  const responses: Record<string, unknown> = {
    [success.status]: {
      description: success.description,
      ...headersOf(successHeaders(operation, bare), parts),
      ...(answer === undefined
        ? {}
        : {
            content: { ...answerContent(success.contentType ?? "application/json", answer), ...otherForms(operation) },
          }),
    },
    ...(operation.creates === undefined
      ? {}
      : {
          201: {
            description: operation.creates,
            ...headersOf([...successHeaders(operation, bare), "Location"], parts),
            ...(answer === undefined ? {} : { content: answerContent("application/json", answer) }),
          },
        }),
    ...(operation.method === "GET" && !isStream(operation)
      ? {
          304: emptyAnswer("304", "It is what `If-None-Match` names.", notModifiedHeaders(operation), parts),
        }
      : {}),
    ...(operation.minimal === true && success.status === 200
      ? {
          204: emptyAnswer(
            "204_minimal",
            "Done, as `Prefer: return=minimal` asks.",
            successHeaders(operation, bare),
            parts,
          ),
        }
      : {}),
  };
  if (operation.accepted !== undefined) {
    const described = headersOf(
      successHeaders({ ...operation, success: { status: 202, description: "" } }, false),
      parts,
    );
    responses[202] = { description: operation.accepted, ...described };
  }
  for (const [status, codes] of byStatus) responses[status] = problemResponse(operation, status, codes, parts);
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
const otherErrors = (parts: Parts) => {
  const { [marks.part]: _name, ...response } = problemResponse(undefined, 400, requestErrors, parts);
  return {
    Other: {
      ...response,
      description: `The request as such cannot be answered, whatever it asks for: ${codesTold(inOrder(requestErrors))}`,
    },
  };
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

const requestBodyOf = (operation: Operation, body: Described | undefined): Record<string, unknown> => {
  if (operation.body === undefined) return {};
  if (operation.body === "raw" || body === undefined) {
    const description = "The body as the sender sends it, byte for byte; the signature covers these bytes.";
    return {
      requestBody: {
        required: true,
        description,
        content: {
          // OpenAPI 3.1 describes bytes by a schema without a type; the type `string` would mean a
          // JSON text in quotes. The length then counts bytes.
          "*/*": { schema: { maxLength: operation.rawLimitBytes ?? 5 * 1024 * 1024 } },
        },
      },
    };
  }
  const types =
    operation.method === "PATCH" ? ["application/merge-patch+json", "application/json"] : ["application/json"];
  return {
    requestBody: {
      required: operation.bodyOptional !== true,
      description: operation.method === "PATCH" ? "The members to change; null removes one." : "A JSON object.",
      content: Object.assign({}, ...types.map((type) => bodyContent(type, body))),
    },
  };
};

const who = {
  public: "Anyone may call this.",
  user: "Needs a signed-in user, and answers only what that user may see.",
  admin: "For administrators.",
} as const;

const descriptionOf = (operation: Operation): string =>
  [
    operation.body === "raw" ? "The signature is the credential." : who[operation.access],
    ...(operation.scope === undefined ? [] : [`An API key needs the scope \`${operation.scope}\`.`]),
    ...Object.entries(operation.widerScopes ?? {}).map(([scope, adds]) => `The scope \`${scope}\` adds ${adds}.`),
    ...(operation.signIn === true ? ["Needs a sign-in: API keys cannot do this."] : []),
    ...(operation.requiresIfMatch === true ? ["Answers 428 to a write without `If-Match`."] : []),
    ...(operation.list === true ? ['Paged: follow `Link` rel="next" or the page\'s cursors.'] : []),
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

/**
 * Answers may get new members at any time, so their schemas allow members that they do not name.
 */
const opened = (described: Described): Described => {
  // Patterns are only for texts that clients write, not for texts that they read.
  const open = ({ additionalProperties, pattern: _pattern, ...rest }: JsonSchema): JsonSchema => ({
    ...rest,
    ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties }),
  });
  const map = (schema: JsonSchema) => limited(mapSchema(schema, open));
  return {
    schema: map(described.schema),
    components: Object.fromEntries(Object.entries(described.components).map(([name, one]) => [name, map(one)])),
  };
};

const closed = (described: Described): Described => ({
  schema: limited(described.schema),
  components: Object.fromEntries(Object.entries(described.components).map(([name, one]) => [name, limited(one)])),
});

const operationOf = (version: ApiVersion, operation: Operation, parts: Parts, resources: readonly Resource[]) => {
  const conversion = version.conversion(operation);
  const told = <Of>(older: Of | undefined, newest: () => Of | undefined): Of | undefined =>
    conversion === undefined ? newest() : older;
  const answer = told(conversion?.answer, () => answerOf(operation));
  const body = told(conversion?.body, () => bodyOf(operation));
  const cut =
    operation.query !== undefined && propertiesOf(describeSchema(operation.query, "input").schema).has("fields");
  const described = { answer: answer && wholeRows(opened(answer), cut), body: body && closed(body) };
  Object.assign(parts.schemas, described.answer?.components, described.body?.components);
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: conversion?.textDown(descriptionOf(operation)) ?? descriptionOf(operation),
    tags: [operation.tag],
    ...securityOf(operation),
    parameters: [
      ...pathParameters(operation.path).map((name) => pathParameterOf(operation, name, resources)),
      ...queryParametersOf(version, operation, answer),
      ...requestHeaders(operation),
    ],
    ...requestBodyOf(operation, described.body),
    ...checkedAfterSchema(operation),
    responses: responsesOf(operation, described.answer, parts),
  };
};

const toldIn = (parts: Parts) => ({
  headers: headersOf(noticeHeaders, parts).headers,
  gone: {
    ...problemResponse(undefined, 410, ["feature_removed", "endpoint_removed", "version_retired"], parts),
    ...headersOf(goneHeaders, parts),
  },
});

/**
 * Makes the OpenAPI 3.1 document of one version from the operations and their schemas, one
 * operation per step. So the document describes what is served. `deprecations` is the registry.
 */
export function* openApiSteps(
  version: ApiVersion,
  resources: readonly Resource[],
  deprecations: readonly Deprecation[] = [],
): Steps<OpenApiDocument> {
  const parts: Parts = {
    schemas: { problem: limited(describeSchema(problemSchema, "output").schema) },
    headers: new Set(),
  };
  const paths: Record<string, Record<string, unknown>> = {};
  const described = version.operations
    .filter(({ unversioned }) => unversioned !== true)
    .toSorted((left, right) => tagPlace(left.tag) - tagPlace(right.tag));
  for (const operation of described) {
    const path = paths[operation.path] ?? {};
    paths[operation.path] = path;
    path[operation.method.toLowerCase()] = operationOf(version, operation, parts, resources);
    yield;
  }
  const tags = [...new Set(described.map(({ tag }) => tag))];
  const concerned = deprecations.filter(({ target }) => target.version === version.id);
  const told = concerned.length === 0 ? undefined : toldIn(parts);
  // An older version may not use every schema of the newest version.
  const used = schemasIn([paths, parts.schemas.problem], parts.schemas);
  const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]) => (left < right ? -1 : 1);
  const document = {
    openapi: "3.1.1",
    info: {
      title: "Postern",
      version: `${version.id.slice(1)}.0.0`,
      summary: "A REST API and a webhook inbox.",
      description: introductionOf(version),
      contact: { name: "Postern", url: "https://github.com/postern/postern" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
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
      responses: otherErrors(parts),
      headers: Object.fromEntries(Object.entries(answerHeaders).filter(([name]) => parts.headers.has(name))),
      schemas: Object.fromEntries(
        Object.entries(parts.schemas)
          .filter(([name]) => used.has(name))
          .toSorted(byName),
      ),
    },
  };
  return told === undefined ? document : announced(document, concerned, told);
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

const codeText = z
  .string()
  .max(64)
  .regex(/^[a-z_]+$/);
const problemSchema = z
  .looseObject({
    type: z.string().max(256).meta({ description: "Where the code is explained.", format: "uri-reference" }),
    title: z.string().max(256).regex(/\S/),
    status: z.int().min(400).max(599),
    detail: z.string().max(8192).regex(/\S/).optional().meta({ description: "What was wrong, and what to do." }),
    instance: z.string().max(8192).meta({ description: "The path of the request.", format: "uri-reference" }),
    code: codeText.meta({ description: "Stable: programs can rely on it." }),
    request_id: z
      .string()
      .max(128)
      .regex(/^[A-Za-z0-9._-]+$/),
    errors: z
      .array(
        z.object({
          pointer: z
            .string()
            .max(2048)
            .optional()
            .meta({ description: "The member of the body (RFC 6901).", format: "json-pointer" }),
          parameter: z.string().max(2048).regex(/^/).optional().meta({ description: "The query parameter." }),
          header: z
            .string()
            .max(64)
            .regex(/^[A-Za-z-]+$/)
            .optional()
            .meta({ description: "The request header." }),
          code: codeText,
          detail: z.string().max(2048).regex(/\S/),
        }),
      )
      .max(1000)
      .optional()
      .meta({ description: "Each thing that was wrong, with its place." }),
  })
  .meta({ examples: [problemExample] });
