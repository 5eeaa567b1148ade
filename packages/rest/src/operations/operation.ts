import type { Answer, ErrorCode, ResourceRepository, Row, Signer, Stores } from "@postern/core";
import type { z } from "zod";
import type { AuditNote, AuditTrail } from "../access/audit-trail.ts";
import type { Principal } from "../access/principal.ts";
import type { RequestLimits } from "../limits/limits.ts";
import type { Preconditions } from "../preconditions/preconditions.ts";
import type { VersionId } from "../versions/version-id.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who may call an operation at all; what they may touch is the resource's access rule. */
export type OperationAccess = "public" | "user" | "admin";

/** What an operation answers. */
export interface OperationAnswer extends Answer {
  /** The one row that the body shows, so that entity tags can be made from its revision. */
  readonly shown?: ShownRow;
}

interface ShownRow {
  /** Holds at least `id`, `revision`, `created_at` and `updated_at`. */
  readonly row: Row;
  /** The fields of it that stand in the body. */
  readonly fields: readonly string[];
  /** True when rows of others stand in the body, too: what they hold is not told by the row's revision. */
  readonly withOthers?: boolean;
}

/** The part of the signer that lists need. */
export type CursorSigner = Pick<Signer, "sealCursor" | "openCursor">;

/** One call of an operation: authenticated, allowed and validated. */
export interface Call<Query = unknown, Body = unknown> {
  /** Absent on public operations only. */
  readonly principal: Principal | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** What the body makes of a row, in core's own form: PATCH merges it into the row (RFC 7396), PUT puts it in the row's place. */
  applyTo(current: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** What must hold before a write; `requireMatch` checks it against the row. */
  readonly preconditions: Preconditions;
  readonly request: RequestFacts;
  /** Rows as they stand outside of a transaction: for reading. */
  readonly rows: ResourceRepository;
  /** Seals and opens the cursors of lists. */
  readonly cursors: CursorSigner;
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new row's id, a UUIDv7. */
  newId(): string;
  /**
   * The transaction of a write: its effect, its entry in the audit log and, under an idempotency key, its answer are kept together or not at all. Every
   * operation that writes does so through it, once; it may be tried again when it failed. What takes time (hashing, fetching) comes before it.
   */
  write(note: AuditNote, work: (stores: Stores) => Promise<OperationAnswer>): Promise<OperationAnswer>;
  /** For limits that depend on what the request says. */
  readonly limits: RequestLimits;
  /** For what belongs into the audit log and is no write: a failed sign-in. */
  readonly note: AuditTrail;
}

/** What is known of the request itself. */
export interface RequestFacts {
  readonly id: string;
  /** The version that was asked for; links in the answer stay in it. */
  readonly version: { readonly id: VersionId };
  /** `/api` or `/api/v2`: what stands before an operation's path in links. */
  readonly base: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** The caller's program: the product of `User-Agent`, up to 64 characters. */
  readonly agent?: string;
  /** Which of the operation's media types the caller asks for; the first unless told. */
  readonly accepted?: string;
  /** The network address of the caller, for limits; `local` for the command line. */
  readonly address: string;
}

/** A limit of its own beside the general one, by network address. */
type SpecialLimit = "sign-in" | "sign-up";

/**
 * One thing the API can do. Routes, validation, documentation and the access check are made from this table and nothing else, so an
 * operation cannot exist without them.
 */
export interface Operation<Query = unknown, Body = unknown> {
  /** Stable, e.g. `posts.create`; the `operationId` in OpenAPI. */
  readonly id: string;
  readonly method: Method;
  /** Below the version, with parameters in braces: `/posts/{id}`. */
  readonly path: string;
  /** True where the path stands right below `/api`, without a version. */
  readonly unversioned?: boolean;
  readonly access: OperationAccess;
  readonly summary: string;
  /** Groups operations in the documentation. */
  readonly tag: string;
  /** A strict object of strings in, values out. Absent: the operation takes no query parameters. */
  readonly query?: z.ZodType<Query>;
  /** What callers take for the names of query parameters, with the right names, for a better word than "unknown". */
  readonly misnomers?: ReadonlyMap<string, string>;
  /** Absent: the operation takes no body. `raw`: it takes any bytes, untouched, and is not called through `handle`. */
  readonly body?: z.ZodType<Body> | "raw";
  /** True when a request without a body means `{}`. */
  readonly bodyOptional?: boolean;
  /** Members that exist but cannot be written here, for a better word than "unknown". */
  readonly readOnlyFields?: readonly string[];
  /** True where a write must say with `If-Match` which revision it is about. */
  readonly requiresIfMatch?: boolean;
  /** True for a list answered as `{ data, page }`. */
  readonly list?: boolean;
  readonly success: {
    readonly status: number;
    readonly description: string;
    readonly body?: z.ZodType;
    /** `application/json` unless told. */
    readonly contentType?: string;
    /** Other media types that it can be had as, when `Accept` prefers them. */
    readonly alternatives?: readonly string[];
  };
  /** The codes it can answer beside those that every operation of its kind can. */
  readonly errors?: readonly ErrorCode[];
  readonly limit?: SpecialLimit;
  /** True where the answer to a write shows the row, and `Prefer: return=minimal` leaves it out. */
  readonly minimal?: boolean;
  /** False where `Idempotency-Key` is of no effect. Every other POST and PATCH honours it. */
  readonly idempotent?: boolean;
  /**
   * Refuses who may not do this to what the path names. Asked before an answer that is kept under an idempotency key is given again; `handle` finds out
   * by itself.
   */
  reach?(call: Call<Query, Body>): Promise<void>;
  handle(call: Call<Query, Body>): Promise<OperationAnswer>;
}

/** Checks an entry's types against each other and hands it back in the form that the table holds. */
export const defineOperation = <Query = undefined, Body = undefined>(operation: Operation<Query, Body>): Operation =>
  // The table is read by code that knows each entry's schemas only as data; `dispatch` passes `handle` nothing but what they returned.
  operation as unknown as Operation;

/** The names in braces, in order. */
export const pathParameters = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
