import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "../errors/index.ts";
import { type Operation, pathParameters } from "../operations/operation.ts";
import { type ApiVersion, type JsonSchema, schemaDown } from "../versions/index.ts";

const jsonSchema = (schema: z.ZodType, io: "input" | "output"): JsonSchema => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
};

/** The codes that the way of a request can answer before an operation is reached. */
const commonErrors = (operation: Operation): readonly ErrorCode[] => [
  ...(operation.access === "public" ? [] : (["unauthenticated", "invalid_token", "token_expired"] as const)),
  ...(operation.access === "admin" ? (["forbidden"] as const) : []),
  ...(operation.query === undefined ? [] : (["invalid_parameter"] as const)),
  "unknown_parameter",
  ...(operation.body === undefined || operation.body === "raw"
    ? []
    : (["invalid_json", "validation_failed", "unknown_field", "content_too_large", "unsupported_media_type"] as const)),
  "internal_error",
  "unavailable",
];

const responsesOf = (version: ApiVersion, operation: Operation): Record<string, unknown> => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...commonErrors(operation), ...(operation.errors ?? [])])) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const { success } = operation;
  const contentType = success.contentType ?? "application/json";
  const responses: Record<string, unknown> = {
    [success.status]: {
      description: success.description,
      ...(success.body === undefined
        ? {}
        : {
            content: { [contentType]: { schema: schemaDown(version, operation, jsonSchema(success.body, "output")) } },
          }),
    },
  };
  for (const [status, codes] of byStatus) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].title}.`).join(" "),
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/problem" } } },
    };
  }
  return responses;
};

const queryParametersOf = (operation: Operation): readonly unknown[] => {
  if (operation.query === undefined) return [];
  const schema = jsonSchema(operation.query, "input");
  return Object.entries(z.record(z.string(), z.looseObject({})).parse(schema.properties ?? {})).map(
    ([name, { description, ...rest }]) => ({
      name,
      in: "query",
      required: Array.isArray(schema.required) && schema.required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    }),
  );
};

const requestBodyOf = (operation: Operation): Record<string, unknown> => {
  if (operation.body === undefined) return {};
  if (operation.body === "raw") {
    return { requestBody: { required: true, content: { "*/*": { schema: {} } } } };
  }
  const schema = jsonSchema(operation.body, "input");
  const types =
    operation.method === "PATCH" ? ["application/merge-patch+json", "application/json"] : ["application/json"];
  return {
    requestBody: {
      required: operation.bodyOptional !== true,
      content: Object.fromEntries(types.map((type) => [type, { schema }])),
    },
  };
};

/** The OpenAPI 3.1 document of one version, made from the operations and their schemas: what is served is what is described. */
export const openApiOf = (version: ApiVersion, operations: readonly Operation[]): Readonly<Record<string, unknown>> => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations.filter(({ unversioned }) => unversioned !== true)) {
    const path = paths[operation.path] ?? {};
    paths[operation.path] = path;
    path[operation.method.toLowerCase()] = {
      operationId: operation.id,
      summary: operation.summary,
      tags: [operation.tag],
      ...(operation.access === "public" ? { security: [] } : {}),
      parameters: [
        ...pathParameters(operation.path).map((name) => ({
          name,
          in: "path",
          required: true,
          schema: { type: "string" },
        })),
        ...queryParametersOf(operation),
      ],
      ...requestBodyOf(operation),
      responses: responsesOf(version, operation),
    };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Postern",
      version: `${version.id.slice(1)}.0.0`,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: `/api/${version.id}` }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: { problem: jsonSchema(problemSchema, "output") },
    },
  };
};

const problemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  instance: z.string(),
  code: z.string().meta({ description: "Stable; docs/errors.md lists them all." }),
  request_id: z.string(),
  errors: z
    .array(
      z.object({
        pointer: z.string().optional(),
        parameter: z.string().optional(),
        header: z.string().optional(),
        code: z.string(),
        detail: z.string(),
      }),
    )
    .optional(),
});
