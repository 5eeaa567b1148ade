import { expect, onTestFinished, test, vi } from "vitest";
import { loadDriver } from "../src/sqlite/driver/load-driver.ts";
import { sqlitePool } from "../src/sqlite/pool.ts";
import { fileOf, sqlite } from "./databases.ts";
import { sqliteDriver } from "./sqlite-driver.ts";

test("who has patience waits for a connection that opens slowly, as on a busy machine", async () => {
  const driver = await loadDriver(sqliteDriver);
  const { open } = driver;
  let opens = (): void => undefined;
  const mayOpen = new Promise<void>((resolve) => {
    opens = resolve;
  });
  vi.spyOn(driver, "open").mockImplementationOnce(async (...given) => {
    await mayOpen;
    return open(...given);
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const pool = sqlitePool(fileOf(sqlite.url()), 1, { synchronous: "NORMAL", driver: sqliteDriver, busyMs: 60_000 });
  const acquired = pool.acquire();
  acquired.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(20_000);
  opens();
  vi.useRealTimers();
  await pool.release(await acquired);
  await pool.close();
  expect(driver.open).toHaveBeenCalledTimes(1);
});
