import { AppError } from "@postern/core";
import { describeFaults, didYouMean, type ErrorCode, faultOf, mostFaults, queryFaultText } from "@postern/core/parts";
import type { Operation } from "./operation.ts";

/**
 * Parses the query parameters by the operation's schema.
 * @throws AppError `unknown_parameter` or `invalid_parameter`, naming each parameter.
 */
export const parseQuery = (operation: Operation, query: ReadonlyMap<string, string>): unknown => {
  const [unasked] = query.keys();
  if (operation.query === undefined) {
    if (unasked === undefined) return undefined;
    throw unknownParameters(operation, [...query.keys()]);
  }
  const parsed = operation.query.safeParse(Object.fromEntries(query), { error: queryFaultText });
  if (parsed.success) return parsed.data;
  const unknown = parsed.error.issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : []));
  if (unknown.length > 0) throw unknownParameters(operation, unknown);
  const faults = parsed.error.issues.map((issue) => faultOf({ parameter: String(issue.path[0] ?? "") }, issue));
  const names = faults.map((fault) => ("parameter" in fault ? fault.parameter : ""));
  throw new AppError(familyCode(operation, names) ?? "invalid_parameter", { detail: describeFaults(faults), faults });
};

/**
 * The error code if all faulty parameters belong to one family, `filter[…]` or `fields[…]`, and the
 * operation has that family.
 */
const familyCode = ({ errors }: Operation, names: readonly string[]): ErrorCode | undefined => {
  const families = { "filter[": "invalid_filter", "fields[": "invalid_fields" } as const;
  const family = Object.entries(families).find(([prefix]) => names.every((name) => name.startsWith(prefix)));
  return errors?.find((code) => code === family?.[1]);
};

const unknownParameters = (operation: Operation, names: readonly string[]): AppError =>
  new AppError(familyCode(operation, names) ?? "unknown_parameter", {
    detail: `This operation has no query parameter ${names
      .slice(0, mostFaults)
      .map((name) => `"${name}"`)
      .join(", ")}.`,
    faults: names.slice(0, mostFaults).map((name) => ({
      parameter: name,
      code: "unknown_parameter",
      detail: `no such parameter${hintFor(operation, name)}`,
    })),
  });

/**
 * The parameter that the caller probably meant, or those that exist: for an operator that a filter
 * does not have always all operators of its field.
 */
const hintFor = ({ query, misnomers }: Operation, name: string): string => {
  const right = misnomers?.get(name);
  if (right !== undefined) return `; what this selects is called "${right}"`;
  const known = query !== undefined && "shape" in query ? Object.keys(Object(query.shape)) : [];
  const [, asked] = filterName.exec(name) ?? [];
  const filters = known.flatMap((one) => {
    const [, field, operator] = filterName.exec(one) ?? [];
    return field === undefined ? [] : [{ field, operator }];
  });
  const operators = filters.flatMap(({ field, operator = [] }) => (field === asked ? operator : []));
  if (operators.length > 0) return `; "filter[${asked}]" takes ${operators.join(", ")}`;
  const meant = didYouMean([name], known);
  if (meant !== "" || filters.length === 0 || !name.startsWith("filter[")) return meant;
  return `; there are ${[...new Set(filters.map(({ field }) => `"filter[${field}]"`))].join(", ")}`;
};

const filterName = /^filter\[([^\]]*)\](?:\[([^\]]*)\])?$/;
