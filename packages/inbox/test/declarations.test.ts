import {
  choice,
  DeclarationError,
  decimal,
  defineResource,
  integer,
  nullable,
  ownedBy,
  type ResourceDefinition,
  reference,
  text,
  where,
  words,
} from "@postern/core";
import { on } from "@postern/inbox";
import { defineJob, schedule } from "@postern/jobs";
import { describe, expect, test } from "vitest";

/** What plain JavaScript can write, and a type checker would refuse. */
const untyped = (value: unknown): never => value as never;

const run = async (): Promise<void> => undefined;
const own = ownedBy("user_id");
const user_id = reference("user", { onDelete: "cascade", as: "owner", description: "Whose." });
const task = {
  name: "task",
  plural: "tasks",
  description: "A task.",
  fields: { user_id, title: text(20, { description: "What it is called." }) },
  owner: "user_id",
  access: { read: own, update: own, delete: own },
} as const satisfies ResourceDefinition;

const faultsOf = (declare: () => unknown): readonly string[] => {
  try {
    declare();
  } catch (thrown) {
    if (thrown instanceof DeclarationError) return thrown.faults;
    throw thrown;
  }
  return [];
};

describe("a declaration is refused with all its faults at once", () => {
  test("of a resource: unknown options with the nearest name, fields, owner, access", () => {
    const declare = () =>
      defineResource(
        untyped({
          ...task,
          lifcycle: {},
          fields: { user_id, title: text(20, untyped({ description: "x", fliter: "everyone", sort: "all" })) },
          owner: "user_idd",
          access: { ...task.access, update: ownedBy("user_idd"), delete: where("titel", "x") },
        }),
      );
    expect(faultsOf(declare)).toEqual([
      'resource "task": there is no option "lifcycle"; did you mean "lifecycle"?',
      'resource "task", field "title": there is no option "fliter"; did you mean "filter"?',
      'resource "task", field "title": "sort" must be "everyone" or "admin" or "nobody", not "all"',
      'resource "task": the owner field "user_idd" is not declared; did you mean "user_id"?',
      'resource "task", access.update: there is no field "user_idd"; did you mean "user_id"?',
      'resource "task", access.delete: there is no field "titel"; did you mean "title"?',
    ]);
  });

  test("of a resource without what it needs", () => {
    const { access: _access, plural: _plural, ...without } = task;
    expect(faultsOf(() => defineResource(untyped(without)))).toEqual([
      'resource "task": "plural" is missing; it must be a text that is not empty',
      'resource "task": "access" is missing; it must be { read, update, delete }: who may do what, such as ownedBy("user_id")',
    ]);
    expect(faultsOf(() => defineResource(untyped({ ...task, access: { read: own } })))).toEqual([
      'resource "task", access: "update" is missing; it must be a rule, such as ownedBy("user_id"), with `through` at most three deep',
      'resource "task", access: "delete" is missing; it must be a rule, such as ownedBy("user_id"), with `through` at most three deep',
    ]);
  });

  test("of a resource that is nothing at all", () => {
    expect(faultsOf(() => defineResource(untyped(undefined)))).toEqual(
      expect.arrayContaining(['defineResource: "name" is missing; it must be a text that is not empty']),
    );
    expect(faultsOf(() => defineResource(untyped(null)))).toEqual(["defineResource must be an object, not null"]);
  });

  test("of fields whose options are left out", () => {
    const nothing = untyped(undefined);
    const fields = {
      user_id: reference("user", nothing),
      title: text(20, nothing),
      size: integer(nothing),
      owner_id: reference(nothing, { onDelete: untyped("restrict"), description: "Whose." }),
    };
    expect(faultsOf(() => defineResource({ ...task, fields }))).toEqual([
      'resource "task", field "user_id": "description" is missing; it must be a text that is not empty',
      'resource "task", field "user_id": "onDelete" is missing; it must be "cascade"',
      'resource "task", field "title": "description" is missing; it must be a text that is not empty',
      'resource "task", field "size": "description" is missing; it must be a text that is not empty',
      'resource "task", field "owner_id": "resource" is missing; it must be a text that is not empty',
      'resource "task", field "owner_id": "onDelete" must be "cascade", not "restrict"',
    ]);
  });

  test.each<[string, (...nothing: never[]) => unknown, string]>([
    ["text", text, "text(undefined): the longest length must be a whole number above 0"],
    ["words", (nothing) => words(3, nothing, nothing), "words(undefined): the longest length must be a whole number"],
    ["decimal", decimal, 'a decimal has 1 to 15 digits, which "digits" sets'],
    ["choice", choice, 'choice: the first argument must be a list of texts, such as ["draft", "sent"]'],
    ["choice of nothing", () => choice(untyped([]), { description: "x" }), "must be a list of texts"],
    ["nullable", nullable, "nullable takes a field, such as nullable(text(50, …))"],
  ])("of a field: %s without arguments", (_what, make, message) => {
    expect(() => make(untyped(undefined))).toThrow(message);
  });

  test.each([
    ["a handler", (options: unknown) => on("stripe", "*", run, untyped(options)), "stripe:*"],
    ["a job", (options: unknown) => defineJob("mail", run, untyped(options)), "mail"],
    ["a schedule", (options: unknown) => schedule("report", "0 6 * * 1", run, untyped(options)), "report"],
  ])("of %s", (_what, declare, name) => {
    const options = { timeoutMs: "5s", retry: { attempts: 3 }, prioritty: 1, queue: "Mail box" };
    expect(faultsOf(() => declare(options))).toEqual([
      expect.stringContaining(`handler "${name}": there is no option "prioritty"; did you mean "priority"?`),
      expect.stringContaining(`handler "${name}": "queue" must be 1 to 64 lower-case letters`),
      expect.stringContaining(`handler "${name}": "retry" must be { delaysMs: […] }`),
      expect.stringContaining(`handler "${name}": "timeoutMs" must be a whole number of milliseconds`),
    ]);
  });

  test("of a handler that is no function", () => {
    expect(faultsOf(() => on("stripe", "*", untyped("send")))).toEqual([
      'handler "stripe:*": "handle" must be a function, not "send"',
    ]);
    expect(faultsOf(() => defineJob("mail", untyped(undefined)))).toEqual([
      'handler "mail": "run" is missing; it must be a function',
    ]);
  });
});

/** Never called: the type checker reads it, and reports a directive below which it finds no mistake. */
export const refusedByTypes = (): unknown => [
  // @ts-expect-error the option is called filter
  text(20, { description: "x", fliter: "everyone" }),
  // @ts-expect-error a resource says who may do what
  defineResource({ ...task, access: undefined }),
  // @ts-expect-error the field is called user_id
  defineResource({ ...task, access: { read: ownedBy("user_idd"), update: own, delete: own } }),
  // @ts-expect-error the field is called user_id
  defineResource({ ...task, owner: "user_idd" }),
  // @ts-expect-error the option is called lifecycle
  defineResource({ ...task, lifcycle: {} }),
  // @ts-expect-error milliseconds are a number
  on("stripe", "*", run, { timeoutMs: "5s" }),
  // @ts-expect-error a retry policy is a list of delays
  on("stripe", "*", run, { retry: { attempts: 3 } }),
  // @ts-expect-error the option is called priority
  defineJob("mail", run, { prioritty: 1 }),
  // @ts-expect-error a handler is a function
  on("stripe", "*", "send"),
];
