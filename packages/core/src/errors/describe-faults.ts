import type { Fault } from "./app-error.ts";

const placeOf = (fault: Fault): string => {
  if ("pointer" in fault) return fault.pointer === "" ? "the body" : fault.pointer.slice(1).replaceAll("/", ".");
  return "parameter" in fault ? fault.parameter : fault.header;
};

/** One sentence that names what is wrong. */
export const describeFaults = (faults: readonly Fault[]): string =>
  `${faults
    .slice(0, 5)
    .map((fault) => `${placeOf(fault)}: ${fault.detail}`)
    .join("; ")}${faults.length > 5 ? `; and ${faults.length - 5} more` : ""}.`;
