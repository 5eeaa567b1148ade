import type { LogStream } from "../src/log-line.ts";

/** A stream that keeps what is written to it. */
export const collectedLog = (): LogStream & { text(): string } => {
  const written: string[] = [];
  return { write: (text) => written.push(text), text: () => written.join("") };
};
