import { z } from "zod";
import type { VersionChange } from "../version.ts";

const wrapped = z.object({ data: z.array(z.unknown()) });
const wrappedSchema = z.object({ properties: z.object({ data: z.record(z.string(), z.unknown()) }) });

/** v2 answers lists as an object, so that they can grow; v1 answers the bare array and pages by `Link` alone. */
export const wrapLists: VersionChange = {
  id: "lists-are-objects",
  introducedIn: "v2",
  title: "Lists are objects with data and page",
  why: "A bare array has no room for anything beside its items.",
  appliesTo: (operation) => operation.list === true,
  responseDown: (answer) => ({ ...answer, body: wrapped.parse(answer.body).data }),
  schemaDown: (schema) => wrappedSchema.parse(schema).properties.data,
};
