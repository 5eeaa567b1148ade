import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../test/free-port.ts";
import { mysqlAnswers, mysqlDatabase } from "./database-servers.ts";
import { eventually, failToStart, startProcess, temporaryDirectory } from "./server-process.ts";

/** The processes that a process has started. */
const childrenOf = (pid: number | undefined): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("several processes on one SQLite file are refused, and the message says why", async () => {
  const { code, output } = await failToStart(temporaryDirectory(), { POSTERN_PROCESSES: "2" });
  expect(code).toBe(2);
  expect(output).toContain("POSTERN_PROCESSES above 1 needs PostgreSQL, MySQL or MariaDB");
});

describe.skipIf(process.platform !== "linux" || !mysqlAnswers)("a server of several processes", () => {
  const database = mysqlDatabase();
  const environment = {
    DATABASE_URL: database.url,
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    POSTERN_PROCESSES: "2",
  };

  beforeAll(() => database.create());
  afterAll(() => database.drop());

  /** Opens a new connection each time, so that the processes take turns. */
  const ask = async (url: string | undefined): Promise<number> =>
    (await fetch(`${url}/api`, { headers: { connection: "close" } })).status;

  test("shares one port, replaces a member that is killed, shows the metrics of all, and drains", async () => {
    const port = await freePort();
    const server = await startProcess(temporaryDirectory(), { ...environment, POSTERN_METRICS_PORT: String(port) });
    const members = childrenOf(server.pid);
    expect(members).toHaveLength(2);

    expect(await Promise.all(Array.from({ length: 8 }, () => ask(server.url)))).toEqual(Array(8).fill(200));
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    for (const member of ["1", "2"])
      expect(metrics).toMatch(new RegExp(`^http_request_ms_count\\{process="${member}",`, "m"));
    expect(metrics.match(/# TYPE http_request_ms histogram/g)).toHaveLength(1);

    const [killed = 0, other = 0] = members;
    process.kill(killed, "SIGKILL");
    // Callers notice nothing, because the other process answers meanwhile.
    await eventually(async () => !childrenOf(server.pid).includes(killed));
    expect(await ask(server.url)).toBe(200);
    await eventually(async () => childrenOf(server.pid).length === 2);
    expect(childrenOf(server.pid)).toContain(other);
    await eventually(async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return /process="1"/.test(text) && /process="2"/.test(text);
    });

    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    expect(childrenOf(process.pid).filter((pid) => members.includes(pid) && isAlive(pid))).toEqual([]);
    expect(isAlive(other)).toBe(false);
    const entries = server
      .output()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(entries).toContainEqual(expect.objectContaining({ msg: "started", processes: 2 }));
    expect(entries).toContainEqual(
      expect.objectContaining({ msg: "a process of this server ended", process: 1, ending: "SIGKILL" }),
    );
    expect(entries.at(-1)).toMatchObject({ msg: "stopped" });
  }, 90_000);

  test("ends all members with the first process, even if that is killed", async () => {
    const server = await startProcess(temporaryDirectory(), environment);
    const members = childrenOf(server.pid);
    server.kill("SIGKILL");
    await server.exited;
    await eventually(async () => !members.some(isAlive));
  }, 90_000);

  test("ends with the exit code of its first member if it cannot start, and does not try again", async () => {
    const { code, output } = await failToStart(temporaryDirectory(), {
      ...environment,
      DATABASE_URL: "mysql://root@127.0.0.1:1/nothing",
      POSTERN_DATABASE_WAIT: "500",
    });
    expect(code).toBe(5);
    expect(output.match(/Postern cannot reach its database/g)).toHaveLength(1);
    expect(output).not.toContain("a process of this server ended");
  }, 90_000);
});
