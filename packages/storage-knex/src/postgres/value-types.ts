import type { PoolConfig } from "pg";

/** The types of results whose text means something else in JavaScript. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  // Counters and milliseconds are below 2^53.
  20: Number,
  1700: Number,
  // The other databases answer 1 and 0.
  16: (text) => (text === "t" ? 1 : 0),
};

/** How the driver reads values. */
export type ValueTypes = NonNullable<PoolConfig["types"]>;

/** How values of Postern's tables are read. */
export const valueTypes = async (): Promise<ValueTypes> => {
  const { types } = (await import("pg")).default;
  return {
    getTypeParser: (oid: number, format: "text" | "binary" = "text") =>
      (format === "text" ? parsers[oid] : undefined) ?? types.getTypeParser(oid, format),
  } as ValueTypes;
};
