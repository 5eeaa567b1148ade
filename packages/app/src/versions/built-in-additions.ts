import type { Correction } from "@postern/rest";
import { additions } from "../generated/additions.ts";

/** What live versions gained on one day: an operation, a member of a resource, or parts of an operation. */
export interface Addition {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly versions: Correction["versions"];
  /** `GET /admin/events` or `user.verified_email`. */
  readonly name: string;
  /** The operation's id; absent for a member of a resource. */
  readonly operation?: string;
  /** What it does, or is. Absent for parts. */
  readonly text?: string;
  /** The parts that an operation gained: parameters, members, answers. */
  readonly parts?: readonly string[];
}

/** So many parts are in the title. The description has all. */
const mostInTitle = 2;

const titleOf = ({ name, parts = [] }: Addition): string => {
  if (parts.length === 0) return `\`${name}\` is new`;
  const others = parts.length - mostInTitle;
  return `\`${name}\` has ${parts.slice(0, mostInTitle).join(", ")}${others > 0 ? `, and ${others} more` : ""}`;
};

const correctionOf = (addition: Addition): Correction => {
  const { date, versions, name, operation, text, parts } = addition;
  const kind = parts === undefined ? "" : `-${date}`;
  return {
    kind: "added",
    id: `${operation ?? name}${kind}`,
    date,
    versions,
    breaking: false,
    target: {
      type: operation === undefined ? "field" : "endpoint",
      name,
      operations: operation === undefined ? [] : [operation],
    },
    from: null,
    to: null,
    title: titleOf(addition),
    description: parts === undefined ? (text ?? "") : `New are ${parts.join(", ")}.`,
    migration: "Nothing.",
  };
};

/** What the versions gained since their release, for an application with these resources. */
export const builtInAdditions = (resources: ReadonlyMap<string, unknown>): readonly Correction[] =>
  additions
    .filter(({ operation, name }) => operation !== undefined || resources.has(name.split(".", 1)[0] ?? ""))
    .map(correctionOf);
