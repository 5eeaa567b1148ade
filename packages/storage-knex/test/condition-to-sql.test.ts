import { type Condition, comment, equals, post, user } from "@postern/core";
import { expect, test } from "vitest";
import { conditionToSql } from "../src/condition-to-sql.ts";
import { orderToSql, placeToSql } from "../src/list-order.ts";

const resources = new Map([user, post, comment].map((resource) => [resource.name, resource]));
const onPosts = (condition: Condition) => conditionToSql(condition, { resource: post, alias: "posts" }, resources);

test("keeps values out of the text", () => {
  const hostile = "' OR 1 = 1 --";
  expect(onPosts(equals("title", hostile))).toEqual({ sql: "`posts`.`title` = ?", values: [hostile] });
  expect(onPosts({ field: "title", in: [hostile, "b"] })).toEqual({
    sql: "`posts`.`title` IN (?, ?)",
    values: [hostile, "b"],
  });
});

test("refuses a name that the resource does not have", () => {
  for (const field of ["nothing", "id` = `id", "__proto__", "constructor"]) {
    expect(() => onPosts(equals(field, "x")), field).toThrow(TypeError);
    expect(() => orderToSql([{ field, direction: "asc" }], { resource: post, alias: "posts" }), field).toThrow(
      TypeError,
    );
  }
  expect(() => onPosts({ via: "user_id", resource: "nobody", where: { all: [] } })).toThrow(TypeError);
});

test("never takes a text for equal to a number", () => {
  expect(onPosts(equals("title", 0))).toEqual({ sql: "1 = 0", values: [] });
  expect(onPosts({ field: "title", in: [0] })).toEqual({ sql: "1 = 0", values: [] });
  expect(onPosts(equals("revision", 3))).toEqual({ sql: "`posts`.`revision` = ?", values: [3] });
});

test("follows references row by row, each under a name of its own", () => {
  const { sql } = conditionToSql(
    { via: "post_id", resource: "post", where: { via: "user_id", resource: "user", where: equals("role", "admin") } },
    { resource: comment, alias: "comments" },
    resources,
  );
  expect(sql).toBe(
    "EXISTS (SELECT 1 FROM `posts` AS `related_1` WHERE `related_1`.`id` = `comments`.`post_id` AND " +
      "EXISTS (SELECT 1 FROM `users` AS `related_2` WHERE `related_2`.`id` = `related_1`.`user_id` AND `related_2`.`role` = ?))",
  );
});

test("starts a page in the index where the last one ended", () => {
  const order = [
    { field: "created_at", direction: "desc" },
    { field: "id", direction: "desc" },
  ] as const;
  expect(placeToSql({ order, after: ["2026", "b"] }, { resource: post, alias: "p" })).toEqual({
    sql: "(`p`.`created_at` <= ? AND (`p`.`created_at` < ? OR (`p`.`created_at` = ? AND `p`.`id` < ?)))",
    values: ["2026", "2026", "2026", "b"],
  });
});
