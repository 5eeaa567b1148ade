import type { Correction } from "@postern/rest";
import { additions } from "../generated/additions.ts";
import type { Addition } from "./addition.ts";

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
