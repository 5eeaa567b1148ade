import { createHash } from "node:crypto";
import type { Connection } from "./connection.ts";
import { pagesOf } from "./pages.ts";
import type { CopiedTable } from "./tables.ts";

export interface TableSum {
  readonly rows: number;
  /** SHA-256 over all values in the order of the primary key, in hexadecimal digits. */
  readonly checksum: string;
}

/**
 * The checksum of a table. It is the same in every kind of database: columns go by name, numbers are
 * texts, and each value has its length in front. NULL has none, so it differs from an empty text.
 */
export const checksumOf = async (
  connection: Connection,
  table: CopiedTable,
  onRows: (rows: number) => void = () => undefined,
): Promise<TableSum> => {
  const digest = createHash("sha256").update(table.columns.map(({ name }) => name).join(" "));
  let rows = 0;
  for await (const page of pagesOf(connection, table)) {
    let text = "";
    for (const row of page) {
      for (const cell of row) {
        if (cell === null) text += "\n-";
        else if (typeof cell === "string") text += `\n${cell.length} ${cell}`;
        else {
          digest.update(`${text}\n${cell.length} `).update(cell);
          text = "";
        }
      }
    }
    digest.update(text);
    rows += page.length;
    onRows(page.length);
  }
  return { rows, checksum: digest.digest("hex") };
};
