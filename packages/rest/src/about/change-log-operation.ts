import { z } from "zod";
import { type ChangeLogEntry, changeKinds } from "../changelog/change-log-entry.ts";
import { defineOperation, type Operation } from "../operations/operation.ts";
import { answerList, cursorFor, defaultLimit, pageFacts, pageParameters, placeIn } from "../operations/page.ts";
import { changeLogFeed, changeLogMarkdown, changeLogPage } from "../pages/change-log-page.ts";
import { alternativesOf, formatParameter, formOf, textAnswer } from "./media-types.ts";
import type { SelfDescription } from "./self-description.ts";
import { day, versionId } from "./text-formats.ts";

const changeForms = ["json", "html", "atom", "markdown"] as const;

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

/** Shows what changed, as JSON, a page, a feed or Markdown. */
export const readChangeLog = (self: () => SelfDescription): Operation =>
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
      const log = await self().changeLog();
      const entries = log.entries.filter(
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
      // An entry keeps its position forever; newer ones come before it.
      const from = entries.findIndex(({ id }) => id === last) + 1;
      return answerList(
        call.request,
        {
          items: entries.slice(from, from + limit + 1),
          limit,
          cursorAfter: ({ id }) => call.cursors.sealCursor(cursorFor(list, id)),
        },
        (entry) => entry,
      );
    },
  });
