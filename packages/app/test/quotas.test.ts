import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const withQuota = async (quota: { rows?: number; bytes?: number }) => {
  const api = testApi({ settings: { quotas: { posts: quota } } });
  const ada = await api.user("ada");
  const bob = await api.user("bob");
  const post = (body: string, { id, token } = ada) =>
    api.call("POST", `/users/${id}/posts`, { token, body: { title: "T", body } });
  return { ...api, ada, bob, post };
};

describe("a quota", () => {
  test("of rows refuses one more of an owner, and takes it when another is deleted", async () => {
    const { call, ada, bob, post } = await withQuota({ rows: 2 });
    const first = await post("one");
    expect((await post("two")).status).toBe(201);
    expect(await post("three")).toMatchObject({ status: 409, body: { code: "quota_exceeded" } });
    expect((await post("one", bob)).status).toBe(201);
    await call("DELETE", `/posts/${first.body.id}`, { token: ada.token });
    expect((await post("three")).status).toBe(201);
    const listed = await call("GET", `/users/${ada.id}/posts`, { token: ada.token });
    expect(listed.body.data.map(({ body }: { body: string }) => body)).toEqual(["two", "three"]);
  });

  test("holds when many are written at once", async () => {
    const { post } = await withQuota({ rows: 3 });
    const statuses = await Promise.all(
      Array.from({ length: 12 }, () => post("x")).map(async (made) => (await made).status),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
    expect(statuses.filter((status) => status === 409)).toHaveLength(9);
  });

  test("of bytes refuses what would be too much, and always takes a change that makes it less", async () => {
    const { call, ada, post } = await withQuota({ bytes: 100 });
    const made = await post("\u00e4".repeat(40));
    expect(made.status).toBe(201);
    expect((await post("x".repeat(30))).body.code).toBe("quota_exceeded");
    const change = (body: string) => call("PATCH", `/posts/${made.body.id}`, { token: ada.token, body: { body } });
    expect((await change("\u00e4".repeat(60))).body.code).toBe("quota_exceeded");
    expect((await change("\u00e4".repeat(30))).status).toBe(200);
    expect((await post("x".repeat(30))).status).toBe(201);
  });

  test.each([
    [{ pots: { rows: 1 } }, /quotas\.pots: there is no resource "pots"/],
    [{ users: { rows: 1 } }, /quotas\.users: a user has no owner/],
    [{ posts: { rows: 0 } }, /quotas\.posts\.rows: a whole number from 1/],
    [{ posts: { row: 1 } as object }, /quotas\.posts: there is no bound "row"/],
  ])("that cannot be kept stops the start: %j", (quotas, message) => {
    expect(() => testApi({ settings: { quotas } })).toThrow(message);
  });
});
