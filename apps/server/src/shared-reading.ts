/** A reading is given to everybody who asks within this time of its beginning. */
const readingMs = 1_000;

/**
 * Reads at most once at a time and once in a second, however many ask: a reading asks the database
 * for several counts, and takes a connection of its pool for each. A reading that failed is given to
 * nobody who asks after it. `now` is monotonic, in milliseconds.
 */
export const sharedReading = (read: () => Promise<string>, now: () => number): (() => Promise<string>) => {
  let newest: { readonly text: Promise<string>; readonly atMs: number; isUnderWay: boolean } | undefined;
  return () => {
    if (newest !== undefined && (newest.isUnderWay || now() - newest.atMs < readingMs)) return newest.text;
    const reading = { text: read(), atMs: now(), isUnderWay: true };
    newest = reading;
    reading.text.then(
      () => {
        reading.isUnderWay = false;
      },
      () => {
        if (newest === reading) newest = undefined;
      },
    );
    return reading.text;
  };
};
