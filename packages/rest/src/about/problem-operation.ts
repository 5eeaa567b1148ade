import { AppError } from "@postern/core";
import { errorCatalogue } from "@postern/core/parts";
import { z } from "zod";
import { defineOperation, type Operation } from "../operations/operation.ts";
import { problemMarkdown, problemPage } from "../pages/problem-page.ts";
import { alternativesOf, formatParameter, formOf, textAnswer } from "./media-types.ts";
import type { SelfDescription } from "./self-description.ts";

const problemForms = ["json", "html", "markdown"] as const;

const errorFacts = z.object({
  code: z.string(),
  status: z.int(),
  title: z.string().meta({ description: "What happened." }),
  why: z.string().meta({ description: "Why it happens." }),
  mend: z.string().meta({ description: "How to fix it." }),
});

/**
 * Explains the code of an error, as JSON, a page or Markdown. The `type` of a problem leads here.
 */
export const explainProblem = (self: () => SelfDescription): Operation =>
  defineOperation({
    id: "about.problem",
    method: "GET",
    path: "/problems/{code}",
    unversioned: true,
    access: "public",
    summary: "Explain an error code",
    tag: "about",
    query: z.strictObject({ format: formatParameter(problemForms) }),
    success: {
      status: 200,
      description: "What the code means, why it occurs, and how to fix it.",
      body: errorFacts,
      alternatives: alternativesOf(problemForms),
    },
    errors: ["not_found"],
    handle: async (call) => {
      const entry = Object.entries(errorCatalogue).find(([code]) => code === call.params.code);
      if (entry === undefined) throw new AppError("not_found", { detail: "There is no such error code." });
      const [code, facts] = entry;
      const form = formOf(call, call.query.format);
      if (form === "html") return textAnswer(form, problemPage(code, facts, self().versions));
      if (form === "markdown") return textAnswer(form, problemMarkdown(code, facts));
      return { status: 200, body: { code, ...facts } };
    },
  });
