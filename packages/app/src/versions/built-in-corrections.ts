import type { Correction } from "@postern/rest";

/** The facts that the entries about one release have in common. */
const made = { date: "2026-11-27", versions: ["v1", "v2"], from: null, to: null } as const;

const added = { ...made, kind: "added", breaking: false, migration: "Nothing." } as const;

/**
 * What was corrected in live versions since their release, and what no document can show. An entry
 * stays for good. `builtInAdditions` has what their documents gained.
 */
export const builtInCorrections: readonly Correction[] = [
  {
    ...made,
    date: "2026-11-30",
    id: "minimal-answers-have-a-status-of-their-own",
    breaking: true,
    target: { type: "response", name: "Prefer: return=minimal", operations: [] },
    title: "`Prefer: return=minimal` gets 204 for a new row, too",
    description:
      "It was 201 without a body, where the documents declare one. `Location` and `ETag` are there as before.",
    migration: "Take 204 for success when you send `Prefer: return=minimal` with a POST or a PUT that creates.",
  },
  {
    ...added,
    id: "times-are-filtered-by-days",
    target: { type: "parameter", name: "filters of times; filter[…][null]", operations: [] },
    title: "Lists are filtered by days, and by what has no value",
    description:
      "A day such as `2026-01-31` where a time is asked means all of it, in UTC: `[gt]` is after its end, `[gte]` from its start on, `[lt]` before its start, `[lte]` through its end; without an operator and in `[in]` it is any time of the day.",
  },
  {
    ...made,
    id: "values-in-lists-have-commas",
    breaking: true,
    target: { type: "parameter", name: "filter[…][in], filter[…][nin]", operations: [] },
    title: "An encoded comma belongs to a value",
    description:
      "`%2C` separated values of texts like a comma, so no value could have one. Now only a comma itself separates them, as the documents say. Names, numbers, ids and times have no commas: between them both work.",
    migration: "Between texts in `[in]` and `[nin]`, write commas that are not encoded.",
  },
  {
    ...made,
    id: "filters-have-one-name",
    breaking: true,
    target: { type: "parameter", name: "filter[…]", operations: [] },
    title: "A filter has one name",
    description:
      "Lists of events, jobs and the audit log took some filters without `filter[…]`, too, and `filter[…][null]` was also `filter[…][is_null]`. These spellings are refused now: nothing was released with them.",
    migration:
      "Write `filter[provider]` in place of `provider`, `filter[received_at][gte]` in place of `received_since`, `filter[at][gte]` and `filter[at][lt]` in place of `since` and `until`, `filter[resource_id]` in place of `id`, and `[null]` in place of `[is_null]`.",
  },
  {
    ...made,
    id: "numbers-come-back",
    breaking: true,
    target: { type: "field", name: "numbers in bodies", operations: [] },
    title: "A number that would not come back is refused",
    description:
      "Numbers with more digits than a double has were rounded. They get 400 `invalid_json` now, with their place and the code `out_of_range`.",
    migration: "Send such a number as a text.",
  },
];
