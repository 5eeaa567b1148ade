import { isObject, pathsInBody, valueAt, withValueAt } from "@postern/core/parts";
import type { Scheme } from "@postern/webhook-verifier";
import { CommandError, exitCodes } from "./terminal.ts";

/**
 * The body with an id or a type where the scheme reads it. A body stays as it is if the scheme reads that part
 * from a header or from several places, or if the body is no JSON object.
 * @throws CommandError if the body says something else there.
 */
export const withPart = (body: unknown, place: Scheme["id"], part: "id" | "type", text: string): unknown => {
  const paths = pathsInBody(place);
  const [path] = paths;
  if (path === undefined || !isObject(body)) return body;
  const found = paths.map((one) => valueAt(body, one)).find((value) => value !== undefined);
  if (found === undefined) return withValueAt(body, path, text);
  if (String(found) === text) return body;
  throw new CommandError(
    exitCodes.usage,
    `--data already has the ${part} ${JSON.stringify(found)}, and --${part} says ${JSON.stringify(text)}. Leave out one of them.`,
  );
};
