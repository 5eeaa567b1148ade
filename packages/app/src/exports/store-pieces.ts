import { type AbortSignalLike, allRows, equals, type Ports, type ResourceRepository, type Row } from "@postern/core";
import { piecesOf } from "@postern/core/internal";
import { scopeOf } from "@postern/core/ports";
import { userExport, userExportPiece } from "../resources/user-export.ts";

const system = allRows("exports of users' data");
/**
 * The longest piece in characters. When it is sealed, each character takes at most 4 bytes, and the
 * seal some more.
 */
const pieceLength = 48 * 1024;
/** How many pieces one transaction stores: about half a megabyte. */
const storedAtOnce = 8;

type ExportPorts = Pick<Ports, "storage" | "secretBox" | "ids">;

/** What the seal of a piece is bound to. */
export const contextOf = (exportId: string, place: number): string => `user-export ${exportId} ${place}`;

/** Locks the row of an export. False if it is no longer pending, or was deleted. */
export const holdPending = async (resources: ResourceRepository, id: string): Promise<boolean> => {
  const scope = scopeOf(equals("state", "pending"));
  return (await resources.hold(userExport, { scope, where: equals("id", id) }, 1)).length > 0;
};

const ofExport = (id: string) => equals("export_id", id);

/**
 * Seals and stores the pieces of an archive, a few in each transaction. On SQLite all writes wait
 * for a transaction, and one with a whole archive takes a tenth of a second and more. Nobody reads
 * the pieces before the export is ready. Pieces that an earlier run left behind are deleted.
 *
 * Returns how many there are; `undefined` if the export is no longer pending.
 * @throws the reason of `signal` once it is aborted.
 */
export const storePieces = async (
  { storage, secretBox, ids }: ExportPorts,
  { id, user_id }: Row,
  { text, at, signal }: { readonly text: string; readonly at: string; readonly signal: AbortSignalLike },
): Promise<number | undefined> => {
  const exportId = String(id);
  const pieces = [...piecesOf(text, pieceLength)];
  for (let from = 0; from < pieces.length; from += storedAtOnce) {
    if (signal.aborted) throw signal.reason;
    const rows: Row[] = [];
    for (const [index, piece] of pieces.slice(from, from + storedAtOnce).entries()) {
      const place = from + index + 1;
      const sealed = await secretBox.seal(piece, contextOf(exportId, place));
      const row = { id: ids.uuid(), user_id: user_id ?? null, export_id: exportId, place, sealed };
      rows.push({ ...row, created_at: at, updated_at: at });
    }
    const isPending = await storage.transaction(async ({ resources }) => {
      if (!(await holdPending(resources, exportId))) return false;
      if (from === 0) await resources.deleteWhere(userExportPiece, system, ofExport(exportId));
      for (const row of rows) await resources.insert(userExportPiece, row);
      return true;
    });
    if (!isPending) return undefined;
  }
  return pieces.length;
};

/**
 * Whether an export has exactly so many pieces. It has another number if an earlier run of the job,
 * which had lost its slot, stored or deleted some in the meantime.
 */
export const hasPieces = async (resources: ResourceRepository, id: string, count: number): Promise<boolean> =>
  (await resources.count(userExportPiece, { scope: system, where: ofExport(id) }, count + 1)) === count;
