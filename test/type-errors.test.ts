import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const compiler = join(root, "node_modules", "typescript-7", "bin", "tsc");

const declared = `
import { choice, defineResource, integer, nullable, ownedBy, prose, reference, type RowsOf, text, timestamp } from "@postern/core";

const own = ownedBy("user_id");
const parts = {
  name: "invoice",
  plural: "invoices",
  description: "An invoice.",
  owner: "user_id",
  access: { read: own, update: own, delete: own },
} as const;
const fields = {
  user_id: reference("user", { onDelete: "cascade", description: "Whose." }),
  number: text(20, { description: "Its number." }),
  notes: nullable(prose(500, { description: "Notes." })),
  state: choice(["draft", "sent", "paid"], { description: "How far it is.", default: "draft" }),
  paid_at: nullable(timestamp({ description: "When it was paid." })),
};
const lifecycle = { field: "state", initial: ["draft"], moves: { draft: ["sent"], sent: ["paid"] }, stamps: {} } as const;
const invoice = defineResource({ ...parts, fields, lifecycle });
declare const rows: RowsOf<readonly [typeof invoice]>;
`;

const withLifecycle = (changed: string): string =>
  `defineResource({ ...parts, fields, lifecycle: { ...lifecycle, ${changed} } });`;

/** A line with one mistake, and what the first line of the compiler's error says. */
const mistakes: readonly (readonly [line: string, said: RegExp])[] = [
  [`choice(["a", "b"], { description: "One.", default: "c" });`, /^Type '"c"' is not assignable to type '"a" \| "b"'/],
  [`integer({ description: "One.", default: "1" });`, /^Type 'string' is not assignable to type 'number'/],
  [`text(20, { description: "One.", default: 1 });`, /^Type 'number' is not assignable to type 'string'/],
  [withLifecycle(`field: "stat"`), /^Type '"stat"' is not assignable to type '"notes" \| .*"state" \| "user_id"'/],
  [withLifecycle(`initial: ["drft"]`), /^Type '"drft"' is not assignable to type '"draft" \| "paid" \| "sent"'/],
  [
    withLifecycle(`moves: { sent: ["payd"] }`),
    /^Type '"payd"' is not assignable to type '"draft" \| "paid" \| "sent"'/,
  ],
  [withLifecycle(`moves: { snt: ["paid"] }`), /^Object literal .* 'snt' does not exist in type/],
  [withLifecycle(`stamps: { payd: "paid_at" }`), /^Object literal .* 'payd' does not exist in type/],
  [withLifecycle(`stamps: { paid: "payd_at" }`), /^Type '"payd_at"' is not assignable to type/],
  [`defineResource({ ...parts, fields, owner: "usr_id" });`, /^Type '"usr_id"' is not assignable to type '"notes" \|/],
  [`defineResource({ ...parts, fields, public: ["numbr"] });`, /^Type '"numbr"' is not assignable to type/],
  [`defineResource({ ...parts, fields, lists: [["numbr", "id"]] });`, /^Type '"numbr"' is not assignable to type/],
  [
    `defineResource({ ...parts, fields, access: { ...parts.access, read: ownedBy("usr_id") } });`,
    /^Type 'AccessRule<"usr_id">' is not assignable/,
  ],
  [`defineResource({ ...parts, fields, acces: {} });`, /'acces' does not exist/],
  [`void rows.invoices.move("1", "payd");`, /^Argument of type '"payd"' .* '"draft" \| "paid" \| "sent"'/],
  [`void rows.invoices.create({ user_id: "1" });`, /^Argument .* of type 'NewRow<"number" \| "user_id", /],
  [`void rows.invoices.create({ user_id: "1", numbr: "1" });`, /'numbr' does not exist in type 'NewRow</],
  [`void rows.invoices.update("1", { numbr: "1" });`, /'numbr' does not exist in type/],
  [`void rows.invoices.list({ numbr: "1" });`, /'numbr' does not exist in type/],
];

test("the compiler refuses words and states that are not declared, and its first line names them", () => {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache", "type-errors-"));
  try {
    const head = `${declared}void rows.invoices.move("1", "paid");\nvoid integer;\n`;
    writeFileSync(join(folder, "mistakes.ts"), head + mistakes.map(([line]) => line).join("\n"));
    const compilerOptions = { noEmit: true, paths: { "@postern/core": [join(root, "packages/core/src/index.ts")] } };
    const project = { extends: "../../tsconfig.base.json", compilerOptions, include: ["*.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
    const first = head.split("\n").length;
    const said = [...stdout.matchAll(/mistakes\.ts\((\d+),\d+\): error TS\d+: (.*)/g)].map(
      ([, line, text]) => [Number(line) - first, text] as const,
    );
    expect(said.map(([at]) => mistakes[at]?.[0] ?? stdout)).toEqual(mistakes.map(([line]) => line));
    for (const [at, text] of said) expect(text).toMatch(mistakes[at]?.[1] ?? "");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
