import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { allRows, type FieldValue, type Row } from "@postern/core";
import { idNumber } from "@postern/core/testing";
import { expect, test } from "vitest";
import { onEachDatabase, openStorage, type TestDatabases } from "../databases.ts";
import { program } from "../program.ts";
import { storeUsers, userId } from "./caller.ts";
import { type Draw, holds, lawTimeoutMs } from "./law.ts";
import { choices, type FieldShape, resourceOf } from "./shapes.ts";

const all = allRows("law");
const moment = "2026-01-01T00:00:00.000Z";

const drawValue = (draw: Draw, { kind, size, nullable }: FieldShape): FieldValue => {
  if (nullable && draw.chance(0.3)) return null;
  if (kind === "text") return draw.one(["a", "ä'\"", "𝒵", "x".repeat(size)]).slice(0, size);
  if (kind === "choice") return draw.one(choices.slice(0, size));
  return kind === "integer" ? draw.from(-9, 9) : draw.from(-99, 99) / 100;
};

const drawField = (draw: Draw, name: string): FieldShape => {
  const kind = draw.one(["text", "integer", "decimal", "choice"] as const);
  const size = kind === "text" ? draw.from(4, 40) : kind === "decimal" ? draw.from(4, 8) : draw.from(1, 3);
  const shape: FieldShape = { name, kind, size, nullable: draw.chance(0.5), listed: draw.chance(0.5) };
  if (shape.nullable) return shape;
  // Existing rows need a value in a new field.
  const value = drawValue(draw, shape);
  return typeof value === "string" || typeof value === "number" ? { ...shape, default: value } : shape;
};

/** The next declaration: fields are added, grow, are renamed, and begin or cease to be listed. */
const evolved = (draw: Draw, shapes: readonly FieldShape[], step: number): readonly FieldShape[] => {
  const next = shapes.map(({ renamedFrom: _before, ...shape }): FieldShape => {
    if (!draw.chance(0.4)) return shape;
    const change = draw.one(["grow", "rename", "list"] as const);
    if (change === "list") return { ...shape, listed: !shape.listed };
    if (change === "rename") return { ...shape, name: `field_${step}_${draw.from(0, 999)}`, renamedFrom: shape.name };
    if (shape.kind === "choice") return { ...shape, size: Math.min(choices.length, shape.size + 1) };
    return shape.kind === "integer" ? shape : { ...shape, size: shape.size + draw.from(1, 3) };
  });
  const names = new Set(next.map(({ name }) => name));
  if (names.size < next.length) return evolved(draw, shapes, step);
  return draw.chance(0.6) ? [...next, drawField(draw, `new_${step}`)] : next;
};

/**
 * Starts the migration in a process of its own and kills that after a moment, whatever it is doing.
 */
const migrateAndDie = async (
  draw: Draw,
  url: string,
  shapes: readonly FieldShape[],
  longestMs: number,
): Promise<void> => {
  const child = spawn(process.execPath, [program("migrate-things"), url, JSON.stringify(shapes)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended]);
  await wait(draw.fraction() * longestMs);
  child.kill("SIGKILL");
  await ended;
};

/** The expected rows: what was stored, under the present names. */
const carried = (rows: readonly Row[], shapes: readonly FieldShape[], before: readonly FieldShape[]): readonly Row[] =>
  rows.map((row) => {
    const { id = null, user_id = null, created_at = null, updated_at = null } = row;
    const known = new Set(before.map(({ name }) => name));
    const values = shapes.map(({ name, renamedFrom, default: value }): [string, FieldValue] => {
      const from = renamedFrom !== undefined && known.has(renamedFrom) ? renamedFrom : name;
      return [name, known.has(from) ? (row[from] ?? null) : (value ?? null)];
    });
    return { id, user_id, created_at, updated_at, ...Object.fromEntries(values) };
  });

const live = async (draw: Draw, { name, url: place }: TestDatabases): Promise<void> => {
  const url = place();
  let shapes: readonly FieldShape[] = [drawField(draw, "first"), drawField(draw, "second")];
  let before = shapes;
  let rows: readonly Row[] = [];
  const steps = draw.from(3, 5);
  for (let step = 0; step < steps; step += 1) {
    if (step > 0) shapes = evolved(draw, shapes, step);
    // One of a world's steps is the one in which a process dies.
    if (step === 1) await migrateAndDie(draw, url, shapes, name === "SQLite" ? 120 : 600);
    const resource = resourceOf(shapes);
    const { migrate, storage, close } = openStorage({ url, resources: [resource], parts: ["users"], connections: 2 });
    await migrate.latest();
    expect((await migrate.plan()).changes, "nothing is left to do").toEqual([]);
    if (step === 0) await storeUsers(storage);
    rows = carried(rows, shapes, before);
    for (let n = draw.from(1, 4); n > 0; n -= 1) {
      const values = shapes.map((shape): [string, FieldValue] => [shape.name, drawValue(draw, shape)]);
      const times = { created_at: moment, updated_at: moment };
      const row: Row = {
        id: idNumber(rows.length + 1),
        user_id: userId("ada"),
        ...times,
        ...Object.fromEntries(values),
      };
      await storage.resources.insert(resource, row);
      rows = [...rows, row];
    }
    const found = await storage.resources.list(resource, {
      scope: all,
      order: [{ field: "id", direction: "asc" }],
      limit: 100,
    });
    expect(found, JSON.stringify(shapes)).toEqual(rows.map((row) => ({ ...row, revision: 1 })));
    await close();
    before = shapes;
  }
};

onEachDatabase("a table that follows random declarations", (databases) => {
  test("keeps every value, also when a migration is killed", { timeout: lawTimeoutMs }, () =>
    holds(`evolutions on ${databases.name}`, (draw) => live(draw, databases)),
  );
});
