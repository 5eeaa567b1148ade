import { AppError } from "@postern/core";
import { z } from "zod";
import { type Deprecation, deprecationStates, stateOf } from "../deprecations/deprecation.ts";
import type { Operation } from "../operations/operation.ts";
import { deprecationPage, deprecationsFeed, deprecationsPage } from "../pages/deprecations-page.ts";
import { aboutOperation, alternativesOf, answerIn, day, formatParameter, versionId } from "./about-operation.ts";
import type { SelfDescription } from "./self-description.ts";

const deprecationForms = ["json", "html", "atom"] as const;

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

/** Lists what will go away. */
export const listDeprecations = (self: () => SelfDescription): Operation =>
  aboutOperation({
    id: "about.deprecations",
    path: "/deprecations",
    unversioned: true,
    summary: "What will go away, and when",
    query: z.strictObject({
      version: versionId.optional().meta({ description: "Only entries about this version." }),
      state: z.enum(deprecationStates).optional().meta({ description: "Only entries in this state." }),
      format: formatParameter(deprecationForms),
    }),
    success: {
      status: 200,
      description: "The registry.",
      body: z.object({ data: z.array(deprecationEntry) }),
      alternatives: alternativesOf(deprecationForms),
    },
    handle: async (call) => {
      const { version, state } = call.query;
      const now = call.now();
      const entries = self().deprecations.registry.filter(
        (entry) =>
          (version === undefined || entry.target.version === version) &&
          (state === undefined || stateOf(entry, now) === state),
      );
      return answerIn(
        call,
        {
          html: () => deprecationsPage(self().product, entries, self().versions, now),
          atom: () => deprecationsFeed(self().product, entries),
        },
        () => ({ data: entries.map((entry) => presentDeprecation(entry, now)) }),
      );
    },
  });

/** Shows one entry of the registry. */
export const readDeprecation = (self: () => SelfDescription): Operation =>
  aboutOperation({
    id: "about.deprecation",
    path: "/deprecations/{id}",
    unversioned: true,
    summary: "One thing that will go away",
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
      return answerIn(call, { html: () => deprecationPage(self().product, entry, self().versions, now) }, () =>
        presentDeprecation(entry, now),
      );
    },
  });
