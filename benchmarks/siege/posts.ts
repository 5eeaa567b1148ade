import type { Account } from "./attack.ts";
import type { Query } from "./database.ts";

/** Adds posts by copying the account's first one, so that their columns are those of the table. */
export const addPosts = async (
  query: Query,
  account: Account | undefined,
  {
    count,
    bodyBytes,
    varied = false,
  }: {
    readonly count: number;
    readonly bodyBytes: number;
    /** Bodies of random digits, which hardly shrink. Default: zeros. */
    readonly varied?: boolean;
  },
): Promise<void> => {
  const [first] = await query(`SELECT * FROM posts WHERE user_id = '${account?.id}' LIMIT 1`);
  if (first === undefined) throw new Error("the account has no post to copy");
  const isSqlite =
    (await query("SELECT 1")
      .then(() => query("SELECT sqlite_version()"))
      .catch(() => undefined)) !== undefined;
  // This allows several accounts to have posts.
  const prefix = account?.id.slice(-8);
  const n = isSqlite ? "n.i" : "n.seq";
  const copied: Readonly<Record<string, string>> = isSqlite
    ? {
        id: `printf('${prefix}-0000-7000-8000-%012x', ${n})`,
        title: `'Post ' || (${n} * 7919 % 1000003)`,
        body: `substr(hex(${varied ? "randomblob" : "zeroblob"}(${bodyBytes})), 1, ${bodyBytes})`,
        updated_at: `'2026-01-01T00:00:' || printf('%02d', ${n} % 60) || '.000Z'`,
      }
    : {
        id: `CONCAT('${prefix}-0000-7000-8000-', LPAD(LOWER(HEX(${n})), 12, '0'))`,
        title: `CONCAT('Post ', ${n} * 7919 % 1000003)`,
        body: varied ? `REPEAT(SHA2(RAND(), 512), ${Math.ceil(bodyBytes / 128)})` : `REPEAT('0', ${bodyBytes})`,
        updated_at: `CONCAT('2026-01-01T00:00:', LPAD(${n} % 60, 2, '0'), '.000Z')`,
      };
  const columns = Object.keys(first);
  const numbers = isSqlite
    ? `(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n) n`
    : `seq_1_to_${count} n`;
  await query(
    `INSERT INTO posts (${columns.map((name) => `\`${name}\``).join(", ")})
     SELECT ${columns.map((name) => copied[name] ?? `p.\`${name}\``).join(", ")}
     FROM posts p, ${numbers} WHERE p.id = '${String(first.id)}'`,
  );
};
