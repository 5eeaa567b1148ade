import { characterCount, nfc } from "@postern/core/internal";
import type { Knex } from "knex";
import type { ColumnTypes } from "../migrations/migration.ts";

/** A column whose texts are compared in Unicode's form NFC. */
export interface LookedFor {
  readonly table: string;
  readonly column: string;
  readonly unique: boolean;
  readonly maxLength: number | undefined;
  /** The former name of the column, if it has one. */
  readonly renamedFrom: string | undefined;
  /** Whether its texts may have many lines. */
  readonly isLong: boolean;
}

/** A row whose text is not in NFC. */
interface DifferingRow {
  readonly id: string;
  readonly from: string;
  /** The same text in NFC. */
  readonly to: string;
}

/** The texts of a column that are not in NFC, and what keeps them from it. */
export interface OtherForms {
  readonly rows: number;
  /** Pairs of rows that would have the same unique text. */
  readonly equal: readonly (readonly [string, string])[];
  /** Rows whose text would be too long. */
  readonly longer: readonly string[];
}

/** How many rows are read at once; few of those that may be very long. */
const batchOf = ({ isLong }: LookedFor): number => (isLong ? 20 : 500);

/** The rows whose text is not in NFC, by rising id, in batches. Only texts beyond ASCII are read. */
export async function* differingRows(
  knex: Knex,
  { server }: ColumnTypes,
  wanted: LookedFor,
): AsyncGenerator<readonly DifferingRow[], undefined, undefined> {
  const { table, column } = wanted;
  const beyondAscii =
    server === "sqlite" ? "length(??) <> length(cast(?? as blob))" : "char_length(??) <> octet_length(??)";
  for (let after = ""; ; ) {
    const rows: readonly { readonly id: string; readonly text: unknown }[] = await knex(table)
      .select("id", { text: column })
      .where("id", ">", after)
      .whereRaw(beyondAscii, [column, column])
      .orderBy("id")
      .limit(batchOf(wanted));
    const differing = rows.flatMap(({ id, text }) => {
      if (typeof text !== "string") return [];
      const to = nfc(text);
      return to === text ? [] : [{ id, from: text, to }];
    });
    if (differing.length > 0) yield differing;
    const last = rows.at(-1);
    if (last === undefined) return undefined;
    after = last.id;
  }
}

export const otherForms = async (knex: Knex, types: ColumnTypes, wanted: LookedFor): Promise<OtherForms> => {
  const { table, column, unique, maxLength = Number.POSITIVE_INFINITY } = wanted;
  const equal: [string, string][] = [];
  const longer: string[] = [];
  /** The first row that gets each text. No statement could find two rows that get the same one. */
  const owners = new Map<string, string>();
  let rows = 0;
  for await (const batch of differingRows(knex, types, wanted)) {
    rows += batch.length;
    longer.push(...batch.flatMap(({ id, to }) => (characterCount(to) > maxLength ? [id] : [])));
    if (!unique) continue;
    const present: readonly { readonly id: string; readonly text: string }[] = await knex(table)
      .select("id", { text: column })
      .whereIn(
        column,
        batch.map(({ to }) => to),
      );
    for (const { id, text } of present) owners.set(text, id);
    for (const { id, to } of batch) {
      const owner = owners.get(to);
      if (owner === undefined) owners.set(to, id);
      else equal.push([owner, id]);
    }
  }
  return { rows, equal, longer };
};
