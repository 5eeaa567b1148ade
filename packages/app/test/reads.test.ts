import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { defineJob, type HandlerContext, newJob } from "@postern/jobs";
import { describe, expect, test } from "vitest";

const person = (name: string) => ({ name, email: `${name}@example.com`, password: "hash" });

/** Runs a job of this function once, and returns what it returned or threw. */
const ran = async (run: (context: HandlerContext) => Promise<unknown>) => {
  const ports = memoryPorts();
  let end: unknown;
  const job = defineJob("one", async (_payload: undefined, context) => {
    end = await run(context).catch((thrown: unknown) => thrown);
  });
  const app = createApp({ ports, jobs: [job] });
  const worker = app.worker({ name: "only", concurrency: 1 });
  await worker.start();
  await app.enqueue(newJob(job, undefined));
  await worker.runDue();
  await ports.clock.advance(0);
  return { app, ports, end: () => end };
};

describe("a handler", () => {
  test("reads rows as often as it likes, and then commits", async () => {
    const { end, ports } = await ran(async ({ read, commit }) => {
      const before = await read(({ users }) => users?.list() ?? Promise.reject());
      await read(async ({ users }) => users?.list());
      const ann = await commit(({ users }) => users?.create(person("ann")) ?? Promise.reject());
      const [one, scoped] = await Promise.all([
        read(({ users }) => users?.get(ann.id) ?? Promise.reject()),
        read(async (_rows, tx) => tx.rows.users?.scopedTo({ field: "name", op: "eq", value: "bob" }).list()),
      ]);
      return [before.length, one.name, scoped];
    });
    expect(end()).toEqual([0, "ann", []]);
    expect(await ports.storage.jobRecords.list({ state: "done", limit: 5 })).toHaveLength(1);
  });

  test.each(["create", "update", "move", "remove"])("cannot write with %s in a read", async (name) => {
    const { end } = await ran(({ read }) =>
      read(async ({ users }) => Reflect.get(users?.scopedTo({ all: [] }) ?? {}, name)({ name: "x" })),
    );
    expect(String(end())).toBe(
      `TypeError: a read writes nothing, so its rows have no "${name}": write in the transaction (\`commit\` of a handler, \`write\` of an operation)`,
    );
  });

  test("locks nothing in a read, and finds neither jobs nor stores in it", async () => {
    const { end } = await ran(({ read }) =>
      read(async ({ users }, tx) => {
        const get: (id: string, options: object) => Promise<unknown> = users?.get ?? (() => Promise.resolve());
        return [
          await get("1", { hold: true }).catch(String),
          ["enqueue", "jobs", "resources", "events"].filter((name) => name in tx),
        ];
      }),
    );
    expect(end()).toEqual(["TypeError: a read locks nothing: hold rows in commit", []]);
  });

  test("does not read inside a commit, nor commit inside a read", async () => {
    const inCommit = await ran(({ read, commit }) => commit(() => read(async () => "never")));
    expect(String(inCommit.end())).toBe("TypeError: read was called inside commit: use the rows that commit gives");
    const inRead = await ran(({ read, commit }) => read(() => commit(async () => "never")));
    expect(String(inRead.end())).toBe(
      "TypeError: commit was called before a read had ended: await the read, then commit",
    );
  });

  test("ends a read after five seconds, whatever it waits for, and goes on", async () => {
    const { end, ports } = await ran(async ({ read, commit }) => {
      const late = await read(() => new Promise(() => undefined)).catch(String);
      await commit(({ users }) => users?.create(person("ann")) ?? Promise.reject());
      return late;
    });
    await ports.clock.advance(4_999);
    expect(end()).toBeUndefined();
    await ports.clock.advance(1);
    expect(end()).toBe("Error: a read took longer than 5000 ms: only read in it, and call services after it");
  });

  test("names the rows that there are when it reads others", async () => {
    const { end } = await ran(({ read }) => read(async ({ userz }) => userz?.list()));
    expect(String(end())).toBe('TypeError: there are no rows named "userz"; did you mean "users"?');
  });
});
