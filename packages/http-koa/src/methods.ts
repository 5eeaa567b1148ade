import { type Answer, AppError } from "@postern/core";

const known: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export const allMethods = known.join(", ");

/** @throws AppError `not_implemented` for a method that no path here has. */
export const checkMethod = (method: string): void => {
  if (!known.includes(method)) throw notImplemented();
};

export const notImplemented = (): AppError =>
  new AppError("not_implemented", { detail: `The methods known here are ${allMethods}.` });

export const methodNotAllowed = (methods: readonly string[]): AppError =>
  new AppError("method_not_allowed", {
    detail: `This path takes ${methods.join(", ")}.`,
    headers: { allow: methods.join(", ") },
  });

/** What can be done here, as the answer to OPTIONS. */
export const answerOptions = (methods: readonly string[], headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 204,
  headers: { ...headers, allow: methods.join(", ") },
});

/** For a path that can only be read: the answer to any other method, or `undefined` to go on. @throws AppError `method_not_allowed`. */
export const onlyToRead = (method: string): Answer | undefined => {
  const methods = ["GET", "HEAD", "OPTIONS"];
  if (method === "OPTIONS") return answerOptions(methods);
  if (!methods.includes(method)) throw methodNotAllowed(methods);
  return undefined;
};
