import { AppError, allRows, equals, type Ports, type ResourceRepository, type Row } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import { base62, base62OfUuid, numberOfBytes, uuidOfBase62 } from "../base62.ts";
import { accountToken, type TokenPurpose } from "../resources/account-token.ts";

const system = allRows("account tokens");
const secretDigits = 22;
/** `act_<id>_<secret>`: 22 digits of base 62 for the id of the row, 22 for 128 random bits. */
const form = new RegExp(`^act_([0-9A-Za-z]{22})_[0-9A-Za-z]{${secretDigits}}$`);

type TokenPorts = Pick<Ports, "secretBox" | "randomness" | "ids" | "clock">;

/** The purpose of a new token, and what belongs to it. */
export interface NewToken {
  readonly purpose: TokenPurpose;
  /** Null before there is an account. */
  readonly userId: string | null;
  /** The address or the account that it belongs to. */
  readonly subject: string;
  /** The effect of using the token, encrypted. */
  readonly content?: string;
  readonly lifeMs: number;
  /** At most this many tokens of its purpose are good at once for its subject. */
  readonly most: number;
}

/** A token that was made, and its row. */
export interface IssuedToken {
  readonly text: string;
  readonly id: string;
  /** True if `most` are good with this one, so that the next one is not made. */
  readonly isLast: boolean;
}

/** What all tokens of a purpose and a subject have in common. */
export const subjectDigest = ({ secretBox }: Pick<Ports, "secretBox">, purpose: TokenPurpose, subject: string) =>
  secretBox.digest(`account-token ${purpose} ${subject}`);

const contextOf = (id: string): string => `account-token ${id}`;

/** Makes a token; `undefined` while `most` of its purpose are good for its subject. */
export const issueToken = async (
  ports: TokenPorts,
  resources: ResourceRepository,
  { purpose, userId, subject, content, lifeMs, most }: NewToken,
): Promise<IssuedToken | undefined> => {
  const { secretBox, randomness, ids, clock } = ports;
  const digest = await subjectDigest(ports, purpose, subject);
  const now = clock.now();
  const live = { field: "expires_at", op: "gt", value: timestampOf(now) } as const;
  const where = { all: [equals("subject_digest", digest), live] };
  const good = await resources.count(accountToken, { scope: system, where }, most);
  if (good >= most) return undefined;
  const id = ids.uuid();
  const text = `act_${base62OfUuid(id)}_${base62(numberOfBytes(randomness.bytes(16)), secretDigits)}`;
  await resources.insert(accountToken, {
    id,
    user_id: userId,
    purpose,
    subject_digest: digest,
    secret_digest: await secretBox.digest(text),
    sealed: content === undefined ? null : await secretBox.seal(content, contextOf(id)),
    failures: 0,
    expires_at: timestampOf(now + lifeMs),
    created_at: timestampOf(now),
    updated_at: timestampOf(now),
  });
  return { text, id, isLast: good + 1 >= most };
};

/** A token that is valid now. */
export interface LiveToken {
  readonly id: string;
  readonly userId: string | null;
  /** The content that was passed when the token was made. */
  readonly content: string | undefined;
  readonly failures: number;
  readonly subjectDigest: string;
}

const notGood = (): AppError =>
  new AppError("not_found", { detail: "This link is not valid or no longer valid; ask for another one." });

/**
 * Reads a token that somebody presents. Use it up with `spendToken`.
 * @throws AppError `not_found` for one that was never made, was used, has expired, or is for
 *   something else.
 */
export const readToken = async (
  { secretBox, storage, clock }: Pick<Ports, "secretBox" | "storage" | "clock">,
  purpose: TokenPurpose,
  text: string,
): Promise<LiveToken> => {
  const [, coded = ""] = form.exec(text) ?? [];
  const id = coded === "" ? undefined : uuidOfBase62(coded);
  const row = id === undefined ? undefined : await storage.resources.find(accountToken, id, system);
  const digest = await secretBox.digest(text);
  if (row === undefined || row.purpose !== purpose || row.secret_digest !== digest) throw notGood();
  if (String(row.expires_at) <= timestampOf(clock.now())) throw notGood();
  return {
    id: String(row.id),
    userId: row.user_id === null ? null : String(row.user_id),
    content: typeof row.sealed === "string" ? await secretBox.open(row.sealed, contextOf(String(row.id))) : undefined,
    failures: Number(row.failures),
    subjectDigest: String(row.subject_digest),
  };
};

/**
 * Uses up a token. Of two callers with the same token, only one succeeds. Call it inside the
 * transaction of the token's effect.
 * @throws AppError `not_found`.
 */
export const spendOneToken = async (resources: ResourceRepository, { id }: LiveToken): Promise<void> => {
  if ((await resources.delete(accountToken, id, system)) !== "done") throw notGood();
};

/**
 * Uses up a token, and all others of its purpose and address.
 * @throws AppError `not_found`.
 */
export const spendToken = async (resources: ResourceRepository, token: LiveToken): Promise<void> => {
  await spendOneToken(resources, token);
  await resources.deleteWhere(accountToken, system, equals("subject_digest", token.subjectDigest));
};

/** Takes back a token that could not be sent. */
export const withdrawToken = async (resources: ResourceRepository, { id }: Pick<IssuedToken, "id">): Promise<void> => {
  await resources.delete(accountToken, id, system);
};

/**
 * Makes sure that a token still belongs to the address that its account has.
 * @throws AppError `not_found`.
 */
export const requireSubject = async (
  { secretBox }: Pick<Ports, "secretBox">,
  purpose: TokenPurpose,
  { subjectDigest: stored }: LiveToken,
  account: Row | undefined,
): Promise<Row> => {
  if (account === undefined) throw notGood();
  if ((await subjectDigest({ secretBox }, purpose, String(account.email))) !== stored) throw notGood();
  return account;
};

/** Counts a wrong code that came with a token, and ends the token after `most`. */
export const countFailure = async (
  resources: ResourceRepository,
  { id, failures }: LiveToken,
  most: number,
): Promise<void> => {
  if (failures + 1 >= most) await resources.delete(accountToken, id, system);
  else await resources.update(accountToken, { id, scope: system }, { failures: failures + 1 });
};

/** Deletes the tokens that have expired, and returns how many there were. */
export const purgeTokens = (resources: ResourceRepository, now: number): Promise<number> =>
  resources.deleteWhere(accountToken, system, { field: "expires_at", op: "lte", value: timestampOf(now) });
