import { expect, test } from "vitest";
import { refreshContract, refreshed } from "../../app/test/refresh-contract.ts";
import { mariadb, onEachDatabase, onMariadb, openStorage } from "./databases.ts";

for (const [what, open] of Object.entries(refreshed)) {
  onEachDatabase(`the refresh token of ${what}`, (databases) => {
    for (const [promise, run] of Object.entries(refreshContract)) {
      test(promise, async () => {
        const one = await databases.fresh();
        const other = openStorage({ url: databases.urlOf(one), connections: 5 });
        await run(await open([one.storage, other.storage]));
      });
    }
  });
}

onMariadb("the refresh token of a session", () => {
  test("gets the same successor from a process whose clock is an hour ahead", async () => {
    const one = await mariadb.fresh();
    const other = openStorage({ url: mariadb.urlOf(one), connections: 5 });
    const pair = await refreshed["a session"]([one.storage, other.storage], { time: "of the database" });
    const next = await pair.exchange(0, pair.first);
    await pair.clock.advance(3_600_000);
    expect(await pair.exchange(1, pair.first)).toBe(next);
  });
});
