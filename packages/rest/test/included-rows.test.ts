import { defineResource, ownedBy, prose, type Row, reference } from "@postern/core";
import { leftOutMember } from "@postern/core/ports";
import { expect, test } from "vitest";
import { defaultAnswerBounds } from "../src/limits/answer-memory.ts";
import type { EngineCall } from "../src/operations/operation.ts";
import { presentRows } from "../src/resources/included-rows.ts";

const own = ownedBy("user_id");
const note = defineResource({
  name: "note",
  plural: "notes",
  description: "A note.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Its owner." }),
    body: prose(200_000, { example: "a", description: "Its text." }),
  },
  owner: "user_id",
  access: { read: own, update: own, delete: own },
});
const fields = ["id", "body"];

const notes = (count: number, length: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ id: `${n}`, body: "a".repeat(length) }));

/** As storage reads rows at first: without their long texts, whose lengths it tells. */
const shortened = (rows: readonly Row[]): Row[] =>
  rows.map(({ id, body }) => ({ id: id ?? null, body: null, [leftOutMember]: { body: String(body).length } }) as Row);

const presented = async (rows: readonly Row[], stored: readonly Row[] = rows) => {
  const call = {
    principal: { kind: "operator", name: "test" },
    answerBounds: defaultAnswerBounds,
    memory: { keepForRows: () => undefined, forTexts: async () => undefined },
    rows: { findEach: async (_resource: unknown, ids: readonly string[]) => ids.map((id) => stored[Number(id)]) },
  } as unknown as EngineCall;
  const { data } = await presentRows(call, rows, { resource: note, fields, read: fields, inclusions: [] });
  return { count: data.length, bytes: JSON.stringify(data).length };
};

test("a page of long texts ends before the row that would exceed the answer", async () => {
  const rows = notes(100, 99_000);
  for (const page of [await presented(rows), await presented(shortened(rows), rows)]) {
    expect(page.bytes).toBeLessThanOrEqual(defaultAnswerBounds.bytes);
    expect(page.bytes).toBeGreaterThan(defaultAnswerBounds.bytes - 100_000);
  }
});

test("a page of short texts is whole", async () => {
  const short = notes(100, 1_000);
  expect(await presented(short)).toMatchObject({ count: 100 });
  expect(await presented(shortened(short), short)).toMatchObject({ count: 100 });
});
