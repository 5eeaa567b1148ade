import { z } from "zod";
import { type ChangeLogEntry, changeKinds } from "../changelog/change-log-entry.ts";
import { defineOperation, type Operation, type OperationAnswer } from "../operations/operation.ts";
import { answerList, cursorFor, defaultLimit, pageFacts, pageParameters, placeIn } from "../operations/page.ts";
import { changeLogFeed, changeLogMarkdown, changeLogPage } from "../pages/change-log-page.ts";
import { alternativesOf, type Form, formatParameter, formOf, textAnswer } from "./media-types.ts";
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

type TextForm = Exclude<Form, "json">;

/**
 * The texts of the whole change log and of each version's part, each made once. Texts for other
 * filters are not kept, because filters have too many values.
 */
const keptTexts = (self: () => SelfDescription) => {
  const kept = new Map<string, OperationAnswer>();
  const answerWith = (form: TextForm, entries: readonly ChangeLogEntry[]): OperationAnswer => {
    if (form === "html") return textAnswer(form, changeLogPage(entries, self().versions));
    return textAnswer(form, form === "atom" ? changeLogFeed(entries) : changeLogMarkdown(entries));
  };
  return {
    answerWith,
    /** The change log does not change while the process runs. */
    keptAnswerWith: (form: TextForm, version: string | undefined, entries: readonly ChangeLogEntry[]) => {
      if (version !== undefined && !self().versions.some(({ id }) => id === version)) return answerWith(form, entries);
      const key = `${form} ${version ?? ""}`;
      const answer = kept.get(key) ?? { ...answerWith(form, entries), isLasting: true };
      kept.set(key, answer);
      return answer;
    },
  };
};

/** Shows what changed, as JSON, a page, a feed or Markdown. */
export const readChangeLog = (self: () => SelfDescription): Operation => {
  const { answerWith, keptAnswerWith } = keptTexts(self);
  return defineOperation({
    id: "about.changelog",
    method: "GET",
    path: "/changelog",
    unversioned: true,
    access: "public",
    summary: "What changed in this API",
    tag: "about",
    query: z.strictObject({
      ...pageParameters,
      version: versionId.optional().meta({ description: "Only entries of this version." }),
      kind: z.enum(changeKinds).optional().meta({ description: "Only changes of this kind." }),
      breaking: z.enum(["true", "false"]).optional().meta({ description: "Only breaking changes, or only others." }),
      since: day.optional().meta({ description: "Not before this day." }),
      format: formatParameter(changeForms),
    }),
    success: {
      status: 200,
      description: "One page of the changes, newest first. The other forms contain all changes.",
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
      if (form !== "json") {
        const isWhole = kind === undefined && breaking === undefined && since === undefined;
        return isWhole ? keptAnswerWith(form, version, entries) : answerWith(form, entries);
      }
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
};
