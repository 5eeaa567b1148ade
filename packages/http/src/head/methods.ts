import { AppError } from "@postern/core";
import type { Answer } from "../http-app.ts";

/** The methods that some path here has. */
export const knownMethods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export const allMethods = knownMethods.join(", ");

export const notImplemented = (): AppError =>
  new AppError("not_implemented", { detail: `The methods known here are ${allMethods}.` });

export const methodNotAllowed = (methods: readonly string[]): AppError =>
  new AppError("method_not_allowed", {
    detail: `This path takes ${methods.join(", ")}.`,
    headers: { allow: methods.join(", ") },
  });

/** The answer to OPTIONS: the methods of this path. */
export const answerOptions = (methods: readonly string[], headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 204,
  headers: { ...headers, allow: methods.join(", ") },
});

const readMethods = ["GET", "HEAD", "OPTIONS"];

/**
 * Answers a path that can only be read. @throws AppError `method_not_allowed` for a method that
 * writes.
 */
export const answerRead = async (method: string, answer: () => Answer | Promise<Answer>): Promise<Answer> => {
  if (method === "OPTIONS") return answerOptions(readMethods);
  if (!readMethods.includes(method)) throw methodNotAllowed(readMethods);
  return answer();
};

export const nothingThere = (): AppError =>
  new AppError("route_not_found", { detail: "There is nothing at this path; GET /api says where to look." });
