import type { Operation } from "../operations/operation.ts";

/** A scope is a token of RFC 6749, section 3.3, made of two words. */
const scopeForm = /^[a-z][a-z0-9-]{0,39}:[a-z][a-z-]{0,19}$/;

/** What the operation is about: the first path segment after `/admin`, or else its tag. */
const areaOf = ({ path, tag }: Operation): string => {
  const [first, second] = path.split("/").filter((segment) => segment !== "");
  const area = first === "admin" && second !== undefined ? second : tag;
  return area.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
};

/**
 * Adds the scope that a credential needs for the operation. It is the one that the operation names,
 * or else its subject and `read` or `write` (ADR 24). A public operation has none unless it names
 * one.
 * @throws TypeError for a scope that is not two words such as `posts:read`.
 */
export const withScope = (operation: Operation): Operation => {
  if (operation.access === "public" && operation.scope === undefined) return operation;
  const scope = operation.scope ?? `${areaOf(operation)}:${operation.method === "GET" ? "read" : "write"}`;
  if (!scopeForm.test(scope)) {
    throw new TypeError(`operation "${operation.id}": "${scope}" is no scope; scopes are two words like posts:read`);
  }
  for (const wider of Object.keys(operation.widerScopes ?? {})) {
    if (!scopeForm.test(wider)) throw new TypeError(`operation "${operation.id}": "${wider}" is no scope`);
  }
  return { ...operation, scope };
};

/**
 * All scopes that operations require, or that make an operation answer more, in alphabetical order.
 */
export const scopesOf = (operations: readonly Operation[]): readonly string[] =>
  [
    ...new Set(
      operations.flatMap(({ scope, widerScopes = {} }) => [
        ...(scope === undefined ? [] : [scope]),
        ...Object.keys(widerScopes),
      ]),
    ),
  ].toSorted();
