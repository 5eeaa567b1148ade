/** A bound: its default, and the least and the greatest value that it can be set to. */
export interface BoundRange {
  readonly standard: number;
  readonly least: number;
  readonly most: number;
}

const range = (standard: number, least: number, most: number): BoundRange => ({ standard, least, most });

const minute = 60;
const hour = 60 * minute;
const week = 7 * 24 * hour;

/**
 * Bounds of accounts, of OAuth 2 and of the outside issuer. All are whole numbers. `Settings` and
 * `limits` of the configuration file have members with the same names (docs/limits.md).
 */
export const accountBounds = {
  /** How long a mailed link works. */
  mailedLinkSeconds: range(30 * minute, minute, week),
  /** Links of one kind that are valid at once for one address: no further one is mailed. */
  mailedLinks: range(5, 1, 100),
  /** Notices of one kind of change that are mailed to one address in half an hour. */
  mailedNotices: range(20, 1, 1_000),
  /** How long a sign-in waits for the second factor. */
  secondFactorSeconds: range(5 * minute, 30, hour),
  /**
   * Wrong codes that end such a sign-in. With ten tries, the chance to guess a code is 1 in 30,000.
   */
  secondFactorTries: range(5, 1, 10),
  /** Sign-ins of one account that wait for the second factor at once. */
  secondFactorsWaiting: range(5, 1, 20),
  /** How long an archive of a user's data can be fetched, and how long one that failed is shown. */
  exportSeconds: range(24 * hour, hour, week),
  /** The newest entries of the audit log that such an archive holds. */
  exportAuditEntries: range(2_000, 1, 10_000),
  /** How long an authorization code can be exchanged. RFC 6749 wants ten minutes at most. */
  authorizationCodeSeconds: range(60, 10, 10 * minute),
  /** Characters of the `state` of a request to authorize. It comes back in a URL. */
  stateCharacters: range(1_000, 64, 4_000),
  /** How long an assertion of a client may live. */
  assertionSeconds: range(5 * minute, 30, hour),
  /** The assertions of one client that are remembered, so that none is used twice. */
  assertionsPerClient: range(1_000, 10, 100_000),
  /** Shortest time between two look-ups of the outside issuer's keys. */
  issuerLookUpMs: range(60_000, 1_000, 3_600_000),
  /** The same, as long as no keys are known at all. */
  issuerFirstLookUpMs: range(5_000, 1_000, 60_000),
  /** Requests that wait for such a look-up. */
  issuerWaiting: range(50, 1, 1_000),
  /** How long the issuer may take to answer. */
  issuerAnswerMs: range(5_000, 100, 30_000),
  /**
   * The longest answer with the issuer's keys, in bytes. Its discovery document may have a quarter
   * of that.
   */
  issuerAnswerBytes: range(256 * 1024, 4 * 1024, 4 * 1024 * 1024),
  /** Keys of the issuer that are kept. */
  issuerKeys: range(100, 1, 1_000),
  /**
   * Failures of one kind that are logged in a minute, of requests and of jobs, and repeats of a
   * sender's events with other bodies. One line stands for all others.
   */
  failureLines: range(10, 1, 10_000),
} as const satisfies Readonly<Record<string, BoundRange>>;

export type AccountBounds = Readonly<Record<keyof typeof accountBounds, number>>;

const names = Object.keys(accountBounds) as readonly (keyof typeof accountBounds)[] /* that is what it has */;

export const defaultAccountBounds: AccountBounds = Object.fromEntries(
  names.map((name) => [name, accountBounds[name].standard]),
) as AccountBounds; /* each name has its default */

/** @throws TypeError that names the first bound with a value that it cannot have. */
export const checkAccountBounds = (given: AccountBounds): void => {
  for (const name of names) {
    const { least, most } = accountBounds[name];
    const value = given[name];
    if (Number.isSafeInteger(value) && value >= least && value <= most) continue;
    throw new TypeError(`settings: ${name} is a whole number from ${least} to ${most}, not ${String(value)}`);
  }
};
