import { z } from "zod";
import { type ChangeLogEntry, changeKinds } from "../changelog/change-log-entry.ts";
import type { Operation, OperationAnswer } from "../operations/operation.ts";
import { answerPage, cursorFor, defaultLimit, pageFacts, pageParameters, placeIn } from "../operations/page.ts";
import { changeLogFeed, changeLogMarkdown, changeLogPage } from "../pages/change-log-page.ts";
import {
  aboutOperation,
  alternativesOf,
  day,
  formatParameter,
  formOf,
  type TextForm,
  textAnswer,
  versionId,
} from "./about-operation.ts";
import type { SelfDescription } from "./self-description.ts";

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
export const readChangeLog = (self: () => SelfDescription): Operation => {
  const textIn: Readonly<Record<TextForm, (entries: readonly ChangeLogEntry[]) => string>> = {
    html: (entries) => changeLogPage(self().product, entries, self().versions),
    atom: (entries) => changeLogFeed(self().product, entries),
    markdown: changeLogMarkdown,
  };
  /** The change log does not change while the process runs. */
  const kept = new Map<string, OperationAnswer>();
  return aboutOperation({
    id: "about.changelog",
    path: "/changelog",
    unversioned: true,
    summary: "What changed in this API",
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
        const make = () => textAnswer(form, textIn[form](entries));
        // The texts of the whole log and of each version's part are kept. Other filters have too many values.
        const isPart = [kind, breaking, since].every((filter) => filter === undefined) && entries.length > 0;
        if (!isPart) return make();
        const key = `${form} ${version ?? ""}`;
        const answer = kept.get(key) ?? { ...make(), isLasting: true };
        kept.set(key, answer);
        return answer;
      }
      const list = `changelog:${JSON.stringify([version, kind, breaking, since])}`;
      const before = cursor === undefined ? undefined : await placeIn(call.cursors, list, cursor, z.string());
      // An entry keeps its position forever; newer ones come before it.
      const from = entries.findIndex(({ id }) => id === before) + 1;
      const data = entries.slice(from, from + limit);
      const last = from + limit < entries.length ? data.at(-1) : undefined;
      const next = last === undefined ? null : await call.cursors.sealCursor(cursorFor(list, last.id));
      return answerPage(call.request, { data, limit, next, prev: null });
    },
  });
};
