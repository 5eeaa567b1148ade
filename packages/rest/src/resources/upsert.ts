import { AppError, type Fault, type FieldValue, type Resource } from "@postern/core";
import { describeFaults } from "@postern/core/internal";
import { isAdmin, principalOf, scopeFor } from "../access/principal.ts";
import type { EngineCall, OperationAnswer } from "../operations/operation.ts";
import { alreadyThere, asksForNew } from "../preconditions/preconditions.ts";
import { idOf, requireParent } from "./row-in-path.ts";
import { createRow, ownerId } from "./row-writes.ts";
import { completed } from "./write.ts";
import type { WrittenReferences } from "./written-references.ts";

export interface UpsertParts {
  readonly resource: Resource;
  readonly parent: Resource | undefined;
  /** The references that callers write. */
  readonly references: WrittenReferences;
  /** All resources, for what an access rule leads to. */
  readonly resources: ReadonlyMap<string, Resource>;
}

type Body = Readonly<Record<string, unknown>>;

/** Version 7 of RFC 9562, section 5.7: ids in the order of their times keep indexes compact. */
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Whether a PUT is to make the row of the id in its path: it has `If-None-Match: *`, and the caller
 * sees no such row.
 * @throws AppError `not_found` for an id that is no UUID.
 */
export const isToBeMade = async (resource: Resource, call: EngineCall): Promise<boolean> => {
  if (!asksForNew(call.preconditions)) return false;
  const scope = scopeFor(principalOf(call), resource.access.read);
  return (await call.rows.find(resource, idOf(resource, call, "id"), scope, ["id"])) === undefined;
};

/**
 * Makes the row with the id in the path and answers as a creation does. The body names the parent,
 * which is checked like the parent in the path of a POST. Without a parent, a row below its owner
 * belongs to the caller.
 * @throws AppError `precondition_failed` if the row exists already, even if the caller may not see
 *   it, and if two callers race; `invalid_parameter` for an id that is not a UUIDv7; `not_found`
 *   and `forbidden` for the parent; `field_read_only` for another owner or id.
 */
export const createAtPath = async (
  parts: UpsertParts,
  call: EngineCall,
  shown: string | undefined,
): Promise<OperationAnswer> => {
  const { resource, references, resources } = parts;
  const id = idOf(resource, call, "id");
  if (!uuidV7.test(id)) throw notOfVersion7(resource);
  const body = completed(resource, call.applyTo({}), { admin: isAdmin(call.principal) });
  const filled = await placeOf(parts, call, body);
  const given = withoutPlace(body, { ...filled, id });
  try {
    return await createRow(resource, call, { given, filled, id, shown, references, resources });
  } catch (thrown) {
    throw thrown instanceof AppError && isAboutId(thrown) ? alreadyThere() : thrown;
  }
};

const notOfVersion7 = ({ name }: Resource): AppError => {
  const detail = `make the id of a new ${name} a UUIDv7 (RFC 9562)`;
  return new AppError("invalid_parameter", { detail, faults: [{ parameter: "id", code: "invalid_format", detail }] });
};

const isAboutId = ({ code, faults }: AppError): boolean =>
  code === "conflict" && faults.some((fault) => "pointer" in fault && fault.pointer === "/id");

/**
 * Makes a row of the caller without a path below its owner. The body may name the owner, as that of
 * a PUT may.
 * @throws AppError `not_found` and `forbidden` for the owner that is named.
 */
export const createOwn = async (
  parts: UpsertParts,
  call: EngineCall<{ readonly fields?: string | undefined }, Body>,
): Promise<OperationAnswer> => {
  const { resource, references, resources } = parts;
  const filled = await placeOf(parts, call, call.body);
  const given = withoutPlace(call.body, filled);
  return createRow(resource, call, { given, filled, shown: call.query.fields, references, resources });
};

const placeOf = async (
  { resource, parent }: UpsertParts,
  call: EngineCall,
  body: Body,
): Promise<Readonly<Record<string, FieldValue>>> => {
  const { owner, parent: place } = resource;
  const principal = principalOf(call);
  if (parent === undefined || place === undefined) return { [owner]: ownerId(principal) };
  const named = body[place.field] ?? (place.field === owner ? ownerId(principal) : undefined);
  if (typeof named !== "string") throw withoutParent(place.field, parent);
  await requireNamedParent(call, parent, named, { ...place, field: place.field });
  return place.field === owner ? { [owner]: named } : { [place.field]: named, [owner]: ownerId(principal) };
};

const withoutParent = (field: string, { name }: Resource): AppError => {
  const faults: readonly Fault[] = [{ pointer: `/${field}`, code: "required", detail: `name the ${name} by its id` }];
  return new AppError("validation_failed", { detail: describeFaults(faults), faults });
};

/** @throws AppError as `requireParent`, with the place in the body. */
const requireNamedParent = async (
  call: EngineCall,
  parent: Resource,
  id: string,
  { field, createRequires }: NonNullable<Resource["parent"]>,
): Promise<void> => {
  try {
    await requireParent(call, parent, id, createRequires);
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    const detail =
      thrown.code === "not_found" ? `there is no such ${parent.name}` : `you may not add to this ${parent.name}`;
    throw thrown.with({ faults: [{ pointer: `/${field}`, code: thrown.code, detail }] });
  }
};

/**
 * The body without the members that repeat the place of the row. A member that contradicts the
 * place stays, and is refused as read-only.
 */
const withoutPlace = (body: Body, place: Body): Body =>
  Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !Object.hasOwn(place, name) || value !== place[name]),
  );
