import { type Fault, mostFaults } from "./fault.ts";

const placeOf = (fault: Fault): string => {
  if ("pointer" in fault) return fault.pointer === "" ? "the body" : fault.pointer.slice(1).replaceAll("/", ".");
  return "parameter" in fault ? fault.parameter : fault.header;
};

const named = 5;

/**
 * One sentence that names the faults. An error keeps only its first 50 faults, and the sentence
 * does not depend on the others.
 */
export const describeFaults = (faults: readonly Fault[]): string => {
  const places = faults.slice(0, named).map((fault) => `${placeOf(fault)}: ${fault.detail}`);
  const others = faults.length < mostFaults ? `${faults.length - named} more` : "many more";
  return `${places.join("; ")}${faults.length > named ? `; and ${others}` : ""}.`;
};
