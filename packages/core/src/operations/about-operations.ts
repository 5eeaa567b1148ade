import { z } from "zod";
import { docsPageOf, docsPagePolicy } from "../documentation/docs-page.ts";
import { openApiOf } from "../documentation/openapi.ts";
import { AppError, errorCatalogue } from "../errors/index.ts";
import { apiVersions } from "../versions/index.ts";
import { defineOperation, type Operation } from "./operation.ts";

const versionFacts = z.object({
  id: z.string(),
  status: z.enum(["current", "deprecated"]),
  openapi: z.string(),
  docs: z.string(),
});

/** What the API says about itself. */
export const aboutOperations: readonly Operation[] = [
  defineOperation({
    id: "about.versions",
    method: "GET",
    path: "/",
    unversioned: true,
    access: "public",
    summary: "List the versions of this API",
    tag: "about",
    success: { status: 200, description: "The versions.", body: z.object({ versions: z.array(versionFacts) }) },
    handle: async () => ({
      status: 200,
      body: {
        versions: apiVersions.map(({ id, status }) => ({
          id,
          status,
          openapi: `/api/${id}/openapi.json`,
          docs: `/api/${id}/docs`,
        })),
      },
    }),
  }),
  defineOperation({
    id: "about.problem",
    method: "GET",
    path: "/problems/{code}",
    unversioned: true,
    access: "public",
    summary: "Explain an error code",
    tag: "about",
    success: {
      status: 200,
      description: "What the code means.",
      body: z.object({ code: z.string(), status: z.int(), title: z.string() }),
    },
    errors: ["not_found"],
    handle: async ({ params }) => {
      const entry = Object.entries(errorCatalogue).find(([code]) => code === params.code);
      if (entry === undefined) throw new AppError("not_found", { detail: "There is no such error code." });
      return { status: 200, body: { code: entry[0], ...entry[1] } };
    },
  }),
  defineOperation({
    id: "about.openapi",
    method: "GET",
    path: "/openapi.json",
    access: "public",
    summary: "This version as an OpenAPI document",
    tag: "about",
    success: { status: 200, description: "OpenAPI 3.1.", body: z.looseObject({ openapi: z.string() }) },
    handle: async ({ environment, request }) => ({
      status: 200,
      body: openApiOf(request.version, environment.operations),
    }),
  }),
  defineOperation({
    id: "about.docs",
    method: "GET",
    path: "/docs",
    access: "public",
    summary: "This version as a page to read",
    tag: "about",
    success: { status: 200, description: "HTML.", body: z.string(), contentType: "text/html" },
    handle: async ({ environment, request }) => ({
      status: 200,
      headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": docsPagePolicy },
      text: docsPageOf(request.version, environment.operations),
    }),
  }),
];
