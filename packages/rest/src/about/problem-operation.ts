import { AppError, errorCatalogue } from "@postern/core";
import { z } from "zod";
import { defineOperation, type Operation } from "../operations/operation.ts";

/** Explains the code of an error. */
export const explainProblem = (): Operation =>
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
  });
