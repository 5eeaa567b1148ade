import { AppError } from "@postern/core";
import { type ErrorFacts, errorCatalogue } from "@postern/core/internal";
import type { DeprecatedUseStore } from "@postern/core/ports";
import { z } from "zod";
import type { Operation, OperationAnswer } from "../operations/operation.ts";
import { accentOf } from "../pages/accent.ts";
import { docsScript } from "../pages/docs-script.ts";
import { docsStyle } from "../pages/docs-style.ts";
import { assetPaths } from "../pages/html.ts";
import { problemMarkdown, problemPage } from "../pages/problem-page.ts";
import type { ProductInForce } from "../product.ts";
import { aboutOperation, alternativesOf, answerIn, formatParameter } from "./about-operation.ts";
import { readChangeLog } from "./change-log-operation.ts";
import { listDeprecatedUses } from "./deprecated-uses-operation.ts";
import { listDeprecations, readDeprecation } from "./deprecation-operations.ts";
import type { SelfDescription } from "./self-description.ts";
import { listVersions, readDocs, readOpenApi } from "./version-operations.ts";

/** A file of our pages. `path` is the one that pages link to. */
const asset = (id: string, path: string, summary: string, contentType: string, text: string, more = {}): Operation => {
  const headers = { "content-type": `${contentType}; charset=utf-8`, ...more };
  const answer: OperationAnswer = { status: 200, headers, text, isLasting: true };
  return aboutOperation({
    id,
    path: path.replace(/^\/api/, ""),
    unversioned: true,
    summary,
    success: { status: 200, description: "A file.", body: z.string(), contentType },
    handle: async () => answer,
  });
};

const problemForms = ["json", "html", "markdown"] as const;

const errorFacts = z.object({
  code: z.string(),
  status: z.int(),
  title: z.string().meta({ description: "What happened." }),
  why: z.string().meta({ description: "Why it happens." }),
  mend: z.string().meta({ description: "How to fix it." }),
});

/** What is known about the codes with which the application itself refuses. */
const refusalsIn = ({ versions }: Pick<SelfDescription, "versions">): readonly (readonly [string, ErrorFacts])[] =>
  versions.flatMap(({ operations }) =>
    operations.flatMap(({ refusals = {} }) =>
      Object.entries(refusals).map(([code, title]): readonly [string, ErrorFacts] => [
        code,
        {
          status: 409,
          title: title.replace(/\.$/, ""),
          why: "A rule of this application refuses the request. The status is 400 if one member or parameter of the request is to blame.",
          mend: "Read `detail`, and `errors` if it is there. The same request fails again while nothing has changed.",
        },
      ]),
    ),
  );

const explainProblem = (self: () => SelfDescription): Operation =>
  aboutOperation({
    id: "about.problem",
    path: "/problems/{code}",
    unversioned: true,
    summary: "Explain an error code",
    query: z.strictObject({ format: formatParameter(problemForms) }),
    success: {
      status: 200,
      description: "What the code means, why it occurs, and how to fix it.",
      body: errorFacts,
      alternatives: alternativesOf(problemForms),
    },
    errors: ["not_found"],
    handle: async (call) => {
      const known = [...Object.entries<ErrorFacts>(errorCatalogue), ...refusalsIn(self())];
      const entry = known.find(([code]) => code === call.params.code);
      if (entry === undefined) throw new AppError("not_found", { detail: "There is no such error code." });
      const [code, facts] = entry;
      return answerIn(
        call,
        {
          html: () => problemPage(self().product, code, facts, self().versions),
          markdown: () => problemMarkdown(code, facts),
        },
        () => ({ code, ...facts }),
      );
    },
  });

/** A browser that opens the image as a page runs nothing in it. */
const imagePolicy = { "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox" };

const styleOf = ({ accent }: ProductInForce): string => {
  if (accent === undefined) return docsStyle;
  const { light, dark } = accentOf(accent);
  return `${docsStyle}:root { --accent: light-dark(${light}, ${dark}); }\n`;
};

/**
 * The operations with which the API describes itself. `self` is called with each request, because
 * the tables that it describes contain these operations, too.
 */
export const aboutOperations = (
  self: () => SelfDescription,
  deprecatedUses: Pick<DeprecatedUseStore, "sums" | "watch">,
  product: ProductInForce,
): readonly Operation[] => [
  listVersions(self),
  explainProblem(self),
  readChangeLog(self),
  listDeprecations(self),
  readDeprecation(self),
  readOpenApi(self),
  readDocs(self),
  asset("about.style", assetPaths.style, "The style of our pages", "text/css", styleOf(product)),
  asset("about.script", assetPaths.script, "The script of our pages", "text/javascript", docsScript),
  ...(product.logo === undefined
    ? []
    : [asset("about.logo", assetPaths.logo, "The logo of our pages", "image/svg+xml", product.logo, imagePolicy)]),
  listDeprecatedUses(self, deprecatedUses),
];
