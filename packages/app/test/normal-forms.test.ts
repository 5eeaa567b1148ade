import { defineResource, nullable, ownedBy, reference, text } from "@postern/core";
import { beforeEach, describe, expect, test } from "vitest";
import { type Api, testApi } from "./api.ts";

const own = ownedBy("user_id");
const place = defineResource({
  name: "place",
  plural: "places",
  description: "A place.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Whose." }),
    name: text(4, { unique: true, filter: "everyone", sort: "everyone", description: "Its name." }),
    motto: nullable(text(20, { default: "cafe\u0301", filter: "everyone", description: "Its motto." })),
    note: nullable(text(20, { description: "What nobody searches." })),
  },
  owner: "user_id",
  access: { read: own, update: own, delete: own },
});

const [composed, apart] = ["caf\u00e9", "cafe\u0301"];

describe("a text that is unique or can be filtered by", () => {
  let api: Api;
  let token: string;
  const post = (body: object) => api.call("POST", "/places", { token, body });
  const named = async (filter: string): Promise<readonly unknown[]> => {
    const { body } = await api.call("GET", `/places?sort=name&${filter}`, { token });
    return body.data.map(({ name }: { name: string }) => name);
  };

  beforeEach(async () => {
    api = testApi({ resources: [place] });
    ({ token } = await api.user("ada"));
  });

  test("is answered in NFC, as it is stored, by each write; others come back as they were written", async () => {
    const made = await post({ name: apart, note: apart });
    expect(made).toMatchObject({ status: 201, body: { name: composed, motto: composed, note: apart } });
    const path = `/places/${made.body.id}`;
    expect((await api.call("GET", path, { token })).body).toEqual(made.body);
    const patched = await api.call("PATCH", path, { token, body: { motto: apart.toUpperCase() } });
    expect(patched.body.motto).toBe(composed.toUpperCase());
    const put = await api.call("PUT", path, { token, body: { ...patched.body, name: apart } });
    expect(put).toMatchObject({ status: 200, body: { name: composed } });
  });

  test("is taken in every form, for every write", async () => {
    await post({ name: composed });
    const taken = { status: 409, body: { code: "conflict", errors: [{ pointer: "/name", code: "taken" }] } };
    expect(await post({ name: apart })).toMatchObject(taken);
    const other = await post({ name: "cafe" });
    const body = { name: apart };
    expect(await api.call("PATCH", `/places/${other.body.id}`, { token, body })).toMatchObject(taken);
  });

  test("with more marks on a letter than Unicode allows is checked at once, and stays as it was written", async () => {
    const marks = (count: number) => `a${"\u0315\u0300".repeat(count / 2)}`;
    expect((await post({ name: marks(300_000) })).body).toMatchObject({
      status: 400,
      errors: [{ pointer: "/name", code: "too_big" }],
    });
    expect((await post({ name: "b", note: null, motto: `a${"\u0300".repeat(19)}` })).body.motto).toBe(
      `\u00e0${"\u0300".repeat(18)}`,
    );
  });

  test("has as many characters as in NFC", async () => {
    expect((await post({ name: apart })).status).toBe(201);
    // NFC writes each of these letters as two characters.
    expect(await post({ name: "\u0958\u0958\u0958" })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/name" }] },
    });
    expect((await post({ name: "\u0958\u0958" })).body.name).toBe("\u0915\u093c\u0915\u093c");
  });

  test("is found by either form, with each operator", async () => {
    for (const name of [apart, "cafe", "Ca%"]) await post({ name });
    for (const form of [composed, apart]) {
      const asked = encodeURIComponent(form);
      expect(await named(`filter[name]=${asked}`)).toEqual([composed]);
      expect(await named(`filter[name][in]=x,${asked}`)).toEqual([composed]);
      expect(await named(`filter[name][ne]=${asked}`)).toEqual(["Ca%", "cafe"]);
      expect(await named(`filter[name][nin]=${asked},cafe`)).toEqual(["Ca%"]);
      expect(await named(`filter[name][contains]=${encodeURIComponent(form.slice(2))}`)).toEqual([composed]);
      expect(await named(`filter[name][starts_with]=${asked}`)).toEqual([composed]);
    }
  });

  test("is described as every other", () => {
    const document = JSON.stringify(api.app.openApi("v2"));
    expect(document).toContain('"name":{"type":"string","minLength":1,"maxLength":4');
  });
});
