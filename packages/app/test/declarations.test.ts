import { type AppOptions, createApp, post } from "@postern/app";
import { DeclarationError } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { defineProvider, handlersFor, on } from "@postern/inbox";
import type { WorkerOptions } from "@postern/jobs";
import { defineJob, schedule } from "@postern/jobs";
import { createVerifier, type Scheme } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { pagerduty } from "@postern/webhook-verifier/schemes/pagerduty";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";
import { describe, expect, test } from "vitest";

const run = async (): Promise<void> => undefined;

/** Plain JavaScript can write whatever it likes. */
const start = (options: Record<string, unknown>): readonly string[] => {
  try {
    createApp({ ports: memoryPorts(), ...(options as Partial<AppOptions>) });
  } catch (thrown) {
    if (thrown instanceof DeclarationError) return thrown.faults;
    throw thrown;
  }
  return [];
};

describe("an application does not start, and tells all faults at once", () => {
  test("with declarations that were written by hand", () => {
    const faults = start({
      handlers: [{}, { ...on("stripe", "*", run), name: "mine", timeoutMs: "5s" }],
      jobs: [{ ...defineJob("mail", run), run: "send" }],
      schedules: [schedule("report", "every day", run)],
      providers: [{ name: "acme" }],
      resources: [{ name: "task" }],
      versions: [{ id: "v1", released: "soon", changs: [] }],
      deprecations: [{ id: "old", target: { version: "v1", operaton: "posts.list" } }],
    });
    expect(faults).toEqual(
      expect.arrayContaining([
        'handlers[0]: "handle" is missing; it must be a function',
        expect.stringContaining('handler "mine": "timeoutMs" must be a whole number of milliseconds from 1 to'),
        'handler "mail": "run" must be a function, not "send"',
        expect.stringContaining('schedule "report": '),
        'providers "acme": make it with defineProvider or openProvider',
        'resources "task": make it with defineResource',
        'version v1: there is no option "changs"; did you mean "changes"?',
        'version v1: "released" must be a day like 2027-01-31, not "soon"',
        'deprecation "old", target: there is no option "operaton"; did you mean "operation"?',
        'deprecation "old": "sunset" is missing; it must be a text that is not empty',
      ]),
    );
  });

  test("with handlers that use the rows of a resource that is not declared", () => {
    const { on: using, schedule: scheduling } = handlersFor([{ ...post, name: "letter", plural: "letters" }, post]);
    const schedules = [scheduling("report", "@daily", run)];
    expect(start({ handlers: [using("acme", "*", run)], schedules })).toEqual([
      'handler "acme:*": it uses the rows of "letter", which is not declared; add it to "resources"',
      'handler "report": it uses the rows of "letter", which is not declared; add it to "resources"',
    ]);
  });

  test("with options that createApp does not have, or with none", () => {
    const make = (given?: unknown) => Reflect.apply(createApp, undefined, [given]);
    expect(() => make()).toThrow('createApp: "ports" is missing; it must be an object');
    expect(() => make(null)).toThrow("createApp must be an object, not null");
    expect(start({ handler: [] })).toEqual(['createApp: there is no option "handler"; did you mean "handlers"?']);
    expect(start({ jobs: {} })).toEqual(['createApp: "jobs" must be a list, not an object']);
  });

  test("with entries that are no objects, and with versions without changes", () => {
    expect(start({ handlers: [null], jobs: ["mail"], resources: [undefined], versions: [3] })).toEqual([
      "resources[0] must be an object, not undefined",
      "handlers[0] must be an object, not null",
      'jobs[0] must be an object, not "mail"',
      "versions[0] must be an object, not 3",
    ]);
    expect(start({ versions: [{ id: "v1", released: "2026-01-01" }] })).toEqual([
      'version v1: "changes" is missing; it must be a list',
    ]);
  });

  test("without a port that createApp needs", () => {
    const { storage: _storage, cronPlan: _cronPlan, ...ports } = memoryPorts();
    expect(start({ ports })).toEqual([
      'createApp: "ports" lacks storage, cronPlan; nodePorts, createKnexStorage and nodeCronPlan make them all together',
    ]);
  });

  test("with a handler for a sender whose name is a slip", () => {
    expect(
      start({ handlers: [on("strpe", "*", run), on("stripe", "*", run), on("*", "*", run, { name: "all" })] }),
    ).toEqual(['handler "strpe:*": there is no sender "strpe"; did you mean "stripe"?']);
    expect(start({ handlers: [on("added-later", "*", run)] })).toEqual([]);
    // The sender that is meant is configured, under the name of its scheme.
    const providers = [
      defineProvider({ name: "stripe", verifier: createVerifier(stripe, { keys: "whsec_0123456789abcdef" }) }),
    ];
    expect(start({ providers, handlers: [on("strpe", "*", run)] })).toEqual([
      'handler "strpe:*": there is no sender "strpe"; did you mean "stripe"?',
    ]);
  });

  test("with paths of where that only fit the payload of their sender", () => {
    const sender = (scheme: Scheme) =>
      defineProvider({
        name: scheme.name,
        verifier: createVerifier(scheme, { keys: `whsec_${Buffer.alloc(32, 7).toString("base64")}` }),
      });
    const looksAt = (provider: string, ...paths: string[]) =>
      on(provider, "*", run, { where: Object.fromEntries(paths.map((path) => [path, true])) });
    expect(
      start({
        providers: [sender(stripe), sender(pagerduty)],
        handlers: [looksAt("stripe", "data.object.paid", "data"), looksAt("pagerduty", "event.data.x")],
      }),
    ).toEqual([
      'handler "stripe:*": where: "data.object.paid" leads into the payload, and where reads the data, which is at "data" in it: write "object.paid", or "$.data.object.paid" to read the payload',
      expect.stringMatching(/^handler "stripe:\*": where: "data" leads into the payload/),
      expect.stringMatching(/write "x", or "\$.event.data.x"/),
    ]);
    expect(
      start({
        providers: [sender(stripe)],
        handlers: [looksAt("stripe", "livemode", "request.id", "previous_attributes.x")],
      }),
    ).toEqual([
      'handler "stripe:*": where: "livemode" is in the payload, beside the data, and where reads the data, which is at "data": write "$.livemode" to read the payload',
      expect.stringMatching(/write "\$.request.id" to read the payload$/),
    ]);
    const fitting = [looksAt("stripe", "object.paid", "$.data.object.paid", "database"), looksAt("github", "data.x")];
    expect(start({ providers: [sender(stripe), sender(github)], handlers: fitting })).toEqual([]);
  });
});

test("a worker without a name or without room for jobs is refused, as it would never run one", () => {
  const app = createApp({ ports: memoryPorts() });
  const make = (options: object) => app.worker(options as WorkerOptions);
  expect(() => make({ concurrency: 1 })).toThrow('worker: "name" is missing; it must be a text, such as host:pid');
  expect(() => make({ name: "", concurrency: 1 })).toThrow('"name" must be a text, such as host:pid, not ""');
  expect(() => make({ name: "one" })).toThrow('"concurrency" is missing; it must be a whole number from 1 to 1000');
  for (const concurrency of [0, 1.5, 1001, "10", Number.NaN])
    expect(() => make({ name: "one", concurrency })).toThrow(
      '"concurrency" must be a whole number from 1 to 1000, not ',
    );
});

test("options of a worker that are left out or misspelt are named", () => {
  const make = (...given: unknown[]) => Reflect.apply(createApp({ ports: memoryPorts() }).worker, undefined, given);
  const limits = { queues: { mail: { concurency: 1 } } };
  expect(() => make()).toThrow('worker: "name" is missing; it must be a text, such as host:pid');
  expect(() => make("one")).toThrow('worker must be an object, not "one"');
  expect(() => make({ name: "one", concurrency: 1, maxLoses: 3 })).toThrow('did you mean "maxLosses"?');
  expect(() => make({ name: "one", concurrency: 1, ...limits })).toThrow(
    'worker, queue "mail": there is no option "concurency"; did you mean "concurrency"?',
  );
});
