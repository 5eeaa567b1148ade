import { AppError, type Nesting, type ReadsOf, type Resource, type Row, type Rows } from "@postern/core";
import { createReads, nothing, type TransactionIn } from "@postern/core/internal";
import type { Telemetry, Wakeup } from "@postern/core/ports";
import type { AuditNote } from "../access/audit-trail.ts";
import { callerOf } from "../access/identify.ts";
import { principalOf, scopeFor } from "../access/principal.ts";
import { when } from "../openapi/document-parts.ts";
import type { EngineCall, Operation, OperationAnswer } from "../operations/operation.ts";
import { tableEntry } from "../operations/operation.ts";
import { spoken } from "../resources/resource-words.ts";
import { idOf, notFound } from "../resources/row-in-path.ts";
import { present, selectFields, versioned } from "../resources/shape-parameters.ts";
import { rowSchema } from "../resources/write.ts";
import type { Call, CallRows, CallShape } from "./call.ts";
import {
  answerSchemaOf,
  badOutput,
  bodySchemaOf,
  checkedInput,
  checkedOutput,
  querySchemaOf,
} from "./described-schema.ts";
import type { OwnOperation } from "./own-operation.ts";

/** What operations of an application use. */
export interface OwnOperationParts {
  readonly resources: readonly Resource[];
  readonly transactionIn: TransactionIn;
  readonly telemetry: Pick<Telemetry, "log">;
  readonly wakeup: Pick<Wakeup, "notify">;
  /** Notices a transaction inside another one. */
  readonly nesting?: Nesting | undefined;
}

/** Whether a value is a resource, and no schema. */
export const isResource = (value: unknown): value is Resource =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "fieldNames");

/** Whether `input` is the query. */
export const takesQuery = ({ method }: Pick<OwnOperation, "method">): boolean =>
  method === "GET" || method === "DELETE";

/** The group of an operation in documents: its resource, or the first segment of its path. */
const groupOf = ({ on, path }: OwnOperation, resources: readonly Resource[]): string => {
  const [, first = ""] = path.split("/");
  return resources.find(({ plural }) => plural === first)?.plural ?? on?.plural ?? first;
};

/** Who may call it at all. A rule on rows is asked when the row is loaded. */
const accessOf = ({ access, on }: OwnOperation): Pick<Operation, "access" | "roles"> => {
  if (access === "public") return { access: "public" };
  return { access: "user", ...(on === undefined && access.rule === "role" ? { roles: access.roles } : {}) };
};

/**
 * The row of `{id}`, under the operation's own rule.
 * @throws AppError `not_found`.
 */
const rowOf = async ({ on, access }: OwnOperation, call: EngineCall): Promise<Row | undefined> => {
  if (on === undefined || access === "public") return undefined;
  const row = await call.rows.find(on, idOf(on, call, "id"), scopeFor(principalOf(call), access));
  if (row === undefined) throw notFound(on);
  return row;
};

/** The answer of what the operation's code returned. @throws AppError `bad_output`. */
const answerOf = async ({ id, output, status }: OwnOperation, call: EngineCall, value: unknown) => {
  if (output === undefined) return { status: 204 };
  if (!isResource(output)) return { status: status ?? 200, body: await checkedOutput(id, output, value) };
  const row = Object(value) as Row;
  const whole = versioned(output.fieldNames);
  const missing = whole.filter((name) => row[name] === undefined);
  if (missing.length > 0) throw badOutput(id, [`it is no ${spoken(output.name)}: it lacks ${missing.join(", ")}`]);
  const fields = selectFields(output, call.principal, undefined);
  return { status: status ?? 200, body: present(row, fields), shown: { row, fields } };
};

/** One call as the code of the application sees it, and what it has answered by `write`. */
const ownCallOf = (
  { transactionIn, telemetry, wakeup, nesting }: OwnOperationParts,
  readsIn: ReturnType<typeof createReads>,
  operation: OwnOperation,
  engine: EngineCall,
) => {
  const { id, method, on } = operation;
  const { principal, params, request } = engine;
  const note: AuditNote = on === undefined ? {} : { resource: on.name, id: params.id ?? "" };
  const written: { begun: boolean; answer?: OperationAnswer; value?: unknown } = { begun: false };
  const write: Call["write"] = async (work) => {
    if (method === "GET") throw new TypeError(`"${id}" is a GET, which writes nothing: declare it with POST`);
    if (written.begun) throw new TypeError(`"${id}" has called write before: write everything in one`);
    written.begun = true;
    let hasJobs = false;
    const answer = await engine.write(note, async (stores, own) => {
      hasJobs = false;
      const onEnqueue = (): void => {
        hasJobs = true;
      };
      const tx = transactionIn({ stores, own, now: engine.now, onEnqueue });
      const value = await (nesting === undefined ? work(tx) : nesting.inside(() => work(tx)));
      written.value = value;
      return answerOf(operation, engine, value);
    });
    if (hasJobs) wakeup.notify();
    written.answer = answer;
    return written.value;
  };
  const rows = readsIn(engine.rows, (resource) =>
    principal === undefined ? { where: nothing } : scopeFor(principal, resource.access.read),
  );
  const asSystem = readsIn(engine.rows);
  const call = (row: Row | undefined, input: unknown): Call<CallShape> => ({
    caller: callerOf(principal),
    params,
    query: takesQuery(operation) ? input : undefined,
    body: takesQuery(operation) ? undefined : input,
    row,
    rows: withSystem(rows, asSystem),
    write,
    now: () => engine.now(),
    log: (level, message, fields = {}) =>
      telemetry.log(level, message, { request_id: request.id, operation: id, ...fields }),
  });
  return { call, write, written };
};

const withSystem = (rows: ReadsOf<Rows>, asSystem: ReadsOf<Rows>): CallRows<Rows> =>
  new Proxy(rows, {
    get: (target, name) => (name === "asSystem" ? asSystem : Reflect.get(target, name)),
    has: (target, name) => name === "asSystem" || Reflect.has(target, name),
  }) as CallRows<Rows>;

/** Makes the entry of the operation table that an operation of the application is. */
export const ownEntries = (parts: OwnOperationParts): ((operation: OwnOperation) => Operation) => {
  const readsIn = createReads(parts.resources);
  return (operation) => {
    const {
      id,
      method,
      path,
      summary,
      on,
      input,
      output,
      status,
      errors,
      idempotent = true,
      scope,
      confirm,
    } = operation;
    const query = takesQuery(operation);
    const handle = async (engine: EngineCall<unknown, unknown>): Promise<OperationAnswer> => {
      const { call, write, written } = ownCallOf(parts, readsIn, operation, engine);
      const given = query ? engine.query : engine.body;
      const row = await rowOf(operation, engine);
      const taken = input === undefined ? undefined : await checkedInput(input, given, query ? "query" : "body");
      const value = await operation.handle(call(row, taken) as never);
      if (written.answer === undefined) {
        if (method === "GET") return varying(operation, await answerOf(operation, engine, value));
        if (written.begun) throw new TypeError(`"${id}" answered although its write had not ended, or had failed`);
        await write(async () => value as never);
      }
      if (written.answer === undefined) throw new AppError("internal_error");
      return written.answer;
    };
    return tableEntry<unknown, unknown>({
      id,
      method,
      path,
      ...accessOf(operation),
      summary,
      tag: groupOf(operation, parts.resources),
      ...(scope === undefined ? {} : { scope }),
      ...(confirm === undefined ? {} : { confirm }),
      ...(input === undefined ? {} : query ? queryOf(input) : bodyOf(input, `${id}.input`)),
      success: {
        status: output === undefined ? 204 : (status ?? 200),
        description:
          output === undefined ? "Done." : isResource(output) ? `The ${spoken(output.name)}.` : "The answer.",
        ...(output === undefined
          ? {}
          : { body: isResource(output) ? rowSchema(output) : answerSchemaOf(output, `${id}.output`) }),
      },
      errors: [
        ...when(on !== undefined, "not_found" as const),
        ...when(method !== "GET", "conflict" as const, "state_conflict" as const),
      ],
      ...(errors === undefined ? {} : { refusals: errors }),
      own: { takesKey: idempotent, showsRow: isResource(output) },
      reach: async (engine) => void (await rowOf(operation, engine)),
      handle,
    });
  };
};

/** The start has refused a schema that does not name its parameters. */
const queryOf = (input: NonNullable<OwnOperation["input"]>): Pick<Operation, "query"> => {
  const query = querySchemaOf(input);
  return query === undefined ? {} : { query };
};

/** A body that may be empty need not be sent. */
const bodyOf = (input: NonNullable<OwnOperation["input"]>, name: string): Pick<Operation, "body" | "bodyOptional"> => {
  const body = bodySchemaOf(input, name);
  return { body, ...(body.safeParse({}).success ? { bodyOptional: true } : {}) };
};

/** A public answer may depend on who asks. */
const varying = ({ access }: OwnOperation, answer: OperationAnswer): OperationAnswer =>
  access === "public" ? { ...answer, headers: { vary: "Authorization" } } : answer;
