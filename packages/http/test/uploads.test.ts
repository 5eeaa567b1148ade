import { afterEach, expect, test, vi } from "vitest";
import { createUploads } from "../src/body/uploads.ts";

afterEach(() => void vi.useRealTimers());

/** An upload of 3 MB that comes with some bytes in each second, for ten seconds. */
const stopped = ({ bytesPerSecond = 0, isAwaited = false, waits = false }): string | undefined => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const uploads = createUploads(() => isAwaited);
  let fault: string | undefined;
  const upload = uploads.begin({
    network: "a",
    take: () => undefined,
    stop: ({ message }) => {
      fault = message;
    },
  });
  Object.assign(upload, { reserved: 3_000_000, waits });
  for (let second = 0; second < 10; second += 1) {
    upload.bytes += bytesPerSecond;
    vi.advanceTimersByTime(1_000);
  }
  uploads.end(upload);
  return fault;
};

test("while bodies wait for room, an upload must be fast enough to end within 30 s", () => {
  expect(stopped({ bytesPerSecond: 90_000 })).toBeUndefined();
  expect(stopped({ bytesPerSecond: 90_000, isAwaited: true })).toContain("100000 bytes a second");
  expect(stopped({ bytesPerSecond: 110_000, isAwaited: true })).toBeUndefined();
});

test("an upload that itself waits for room is not too slow", () => {
  expect(stopped({ isAwaited: true })).toContain("bytes a second");
  expect(stopped({ isAwaited: true, waits: true })).toBeUndefined();
});
