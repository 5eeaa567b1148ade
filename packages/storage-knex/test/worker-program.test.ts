import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { workerProgramFile } from "../scripts/worker-program.ts";
import { workerMain } from "../src/sqlite/driver/worker-main.ts";
import { workerProgram } from "../src/sqlite/driver/worker-program.ts";

/** What a thread posts for these requests, with a SQLite that answers every statement with its text. */
const posted = (run: (load: (name: string) => unknown) => void): readonly unknown[] => {
  const replies: unknown[] = [];
  let listener = (_request: unknown): void => undefined;
  class DatabaseSync {
    prepare = (sql: string) => {
      if (sql === "bad") throw Object.assign(new Error("near bad"), { code: "ERR_SQLITE_ERROR", errcode: 1 });
      return { all: (...values: unknown[]) => [sql, values], run: () => ({ changes: 1n, lastInsertRowid: 7 }) };
    };
    close = () => undefined;
  }
  run((name) => {
    if (name === "node:sqlite") return { DatabaseSync };
    if (name === "node:url") return { pathToFileURL };
    return {
      workerData: { file: "a.db", create: true, library: undefined },
      parentPort: {
        on: (_event: string, given: typeof listener) => (listener = given),
        postMessage: (reply: unknown) => replies.push(reply),
      },
    };
  });
  listener({ kind: "all", steps: [{ sql: "SELECT ?", values: [true, -0, null] }] });
  listener({ kind: "run", steps: [{ sql: "INSERT" }] });
  listener({ kind: "all", steps: [{ sql: "bad" }] });
  listener({ kind: "close", steps: [] });
  return replies;
};

test("the text of the thread's program is made of its source, and does the same", () => {
  const file = new URL("../src/sqlite/driver/worker-program.ts", import.meta.url);
  expect(readFileSync(file, "utf8")).toBe(workerProgramFile());
  const replies = posted((load) => new Function("require", workerProgram)(load));
  expect(replies).toEqual(posted(workerMain));
  expect(replies).toMatchObject([
    {},
    { rows: ["SELECT ?", [1, 0, null]] },
    { changed: 1, insertId: 7 },
    { error: { code: "SQLITE_ERROR", errno: 1 } },
    {},
  ]);
});
