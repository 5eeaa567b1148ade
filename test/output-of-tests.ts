/**
 * What the product logs while a test runs belongs to that test: Vitest prints it if the test fails.
 * Logs are written to the output of the process, which Vitest does not tell apart.
 */
const asLog: typeof process.stdout.write = (text: string | Uint8Array, ...more: unknown[]) => {
  console.log(String(typeof text === "string" ? text : Buffer.from(text)).trimEnd());
  const written = more.at(-1);
  if (typeof written === "function") written();
  return true;
};

process.stdout.write = asLog;
