import type { SqliteDriverName } from "../engine/driver-names.ts";
import { storeReplaced } from "../engine/replaced-store.ts";
import { vendorErrorOf } from "../engine/translate-error.ts";
import { loadDriver } from "./driver/load-driver.ts";
import type { OpenedFile } from "./opened-file.ts";

/** A look opens a connection, so it costs some milliseconds. */
const lookEveryMs = 15_000;

/** What SQLite says of a file whose pages are no longer those that it expects. */
const otherContent: ReadonlySet<string> = new Set(["SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR"]);

export interface FileContent {
  /**
   * Looks at most once in a quarter of a minute. From the first difference on, `opened` refuses everything.
   * @throws AppError `unavailable`, see `storeReplaced`.
   */
  requireSame(): Promise<void>;
  /** Call it when this process itself has undone the step that draws the number. */
  forget(): void;
}

/**
 * Compares the number in the database file with the one that was there first: `cp other.db postern.db`
 * writes another database into the same file, and the connections that are open go on with the old pages.
 * A new connection reads the file itself. It is opened by SQLite, because to close any other handle would
 * end the locks of this process.
 */
export const fileContent = (
  file: string,
  driver: SqliteDriverName | undefined,
  opened: Pick<OpenedFile, "refuse" | "requireSame">,
  now: () => number = () => performance.now(),
): FileContent => {
  let first: number | undefined;
  let lookAt = Number.NEGATIVE_INFINITY;

  /** `undefined` when the file cannot be read now, which others find out. */
  const numberInFile = async (): Promise<number | "none" | undefined> => {
    try {
      const connection = await (await loadDriver(driver)).open(file, { create: false });
      try {
        const [row] = await connection.all<{ number: number }>("SELECT number FROM database_identity");
        return row?.number ?? "none";
      } finally {
        await connection.close();
      }
    } catch (thrown) {
      return otherContent.has(vendorErrorOf(thrown).code) ? "none" : undefined;
    }
  };

  return {
    requireSame: async () => {
      opened.requireSame();
      if (now() < lookAt) return;
      lookAt = now() + lookEveryMs;
      const found = await numberInFile();
      if (found === undefined || (found === "none" && first === undefined)) return;
      first ??= found === "none" ? undefined : found;
      if (found === first) return;
      opened.refuse(
        storeReplaced(
          `another database was written into the file ${file} while it was open, so nothing is accepted. Stop every process of Postern, remove ${file}-wal and ${file}-shm, put the right file in its place or restore a backup, then start again`,
        ),
      );
      opened.requireSame();
    },
    forget: () => {
      first = undefined;
    },
  };
};
