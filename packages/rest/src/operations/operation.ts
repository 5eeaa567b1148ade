import type { Answer, ErrorCode, OwnTables, Resource, ResourceRepository, Row, Stores } from "@postern/core";
import type { Signer } from "@postern/core/ports";
import type { z } from "zod";
import type { AuditNote, AuditTrail } from "../access/audit-trail.ts";
import type { Principal } from "../access/principal.ts";
import type { AnswerBounds, AnswerMemory } from "../limits/answer-memory.ts";
import type { RequestLimits } from "../limits/limits.ts";
import type { Preconditions } from "../preconditions/preconditions.ts";
import type { QuotaKeeper } from "../resources/quotas.ts";
import type { VersionId } from "../versions/version-id.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who may call an operation at all. The resource's access rule says which rows they may access. */
type OperationAccess = "public" | "user" | "admin";

/** The answer of an operation. */
export interface OperationAnswer extends Answer {
  /** The row that the body shows, if it shows one: its revision gives the entity tag. */
  readonly shown?: ShownRow;
}

interface ShownRow {
  /** Has at least `id`, `revision`, `created_at` and `updated_at`. */
  readonly row: Row;
  /** The row's fields that the body contains. */
  readonly fields: readonly string[];
  /**
   * True if the body also contains other rows, so that the row's revision does not cover all of it.
   */
  readonly withOthers?: boolean;
  /** Members that only the requested version has and that the caller's `fields` leaves out. */
  readonly without?: readonly string[];
}

/** The part of the signer that lists need. */
export type CursorSigner = Pick<Signer, "sealCursor" | "openCursor">;

/** One call of an operation, as the engine gives it to an entry of its table: authenticated, allowed and validated. */
export interface EngineCall<Query = unknown, Body = unknown> {
  /** Absent only on public operations. */
  readonly principal: Principal | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /**
   * The row that results from the body, in the newest version's form: PATCH merges the body into
   * the row (RFC 7396), PUT replaces the row by it.
   */
  applyTo(current: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** The conditions that must hold before a write. `requireMatch` checks them against the row. */
  readonly preconditions: Preconditions;
  readonly request: RequestFacts;
  /** Rows outside of a transaction: for reading. */
  readonly rows: ResourceRepository;
  /** Whether hooks hear of writes of this resource. They need the whole row as it was. */
  hears(resource: Resource): boolean;
  /** How large the answer may become. */
  readonly answerBounds: AnswerBounds;
  /** The memory for making the answer. A handler takes it before it reads many rows. */
  readonly memory: AnswerMemory;
  /** How much of a resource one owner may have. */
  readonly quotas: QuotaKeeper;
  /** Seals and opens the cursors of lists. */
  readonly cursors: CursorSigner;
  /**
   * Whether the caller's role and credential also include this scope: one of `widerScopes`, or that of
   * another operation that the answer names.
   */
  may(scope: string): boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new row's id, a UUIDv7. */
  newId(): string;
  /**
   * The transaction of a write. Its effect, its entry in the audit log and, under an idempotency
   * key, its answer are all kept, or none of them. Every operation that writes calls this once.
   * After a failure `work` may run again. Do slow work (hashing, fetching) before it. `own`: the
   * transaction as the storage lends it to code of the application.
   */
  write(note: AuditNote, work: (stores: Stores, own: OwnTables) => Promise<OperationAnswer>): Promise<OperationAnswer>;
  /** For limits that depend on the content of the request. */
  readonly limits: RequestLimits;
  /** For audit entries without a write, such as a failed sign-in. */
  readonly note: AuditTrail;
}

/** Facts about the request itself. */
export interface RequestFacts {
  readonly id: string;
  /** The requested version. Links in the answer stay in it. */
  readonly version: { readonly id: VersionId };
  /** `/api` or `/api/v2`: what comes before an operation's path in links. */
  readonly base: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** The `id` of the last server-sent event that the caller has. */
  readonly lastEventId?: string;
  /** The caller's program: the product of `User-Agent`, up to 64 characters. */
  readonly agent?: string;
  /**
   * The media type that the caller prefers, of those that the operation offers. Default: the first.
   */
  readonly accepted?: string;
  /** The network address of the caller, for limits; `local` for the command line. */
  readonly address: string;
}

/** A limit in addition to the general one, by network address. */
type SpecialLimit = "sign-in" | "sign-up";

/**
 * One thing that the API can do. Routes, validation, documentation and the access check are all
 * made from this table, so an operation cannot exist without them.
 */
export interface Operation<Query = unknown, Body = unknown> {
  /** Stable, e.g. `posts.create`; the `operationId` in OpenAPI. */
  readonly id: string;
  readonly method: Method;
  /** Below the version, with parameters in braces: `/posts/{id}`. */
  readonly path: string;
  /** True if the path is directly below `/api`, without a version. */
  readonly unversioned?: boolean;
  readonly access: OperationAccess;
  /**
   * The scope that a credential needs, such as `events:replay`. Default: it follows from the tag
   * and the method (ADR 24). On a public operation, only callers with a credential need it.
   */
  readonly scope?: string;
  /** Scopes that are not needed to call it, but widen what it answers; each with what it adds. */
  readonly widerScopes?: Readonly<Record<string, string>>;
  /** True if only a signed-in user may call it, and no API key, whatever its scopes. */
  readonly signIn?: true;
  /** The only roles that may call it, beside administrators. Default: those that `access` allows. */
  readonly roles?: readonly string[];
  readonly summary: string;
  /**
   * For what cannot be undone: the question that a client asks a person before it calls the
   * operation. `{name}` stands for the path parameter `name`. The API itself never asks.
   */
  readonly confirm?: string;
  /** Groups operations in the documentation. */
  readonly tag: string;
  /** A strict object: strings in, values out. If absent, the operation has no query parameters. */
  readonly query?: z.ZodType<Query>;
  /**
   * Wrong names that callers often use for query parameters, each with the right one. The error
   * then suggests it.
   */
  readonly misnomers?: ReadonlyMap<string, string>;
  /**
   * If absent, the operation takes no body. `raw`: it takes any bytes unchanged, and `handle` is
   * not called.
   */
  readonly body?: z.ZodType<Body> | "raw";
  /**
   * For `raw`: the longest body in bytes, for the document. HTTP enforces the limit. Default 5 MiB.
   */
  readonly rawLimitBytes?: number;
  /** True if a request without a body means `{}`. */
  readonly bodyOptional?: boolean;
  /**
   * Members that exist but cannot be written here. The error then says that, instead of "unknown".
   */
  readonly readOnlyFields?: readonly string[];
  /** True if a write must name the revision that it changes, with `If-Match`. */
  readonly requiresIfMatch?: boolean;
  /**
   * For a PUT that also creates, with `If-None-Match: *`: the description of its 201. That header
   * then replaces `If-Match`.
   */
  readonly creates?: string;
  /** True for a list that is answered as `{ data, page }`. */
  readonly list?: boolean;
  readonly success: {
    readonly status: number;
    readonly description: string;
    readonly body?: z.ZodType;
    /** True if `Location` says where the result will be, although nothing is created yet. */
    readonly located?: true;
    /** Default `application/json`. */
    readonly contentType?: string;
    /** Other media types that it can answer with, if `Accept` prefers them. */
    readonly alternatives?: readonly string[];
  };
  /** If present, it can also answer 202 without a body, and this says when and what follows. */
  readonly accepted?: string;
  /** The error codes that it can answer, in addition to those of every operation of its kind. */
  readonly errors?: readonly ErrorCode[];
  /**
   * Codes of faults in values that the schemas accept, such as `too_common` for a password. OpenAPI
   * documents list them.
   */
  readonly checkedAfterSchema?: readonly string[];
  /**
   * The codes with which the application refuses, each with its sentence: `Refused` of its own code. The
   * status is 409; for an operation that takes a body or parameters, it can also be 400.
   */
  readonly refusals?: Readonly<Record<string, string>>;
  /** Present for an operation that the application declares. */
  readonly own?: {
    /** Whether an `Idempotency-Key` has an effect. */
    readonly takesKey: boolean;
    /** Whether it answers a row, with its entity tag. */
    readonly showsRow: boolean;
  };
  readonly limit?: SpecialLimit;
  /**
   * True if the answer to a write shows the row. `Prefer: return=minimal` then gets 204 without it.
   */
  readonly minimal?: boolean;
  /**
   * Refuses a caller who may not access what the path names. It is called before a kept answer is
   * replayed under an idempotency key. `handle` must check this itself.
   */
  reach?(call: EngineCall<Query, Body>): Promise<void>;
  handle(call: EngineCall<Query, Body>): Promise<OperationAnswer>;
}

/**
 * Checks an entry's types against each other, and returns the entry in the form that the table
 * holds.
 */
export const tableEntry = <Query = undefined, Body = undefined>(operation: Operation<Query, Body>): Operation =>
  // Code that reads the table knows each entry's schemas only as data. `dispatch` passes `handle`
  // nothing but what these schemas returned.
  operation as unknown as Operation;

/** The names in braces, in order. */
export const pathParameters = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
