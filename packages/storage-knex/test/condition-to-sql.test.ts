import { comment, post, user } from "@postern/app";
import { type Condition, equals } from "@postern/core";
import { expect, test } from "vitest";
import { conditionToSql, conjunction } from "../src/engine/condition-to-sql.ts";
import { mysqlDialect } from "../src/mysql/dialect.ts";
import { pageToSql } from "../src/stores/list-order.ts";
import { readColumns } from "../src/stores/read-columns.ts";
import { compilingDialect } from "./databases.ts";

const compiler = {
  resources: new Map([user, post, comment].map((resource) => [resource.name, resource])),
  dialect: compilingDialect,
};
const onPosts = (condition: Condition) => conditionToSql(condition, { resource: post, alias: "posts" }, compiler);
const pageOfPosts = (field: string, place: { after?: string[]; before?: string[] } = {}) =>
  pageToSql(
    {
      source: { resource: post, alias: "posts" },
      columns: readColumns(compilingDialect, post, ["id"], undefined),
      where: { sql: "1 = 1", values: [] },
      order: [
        { field, direction: "desc" },
        { field: "id", direction: "desc" },
      ],
      limit: 2,
    },
    place,
  );

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
    expect(() => pageOfPosts(field), field).toThrow(TypeError);
  }
  expect(() => onPosts({ via: "user_id", resource: "nobody", where: { all: [] } })).toThrow(TypeError);
});

test("never treats a text as equal to a number", () => {
  expect(onPosts(equals("title", 0))).toEqual({ sql: "1 = 0", values: [] });
  expect(onPosts({ field: "title", in: [0] })).toEqual({ sql: "1 = 0", values: [] });
  expect(onPosts(equals("revision", 3))).toEqual({ sql: "`posts`.`revision` = ?", values: [3] });
});

test("follows references row by row, with a separate name for each table", () => {
  const { sql } = conditionToSql(
    { via: "post_id", resource: "post", where: { via: "user_id", resource: "user", where: equals("role", "admin") } },
    { resource: comment, alias: "comments" },
    compiler,
  );
  expect(sql).toBe(
    "EXISTS (SELECT 1 FROM `posts` AS `related_1` WHERE `related_1`.`id` = `comments`.`post_id` AND " +
      "EXISTS (SELECT 1 FROM `users` AS `related_2` WHERE `related_2`.`id` = `related_1`.`user_id` AND `related_2`.`role` = ?))",
  );
});

test("reads on from a place in stretches that an index yields in order", () => {
  const { sql, values } = pageOfPosts("created_at", { after: ["2026", "b"] });
  expect(sql.split("UNION ALL")).toEqual([
    expect.stringContaining("`posts`.`created_at` = ? AND `posts`.`id` < ?)) ORDER BY `posts`.`id` DESC LIMIT 2"),
    expect.stringContaining("`posts`.`created_at` < ?) ORDER BY `posts`.`created_at` DESC, `posts`.`id` DESC LIMIT 2"),
  ]);
  expect(values).toEqual(["2026", "b", "2026"]);
});

test("refuses a place that does not fit the order", () => {
  expect(() => pageOfPosts("created_at", { after: ["2026"] })).toThrow(TypeError);
  expect(() => pageOfPosts("created_at", { after: [] })).toThrow(TypeError);
  expect(() => pageOfPosts("created_at", { after: ["2026", "b"], before: ["2026", "b"] })).toThrow(TypeError);
});

test("searches for text literally, whatever it means in a pattern", () => {
  const piece = "50%_\\a.[é";
  expect(compilingDialect.findsText("t", "contains", piece)).toEqual({
    sql: "t LIKE ? ESCAPE '\\'",
    values: ["%50\\%\\_\\\\a.[é%"],
  });
  expect(mysqlDialect.findsText("t", "starts_with", piece)).toEqual({
    sql: "t REGEXP ?",
    values: ["^50\\%\\_\\\\[aA]\\.\\[é"],
  });
});

test("leaves out alternatives of which another condition requires one", () => {
  const own = equals("user_id", "a");
  const readable: Condition = { any: [own, equals("status", "published")] };
  expect(conjunction([readable, { all: [own] }])).toEqual({ all: [own] });
  expect(conjunction([readable, equals("user_id", "b")])).toEqual({ all: [readable, equals("user_id", "b")] });
  expect(conjunction([readable, { any: [own] }])).toEqual({ all: [readable, { any: [own] }] });
});
