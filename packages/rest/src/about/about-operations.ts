import { AppError } from "@postern/core";
import { type DeprecatedUseStore, errorCatalogue } from "@postern/core/parts";
import { z } from "zod";
import { defineOperation, type Operation, type OperationAnswer } from "../operations/operation.ts";
import { docsScript } from "../pages/docs-script.ts";
import { docsStyle } from "../pages/docs-style.ts";
import { assetPaths } from "../pages/html.ts";
import { problemMarkdown, problemPage } from "../pages/problem-page.ts";
import { readChangeLog } from "./change-log-operation.ts";
import { listDeprecatedUses } from "./deprecated-uses-operation.ts";
import { listDeprecations, readDeprecation } from "./deprecation-operations.ts";
import { alternativesOf, formatParameter, formOf, textAnswer } from "./media-types.ts";
import type { SelfDescription } from "./self-description.ts";
import { listVersions, readDocs, readOpenApi } from "./version-operations.ts";

interface Asset {
  readonly id: string;
  /** Below `/api`. */
  readonly path: string;
  readonly summary: string;
  readonly contentType: string;
  readonly text: string;
}

const asset = ({ id, path, summary, contentType, text }: Asset): Operation => {
  const answer: OperationAnswer = {
    status: 200,
    headers: { "content-type": `${contentType}; charset=utf-8` },
    text,
    isLasting: true,
  };
  return defineOperation({
    id,
    method: "GET",
    path: path.replace(/^\/api/, ""),
    unversioned: true,
    access: "public",
    summary,
    tag: "about",
    success: { status: 200, description: "A file.", body: z.string(), contentType },
    handle: async () => answer,
  });
};

const assetOperations = (): readonly Operation[] => [
  asset({
    id: "about.style",
    path: assetPaths.style,
    summary: "The style of our pages",
    contentType: "text/css",
    text: docsStyle,
  }),
  asset({
    id: "about.script",
    path: assetPaths.script,
    summary: "The script of our pages",
    contentType: "text/javascript",
    text: docsScript,
  }),
];

const problemForms = ["json", "html", "markdown"] as const;

const errorFacts = z.object({
  code: z.string(),
  status: z.int(),
  title: z.string().meta({ description: "What happened." }),
  why: z.string().meta({ description: "Why it happens." }),
  mend: z.string().meta({ description: "How to fix it." }),
});

const explainProblem = (self: () => SelfDescription): Operation =>
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

/**
 * The operations with which the API describes itself. `self` is called with each request, because
 * the tables that it describes contain these operations, too.
 */
export const aboutOperations = (
  self: () => SelfDescription,
  deprecatedUses: Pick<DeprecatedUseStore, "sums">,
): readonly Operation[] => [
  listVersions(self),
  explainProblem(self),
  readChangeLog(self),
  listDeprecations(self),
  readDeprecation(self),
  readOpenApi(self),
  readDocs(self),
  ...assetOperations(),
  listDeprecatedUses(self, deprecatedUses),
];
