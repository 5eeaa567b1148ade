import { testPostern } from "@postern/testing";
import { expect, test } from "vitest";
import { remind } from "../handlers/remind.ts";
import { closeBooks, findOverdue } from "../handlers/schedules.ts";
import { invoice } from "../invoices/invoice.ts";

test("the books are closed on the last evening of the month", async () => {
  const more = { resources: [invoice], jobs: [remind] };
  await using t = await testPostern({ ...more, schedules: [findOverdue, closeBooks], startAt: "2026-02-27T00:00:00Z" });
  await t.advance("3d");
  const closed = t.logged().filter(({ message }) => message === "the books are closed");
  expect(closed.map(({ fields }) => fields.at)).toEqual(["2026-02-28T18:00:00.000Z"]);
  expect(await t.jobs({ kind: "invoices.overdue" })).toHaveLength(3);
});
