import { expect, test } from "vitest";
import { createKeyGroups } from "../src/stores/key-groups.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when the test says so. `groups` holds the keys of the items of each group. */
const scene = ({ items, groups: mostGroups }: { items: number; groups: number }) => {
  const groups: string[][] = [];
  const ends: ((fault?: Error) => void)[] = [];
  const add = createKeyGroups<{ readonly keys: readonly string[] }, string>(
    (group) => {
      const names = group.map(({ keys }) => keys.join("+"));
      groups.push(names);
      return new Promise((resolve, reject) =>
        ends.push((fault) => (fault === undefined ? resolve(names) : reject(fault))),
      );
    },
    { items, groups: mostGroups },
  );
  const end = async (fault?: Error) => {
    ends.shift()?.(fault);
    await settled();
  };
  return { groups, end, add: (...keys: string[]) => add({ keys }) };
};

test("an item that comes alone is done at once", async () => {
  const { groups, add, end } = scene({ items: 16, groups: 1 });
  const result = add("a", "b");
  expect(groups).toEqual([["a+b"]]);
  await end();
  expect(await result).toBe("a+b");
});

test("items that come meanwhile are done together, so many at a time, and each gets its own result", async () => {
  const { groups, add, end } = scene({ items: 3, groups: 1 });
  const results = ["a", "b", "c", "d", "e"].map((key) => add(key));
  await end();
  expect(groups).toEqual([["a"], ["b", "c", "d"]]);
  await end();
  await end();
  expect(groups).toEqual([["a"], ["b", "c", "d"], ["e"]]);
  expect(await Promise.all(results)).toEqual(["a", "b", "c", "d", "e"]);
});

test("the items of one key keep one group busy, and others go on beside it", async () => {
  const { groups, add } = scene({ items: 16, groups: 3 });
  for (const key of ["crowded", "crowded", "crowded", "other", "crowded", "third"]) void add(key);
  expect(groups).toEqual([["crowded"], ["other"], ["third"]]);
});

test("no item is done before an older one with a key in common", async () => {
  const { groups, add, end } = scene({ items: 16, groups: 3 });
  void add("a");
  void add("a", "b");
  void add("b", "c");
  void add("c");
  void add("d");
  expect(groups).toEqual([["a"], ["d"]]);
  await end();
  // The older ones come first within the group, too.
  expect(groups[2]).toEqual(["a+b", "b+c", "c"]);
});

test("if a group fails, items that wait with a key in common fail alike, and others are done", async () => {
  const { groups, add, end } = scene({ items: 1, groups: 1 });
  const first = add("a");
  const alike = add("x", "a");
  const other = add("b");
  const results = Promise.allSettled([first, alike, other]);
  await end(new Error("away"));
  expect(groups).toEqual([["a"], ["b"]]);
  await end();
  expect((await results).map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});
