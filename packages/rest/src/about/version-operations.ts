import { z } from "zod";
import type { Operation } from "../operations/operation.ts";
import { newestOf } from "../versions/api-versions.ts";
import { aboutOperation, alternativesOf, day, formOf } from "./about-operation.ts";
import type { SelfDescription } from "./self-description.ts";

const versionFacts = z.object({
  id: z.string(),
  status: z.enum(["current", "deprecated"]),
  released: day,
  deprecated_at: day.nullable(),
  sunset_at: day.nullable(),
  openapi: z.string(),
  docs: z.string(),
  changelog: z.string(),
});

/** Lists the versions. */
export const listVersions = (self: () => SelfDescription): Operation =>
  aboutOperation({
    id: "about.versions",
    path: "/",
    unversioned: true,
    summary: "List the versions of this API",
    success: {
      status: 200,
      description: "The versions.",
      body: z.object({
        latest: z.string().meta({ description: "The newest version." }),
        default: z.string().meta({ description: "The version that answers under `/api/…` without a version." }),
        versions: z.array(versionFacts),
      }),
      alternatives: alternativesOf(["html"]),
    },
    handle: async (call) => {
      const { base, version } = call.request;
      if (formOf(call, undefined) === "html")
        return { status: 302, headers: { location: `${base}/docs`, vary: "Accept" } };
      return {
        status: 200,
        body: {
          latest: newestOf(self().versions).id,
          default: version.id,
          versions: self().versions.map(({ id, released }) => {
            const ending = self().deprecations.registry.find(
              ({ target }) => target.version === id && !("operation" in target) && !("resource" in target),
            );
            return {
              id,
              status: ending === undefined ? "current" : "deprecated",
              released,
              deprecated_at: ending?.deprecated ?? null,
              sunset_at: ending?.sunset ?? null,
              openapi: `/api/${id}/openapi.json`,
              docs: `/api/${id}/docs`,
              changelog: `/api/changelog?version=${id}`,
            };
          }),
        },
      };
    },
  });

/** The OpenAPI document of the requested version. */
export const readOpenApi = (self: () => SelfDescription): Operation =>
  aboutOperation({
    id: "about.openapi",
    path: "/openapi.json",
    summary: "This version as an OpenAPI document",
    success: {
      status: 200,
      description: "OpenAPI 3.1.",
      body: z.looseObject({
        openapi: z
          .string()
          .max(8)
          .meta({ examples: ["3.1.1"] }),
      }),
    },
    handle: async ({ request }) => ({
      status: 200,
      body: await self().openApi(request.version.id),
      isLasting: true,
    }),
  });

/** The documentation page of the requested version. */
export const readDocs = (self: () => SelfDescription): Operation =>
  aboutOperation({
    id: "about.docs",
    path: "/docs",
    summary: "This version as a page to read and to try out",
    success: { status: 200, description: "HTML.", body: z.string(), contentType: "text/html" },
    handle: async ({ request }) => self().docsPage(request.version.id),
  });
