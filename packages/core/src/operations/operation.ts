import type { z } from "zod";
import type { Principal } from "../auth/principal.ts";
import type { Environment } from "../environment.ts";
import type { ErrorCode } from "../errors/index.ts";
import type { ApiVersion } from "../versions/version.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who may call an operation at all; what they may touch is the resource's access rule. */
export type OperationAccess = "public" | "user" | "admin";

/** What an operation answers; an adapter turns it into a response of its protocol. */
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. Absent together with `text`: no body. */
  readonly body?: unknown;
  /** Sent as it is, under the `content-type` in `headers`. */
  readonly text?: string;
}

/** One call of an operation: authenticated, allowed and validated. */
export interface Call<Query = unknown, Body = unknown> {
  readonly environment: Environment;
  /** Absent on public operations only. */
  readonly principal: Principal | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly request: RequestFacts;
}

/** What is known of the request itself. */
export interface RequestFacts {
  readonly id: string;
  /** The version that was asked for; links in the answer stay in it. */
  readonly version: ApiVersion;
  /** `/api` or `/api/v2`: what stands before an operation's path in links. */
  readonly base: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** The network address of the caller, for limits; `local` for the command line. */
  readonly address: string;
}

/** A limit of its own beside the general one, by network address. */
export type SpecialLimit = "sign-in" | "sign-up";

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
  /** Absent: the operation takes no body. `raw`: it takes any bytes, untouched, and is not called through `handle`. */
  readonly body?: z.ZodType<Body> | "raw";
  /** True when a request without a body means `{}`. */
  readonly bodyOptional?: boolean;
  /** Members that exist but cannot be written here, for a better word than "unknown". */
  readonly readOnlyFields?: readonly string[];
  /** True for a list answered as `{ data, page }`. */
  readonly list?: boolean;
  readonly success: {
    readonly status: number;
    readonly description: string;
    readonly body?: z.ZodType;
    /** `application/json` unless told. */
    readonly contentType?: string;
  };
  /** The codes it can answer beside those that every operation of its kind can. */
  readonly errors?: readonly ErrorCode[];
  readonly limit?: SpecialLimit;
  handle(call: Call<Query, Body>): Promise<Answer>;
}

/** Checks an entry's types against each other and hands it back in the form that the table holds. */
export const defineOperation = <Query = undefined, Body = undefined>(operation: Operation<Query, Body>): Operation =>
  // The table is read by code that knows each entry's schemas only as data; `dispatch` passes `handle` nothing but what they returned.
  operation as unknown as Operation;

/** The names in braces, in order. */
export const pathParameters = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
