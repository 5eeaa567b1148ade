import type { z } from "zod";
import { AppError } from "./app-error.ts";
import { describeFaults } from "./describe-faults.ts";
import { type Fault, type FaultLocation, mostFaults } from "./fault.ts";
import { faultText } from "./fault-text.ts";

/** RFC 6901. */
const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** A stable word for the kind of fault in a value. */
const codeOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code === "invalid_type" && issue.input === undefined) return "required";
  if (issue.code === "custom") return "invalid_format";
  if (issue.code === "invalid_value") return "not_allowed";
  return issue.code;
};

/** What a schema found wrong at a place. */
export const faultOf = (place: FaultLocation, issue: z.core.$ZodIssue): Fault => {
  const code = codeOf(issue);
  const message = code === "required" ? "this is required" : issue.message;
  return { ...place, code, detail: message.charAt(0).toLowerCase() + message.slice(1) };
};

/**
 * Parses a body by its schema. `readOnlyFields` are members that exist but that the schema does not
 * accept. The error then says that, instead of "unknown".
 * @throws AppError `unknown_field`, `field_read_only` or `validation_failed`, with a pointer to
 *   each fault.
 */
export const parseBody = <Body>(
  schema: z.ZodType<Body>,
  body: unknown,
  readOnlyFields: readonly string[] | undefined,
): Body => {
  const parsed = schema.safeParse(body, { reportInput: true, error: faultText });
  if (parsed.success) return parsed.data;
  const readOnly = new Set(readOnlyFields);
  const faults = parsed.error.issues.flatMap((issue): Fault[] => {
    if (issue.code !== "unrecognized_keys") {
      return [faultOf({ pointer: pointerTo(issue.path) }, issue)];
    }
    return issue.keys
      .slice(0, mostFaults)
      .map((key) =>
        readOnly.has(key) && issue.path.length === 0
          ? { pointer: pointerTo([key]), code: "field_read_only", detail: "this is set by the server" }
          : { pointer: pointerTo([...issue.path, key]), code: "unknown_field", detail: "no such field" },
      );
  });
  const [first] = faults;
  const special = faults.every((fault) => fault.code === first?.code) ? first?.code : undefined;
  throw new AppError(special === "unknown_field" || special === "field_read_only" ? special : "validation_failed", {
    detail: describeFaults(faults),
    faults,
  });
};
