/** A change that loses nothing. */
export interface TableChange {
  readonly name: string;
  readonly statements: readonly string[];
  /** The indexes that it makes, each with its reason. */
  readonly indexes?: readonly { readonly columns: string; readonly why: string }[];
  /**
   * On SQLite: the statements copy the table into a new one. Run them in one transaction without
   * foreign keys.
   */
  readonly makesTableAnew?: true;
  /**
   * The statements that undo the first ones if a row that was inserted meanwhile prevents the last
   * one. Only on MySQL, which commits each statement by itself.
   */
  readonly undo?: readonly string[];
}

/**
 * A change that is not made because existing rows do not allow it, or because it would lose data.
 */
export interface RefusedChange {
  /** Why the change is refused, and what you can do. */
  readonly problem: string;
  /**
   * Statements that show the rows or that make the change by hand; none if the explanation is
   * enough. On SQLite they were tried on a copy of the database. On MySQL and MariaDB each can be
   * run again.
   */
  readonly byHand: readonly string[];
}

export interface TableChanges {
  readonly changes: readonly TableChange[];
  readonly refused: readonly RefusedChange[];
}

const told = (refused: readonly RefusedChange[]): string => {
  const problems = refused.map(
    ({ problem, byHand }) =>
      `  ${problem}\n${byHand.map((statement) => `    ${statement.replaceAll("\n", "\n    ")};\n`).join("")}`,
  );
  return `the tables cannot be brought to what their resources declare. Nothing was changed.\n${problems.join("")}`;
};

/**
 * A resource needs a change of its table that existing rows do not allow, or a development version made
 * the database. Nothing was changed.
 */
export class MigrationRefused extends Error {
  override readonly name = "MigrationRefused";
  readonly refused: readonly RefusedChange[];

  constructor(refused: readonly RefusedChange[], message = told(refused)) {
    super(message);
    this.refused = refused;
  }
}
