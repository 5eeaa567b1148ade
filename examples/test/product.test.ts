import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allRows, beforeWrite, user } from "@postern/server";
import { testPostern } from "@postern/testing";
import { afterAll, expect, test } from "vitest";
import { member } from "../product/member.ts";
import product from "../product/postern.config.ts";

const folder = mkdtempSync(join(tmpdir(), "product-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("users have the fields of the application on a database that is made for it, and none that it leaves out", async () => {
  const seen: unknown[] = [];
  const hook = beforeWrite(member, ({ before, row }) => void seen.push([before?.credit, row?.credit]));
  await using t = await testPostern({ ...product, hooks: [hook], database: `sqlite:${join(folder, "test.db")}` });
  const ada = t.as("Ada");
  expect((await ada.get("/users/me")).body).toMatchObject({ company: null, handle: null, plan: "free", credit: 0 });
  await t.postern.transaction(async ({ rows }) => {
    for (const { id } of (await rows.users?.list({})) ?? []) await rows.users?.update(id, { credit: 3 });
  });
  expect((await ada.patch("/users/me", { handle: "ada" })).body).toMatchObject({ handle: "ada", credit: 3 });
  expect((await t.as("Bob").patch("/users/me", { handle: "ada" })).status).toBe(409);
  expect((await ada.get("/users/me")).body).not.toHaveProperty("phone");
  const [row] = await t.rows(member);
  expect(row).toMatchObject({ credit: 3, handle: "ada" });
  // Postern's own code knows the built-in user alone.
  seen.length = 0;
  const at = { id: String(row?.id), scope: allRows("test") };
  await t.postern.ports.storage.resources.update(user, at, { name: "Countess" });
  expect(seen).toEqual([[3, 3]]);
});
