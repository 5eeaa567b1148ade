import type { DeprecatedUseStore } from "@postern/core";
import { AppError, errorCatalogue } from "@postern/core";
import { timestampOf } from "@postern/core/parts";
import { z } from "zod";
import { type ChangeLog, type ChangeLogEntry, changeKinds } from "../changelog/change-log.ts";
import { type Deprecation, stateOf } from "../deprecations/deprecation.ts";
import type { Deprecations } from "../deprecations/deprecations.ts";
import type { OpenApiDocument } from "../openapi/openapi.ts";
import { defineOperation, type Operation } from "../operations/operation.ts";
import { answerList, cursorFor, defaultLimit, pageFacts, pageParameters, placeIn } from "../operations/page.ts";
import { changeLogFeed, changeLogMarkdown, changeLogPage } from "../pages/change-log-page.ts";
import { deprecationPage, deprecationsFeed, deprecationsPage } from "../pages/deprecations-page.ts";
import { docsScript } from "../pages/docs-script.ts";
import { docsStyle } from "../pages/docs-style.ts";
import { assetPaths, htmlHeaders } from "../pages/html.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { alternativesOf, formatParameter, formOf, textAnswer } from "./media-types.ts";

const day = z.iso.date();
const versionId = z
  .string()
  .max(8)
  .regex(/^v[1-9]\d*$/, { error: "a version like v1" });

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

const changeForms = ["json", "html", "atom", "markdown"] as const;
const deprecationForms = ["json", "html", "atom"] as const;

const changeEntry = z.object({
  id: z.string(),
  date: day,
  api_version: z.string(),
  kind: z.enum(changeKinds),
  breaking: z.boolean(),
  title: z.string(),
  target: z.object({ type: z.string(), name: z.string(), operations: z.array(z.string()) }),
  from: z.string().nullable(),
  to: z.string().nullable(),
  description: z.string(),
  migration: z.string(),
  deprecation_id: z.string().nullable(),
});

const deprecationStates = ["announced", "deprecated", "sunset"] as const;
const deprecationEntry = z.object({
  id: z.string(),
  state: z.enum(deprecationStates),
  target: z.object({
    version: z.string(),
    operation: z.string().optional(),
    parameter: z.string().optional(),
    resource: z.string().optional(),
    field: z.string().optional(),
  }),
  announced_at: day,
  deprecated_at: day,
  sunset_at: day,
  replacement: z.object({ version: z.string(), operation: z.string().optional(), field: z.string().optional() }),
  reason: z.string(),
  migration: z.string(),
  brown_outs: z.array(z.object({ from: z.string(), to: z.string() })),
});

const presentDeprecation = (entry: Deprecation, now: number): z.infer<typeof deprecationEntry> => ({
  id: entry.id,
  state: stateOf(entry, now),
  target: entry.target,
  announced_at: entry.announced,
  deprecated_at: entry.deprecated,
  sunset_at: entry.sunset,
  replacement: entry.replacement,
  reason: entry.reason,
  migration: entry.migration,
  brown_outs: [...(entry.brownOuts ?? [])],
});

const asset = (id: string, path: string, summary: string, contentType: string, text: string): Operation =>
  defineOperation({
    id,
    method: "GET",
    path: path.replace(/^\/api/, ""),
    unversioned: true,
    access: "public",
    summary,
    tag: "about",
    success: { status: 200, description: "A file.", body: z.string(), contentType },
    handle: async () => ({ status: 200, headers: { "content-type": `${contentType}; charset=utf-8` }, text }),
  });

/** What the API knows of itself. Complete once all operations are in the versions' tables. */
export interface SelfDescription {
  readonly versions: readonly ApiVersion[];
  readonly deprecations: Pick<Deprecations, "registry" | "flush">;
  /** What has changed from version to version. Made when it is first asked for. */
  /** Resolves when documents that are being made are ready; at once where none is being made. */
  ready(): Promise<void>;
  changeLog(): ChangeLog;
  openApi(version: string): OpenApiDocument;
  docsPage(version: string): string;
}

/**
 * The operations by which the API tells about itself. `self` is asked when one is called: the tables it
 * describes hold these operations, too.
 */
export const aboutOperations = (
  self: () => SelfDescription,
  deprecatedUses: Pick<DeprecatedUseStore, "sums">,
): readonly Operation[] => [
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
    id: "about.changelog",
    method: "GET",
    path: "/changelog",
    unversioned: true,
    access: "public",
    summary: "What changed in this API",
    tag: "about",
    query: z.strictObject({
      ...pageParameters,
      version: versionId.optional().meta({ description: "Only what this version brought, or what is about it." }),
      kind: z.enum(changeKinds).optional().meta({ description: "Only changes of this kind." }),
      breaking: z.enum(["true", "false"]).optional().meta({ description: "Only breaking changes, or only others." }),
      since: day.optional().meta({ description: "Not before this day." }),
      format: formatParameter(changeForms),
    }),
    success: {
      status: 200,
      description: "One page of the changes, newest first; in the other forms all of them.",
      body: z.object({ data: z.array(changeEntry), page: pageFacts }),
      alternatives: alternativesOf(changeForms),
    },
    errors: ["invalid_cursor"],
    handle: async (call) => {
      const { version, kind, breaking, since, format, limit = defaultLimit, cursor } = call.query;
      await self().ready();
      const entries = self()
        .changeLog()
        .entries.filter(
          (entry: ChangeLogEntry) =>
            (version === undefined || entry.api_version === version) &&
            (kind === undefined || entry.kind === kind) &&
            (breaking === undefined || entry.breaking === (breaking === "true")) &&
            (since === undefined || entry.date >= since),
        );
      const form = formOf(call, format);
      if (form === "html") return textAnswer(form, changeLogPage(entries, self().versions));
      if (form === "atom") return textAnswer(form, changeLogFeed(entries));
      if (form === "markdown") return textAnswer(form, changeLogMarkdown(entries));
      const list = `changelog:${JSON.stringify([version, kind, breaking, since])}`;
      const last = cursor === undefined ? undefined : await placeIn(call.cursors, list, cursor, z.string());
      // An entry stays where it is for ever; newer ones come in front of it.
      const from = entries.findIndex(({ id }) => id === last) + 1;
      return answerList(
        call.request,
        entries.slice(from, from + limit + 1),
        limit,
        (entry) => entry,
        ({ id }) => call.cursors.sealCursor(cursorFor(list, id)),
      );
    },
  }),
  defineOperation({
    id: "about.deprecations",
    method: "GET",
    path: "/deprecations",
    unversioned: true,
    access: "public",
    summary: "What will go away, and when",
    tag: "about",
    query: z.strictObject({
      version: versionId.optional().meta({ description: "Only what is about this version." }),
      state: z.enum(deprecationStates).optional().meta({ description: "Only what has come this far." }),
      format: formatParameter(deprecationForms),
    }),
    success: {
      status: 200,
      description: "The registry.",
      body: z.object({ data: z.array(deprecationEntry) }),
      alternatives: alternativesOf(deprecationForms),
    },
    handle: async (call) => {
      const { version, state, format } = call.query;
      const now = call.now();
      const entries = self().deprecations.registry.filter(
        (entry) =>
          (version === undefined || entry.target.version === version) &&
          (state === undefined || stateOf(entry, now) === state),
      );
      const form = formOf(call, format);
      if (form === "html") return textAnswer(form, deprecationsPage(entries, self().versions, now));
      if (form === "atom") return textAnswer(form, deprecationsFeed(entries));
      return { status: 200, body: { data: entries.map((entry) => presentDeprecation(entry, now)) } };
    },
  }),
  defineOperation({
    id: "about.deprecation",
    method: "GET",
    path: "/deprecations/{id}",
    unversioned: true,
    access: "public",
    summary: "One thing that will go away",
    tag: "about",
    query: z.strictObject({ format: formatParameter(["json", "html"]) }),
    success: {
      status: 200,
      description: "The entry of the registry.",
      body: deprecationEntry,
      alternatives: alternativesOf(["html"]),
    },
    errors: ["not_found"],
    handle: async (call) => {
      const entry = self().deprecations.registry.find(({ id }) => id === call.params.id);
      if (entry === undefined) throw new AppError("not_found", { detail: "There is no such deprecation." });
      const now = call.now();
      return formOf(call, call.query.format) === "html"
        ? textAnswer("html", deprecationPage(entry, self().versions, now))
        : { status: 200, body: presentDeprecation(entry, now) };
    },
  }),
  defineOperation({
    id: "about.openapi",
    method: "GET",
    path: "/openapi.json",
    access: "public",
    summary: "This version as an OpenAPI document",
    tag: "about",
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
    handle: async ({ request }) => {
      await self().ready();
      return { status: 200, body: self().openApi(request.version.id) };
    },
  }),
  defineOperation({
    id: "about.docs",
    method: "GET",
    path: "/docs",
    access: "public",
    summary: "This version as a page to read and to try out",
    tag: "about",
    success: { status: 200, description: "HTML.", body: z.string(), contentType: "text/html" },
    handle: async ({ request }) => {
      await self().ready();
      return { status: 200, headers: htmlHeaders, text: self().docsPage(request.version.id) };
    },
  }),
  asset("about.style", assetPaths.style, "The style of our pages", "text/css", docsStyle),
  asset("about.script", assetPaths.script, "The script of our pages", "text/javascript", docsScript),
  defineOperation({
    id: "admin.deprecations",
    method: "GET",
    path: "/admin/deprecations",
    access: "admin",
    summary: "Show who still uses what will go away",
    tag: "admin",
    query: z.strictObject({
      days: z
        .string()
        .regex(/^[1-9]\d{0,2}$/, { error: "a whole number from 1 to 400" })
        .transform(Number)
        .refine((days) => days <= 400, { error: "a whole number from 1 to 400" })
        .optional()
        .meta({ description: "How many days back, today included; 30 unless given." }),
    }),
    success: {
      status: 200,
      description: "Every entry of the registry with its users, most calls first.",
      body: z.object({
        data: z.array(
          z.object({
            id: z.string(),
            state: z.enum(deprecationStates),
            sunset_at: day,
            calls: z.int().min(0),
            clients: z.array(
              z.object({
                client: z.string().meta({ description: "`user:<id>`, `anonymous`, …" }),
                agent: z.string().meta({ description: "The program, as it calls itself." }),
                calls: z.int().min(1),
                first_used_at: z.iso.datetime(),
                last_used_at: z.iso.datetime(),
              }),
            ),
          }),
        ),
      }),
    },
    handle: async ({ query: { days = 30 }, now: clock }) => {
      const now = clock();
      const since = timestampOf(now - (days - 1) * 86_400_000).slice(0, 10);
      // What this process has counted and not stored yet belongs to it.
      await self().deprecations.flush();
      const data = await Promise.all(
        self().deprecations.registry.map(async (entry) => {
          const sums = await deprecatedUses.sums({ since, deprecation: entry.id, limit: 1000 });
          return {
            id: entry.id,
            state: stateOf(entry, now),
            sunset_at: entry.sunset,
            calls: sums.reduce((total, { calls }) => total + calls, 0),
            clients: sums.map(({ client, agent, calls, firstAt, lastAt }) => ({
              client,
              agent,
              calls,
              first_used_at: timestampOf(firstAt),
              last_used_at: timestampOf(lastAt),
            })),
          };
        }),
      );
      return { status: 200, body: { data } };
    },
  }),
];
