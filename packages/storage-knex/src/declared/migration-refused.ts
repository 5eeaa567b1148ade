import type { RefusedChange } from "./table-changes.ts";

/** A declared resource asks for a change of its table that could lose or refuse data. Nothing was changed. */
export class MigrationRefused extends Error {
  override readonly name = "MigrationRefused";
  readonly refused: readonly RefusedChange[];

  constructor(refused: readonly RefusedChange[]) {
    const problems = refused.map(
      ({ problem, byHand }) =>
        `  ${problem}\n${byHand.map((statement) => `    ${statement.replaceAll("\n", "\n    ")};\n`).join("")}`,
    );
    super(
      `only additions are made to the tables of declared resources. Nothing was changed. Change the declaration back, or the table by hand, beginning with:\n${problems.join("")}`,
    );
    this.refused = refused;
  }
}
