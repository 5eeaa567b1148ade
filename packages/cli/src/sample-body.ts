import { isObject } from "@postern/core/internal";
import { pathsInBody, valueAt, withValueAt } from "@postern/inbox/internal";
import type { Scheme } from "@postern/webhook-verifier";
import { CommandError, exitCodes } from "./terminal.ts";

const foundPart = (body: unknown, place: Scheme["id"]): unknown =>
  pathsInBody(place)
    .map((path) => valueAt(body, path))
    .find((value) => value !== undefined);

/** Whether the body has a part where the scheme reads it. */
export const hasPart = (body: unknown, place: Scheme["id"]): boolean => foundPart(body, place) !== undefined;

/**
 * The body with an id or a type where the scheme reads it. A body stays as it is if the scheme reads that part
 * from a header or from several places, or if the body is no JSON object.
 * @throws CommandError if the body says something else there.
 */
export const withPart = (body: unknown, place: Scheme["id"], part: "id" | "type", text: string): unknown => {
  const [path] = pathsInBody(place);
  if (path === undefined || !isObject(body)) return body;
  const found = foundPart(body, place);
  if (found === undefined) return withValueAt(body, path, text);
  if (String(found) === text) return body;
  throw new CommandError(
    exitCodes.usage,
    `--data already has the ${part} ${JSON.stringify(found)}, and --${part} says ${JSON.stringify(text)}. Leave out one of them.`,
  );
};
