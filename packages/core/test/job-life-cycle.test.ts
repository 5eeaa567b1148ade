import { readFileSync } from "node:fs";
import { eventActions, eventStateRules } from "@postern/core/internal";
import { eventStates, jobStates } from "@postern/core/ports";
import { movesOfWalks } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { jobMoves } from "../src/job-rules/job-life-cycle.ts";

const page = readFileSync(new URL("../../../docs/states.md", import.meta.url), "utf8");

/** The cells of the rows of the table under a heading. */
const rowsUnder = (heading: string): readonly (readonly string[])[] => {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1)
    .map((line) =>
      line
        .slice(2, -2)
        .split(" | ")
        .map((cell) => cell.trim()),
    );
};

const quoted = (states: readonly string[]): string =>
  states.map((state) => (state in jobStates ? `\`${state}\`` : state)).join(", ");

describe("docs/states.md", () => {
  test("lists the moves of the life cycle, and no others", () => {
    expect(rowsUnder("Job")).toEqual(jobMoves.map(({ from, to, when }) => [quoted(from), quoted(to), when]));
  });

  test("lists the rules of an event's state in their order", () => {
    const decided = rowsUnder("Event").map(([state]) => state?.replaceAll("`", ""));
    const rules = eventStateRules.map(({ state }) => state);
    expect(decided.filter((state) => rules.some((rule) => rule === state))).toEqual(rules);
    expect(decided.toSorted()).toEqual(eventStates.toSorted());
  });

  test("lists what an operator can do in the states in which it can be done", () => {
    const leads = rowsUnder("Event").map(([state = "", , to = ""]) => ({ state: state.replaceAll("`", ""), to }));
    const statesWith = (pattern: RegExp) => leads.flatMap(({ state, to }) => (pattern.test(to) ? [state] : []));
    expect(statesWith(/replay/).toSorted()).toEqual(eventActions.replay.toSorted());
    expect(statesWith(/`discarded`/).toSorted()).toEqual(eventActions.discard.toSorted());
  });
});

test("the walks through the queue make every move of the life cycle", () => {
  const moves = jobMoves.flatMap(({ from, to }) => from.flatMap((one) => to.map((other) => `${one}→${other}`)));
  expect(movesOfWalks.toSorted()).toEqual([...new Set(moves)].toSorted());
});
