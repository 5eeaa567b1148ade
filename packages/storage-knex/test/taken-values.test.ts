import { AppError, allRows, defineResource, ownedBy, type Row, reference, type Storage, text } from "@postern/core";
import { memoryStorage } from "@postern/core/memory";
import { contractResources, idNumber, userRow } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { onEachDatabase } from "./databases.ts";

const all = allRows("test");
const rule = ownedBy("user_id");
/**
 * Its first unique field comes last in the alphabet, so that no order of indexes is the order of
 * the fields by chance.
 */
const pair = defineResource({
  name: "pair",
  plural: "pairs",
  description: "Two values.",
  fields: {
    zeta: text(20, { unique: true, description: "One." }),
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
    alpha: text(20, { unique: true, description: "Another." }),
  },
  owner: "user_id",
  access: { read: rule, update: rule, delete: rule },
});
const [user] = contractResources;

const pairRow = (n: number, zeta: string, alpha: string, owner = 1): Row => ({
  id: idNumber(n),
  user_id: idNumber(owner),
  zeta,
  alpha,
  created_at: "2026-01-02T03:04:05.678Z",
  updated_at: "2026-01-02T03:04:05.678Z",
});

const namesTheFirst = async ({ resources, transaction }: Storage): Promise<void> => {
  await resources.insert(user, userRow(1));
  await resources.insert(pair, pairRow(1, "b", "a"));
  await resources.insert(pair, pairRow(2, "d", "c"));
  const taken = async (write: Promise<unknown>): Promise<unknown> => {
    const refused = await write.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return refused instanceof AppError ? (refused.faults[0] ?? refused.code) : refused;
  };
  const conflict = (name: string) => ({ pointer: `/${name}`, code: "taken", detail: "already in use" });
  expect(await taken(resources.insert(pair, pairRow(3, "b", "a")))).toEqual(conflict("zeta"));
  expect(await taken(resources.insert(pair, pairRow(3, "b", "c")))).toEqual(conflict("zeta"));
  expect(await taken(resources.insert(pair, pairRow(3, "d", "a")))).toEqual(conflict("zeta"));
  expect(await taken(resources.insert(pair, pairRow(1, "b", "a")))).toEqual(conflict("id"));
  expect(await taken(resources.insert(pair, pairRow(3, "x", "a", 9)))).toEqual(conflict("alpha"));
  expect(await taken(resources.insert(pair, pairRow(3, "x", "y", 9)))).toBe("not_found");
  const change = (changes: Row) => resources.update(pair, { id: idNumber(2), scope: all }, changes);
  expect(await taken(change({ alpha: "a", zeta: "b" }))).toEqual(conflict("zeta"));
  expect(await taken(change({ alpha: "a", zeta: "d" }))).toEqual(conflict("alpha"));
  expect(await taken(transaction((stores) => stores.resources.insert(pair, pairRow(3, "b", "a"))))).toEqual(
    conflict("zeta"),
  );
};

describe("of several values that are taken", () => {
  test("the first field of the declaration is reported in memory", () => namesTheFirst(memoryStorage()));
});

onEachDatabase("of several values that are taken", ({ fresh, url }) => {
  test("the first field of the declaration is named", async () => {
    await namesTheFirst((await fresh({ url: url(), resources: [pair] })).storage);
  });
});
