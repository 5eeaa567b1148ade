/** The metrics of one process, in the Prometheus text format. */
export interface ProcessMetrics {
  /** Which process: its value of the label `process`. */
  readonly process: string;
  readonly text: string;
}

/** `name{a="b"} 1` becomes `name{process="2",a="b"} 1`. */
const labelled = (sample: string, process: string): string =>
  sample.replace(
    /^\w+(\{?)/,
    (start, brace) => `${start}${brace === "" ? "{" : ""}process="${process}"${brace === "" ? "}" : ","}`,
  );

/** The lines of one metric. */
interface Family {
  /** Its help and its type. */
  readonly head: string[];
  readonly samples: string[];
}

/**
 * One text of the metrics of several processes. Each sample gets the label `process`. Samples of a
 * metric stand together, as the format asks for.
 * Source: Prometheus text format 0.0.4.
 */
export const mergeMetrics = (parts: readonly ProcessMetrics[]): string => {
  const families = new Map<string, Family>();
  for (const { process, text } of parts) {
    let family: Family = { head: [], samples: [] };
    for (const line of text.split("\n")) {
      const name = /^# (?:HELP|TYPE) (\w+)/.exec(line)?.[1];
      if (name !== undefined) {
        family = families.get(name) ?? { head: [], samples: [] };
        families.set(name, family);
        if (!family.head.includes(line)) family.head.push(line);
      } else if (line !== "") {
        family.samples.push(labelled(line, process));
      }
    }
  }
  return Array.from(families.values(), ({ head, samples }) => [...head, ...samples, ""].join("\n")).join("");
};
