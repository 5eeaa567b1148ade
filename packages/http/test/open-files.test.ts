import { expect, test, vi } from "vitest";
import { openFilesLimit, withinOpenFiles } from "../src/node/open-files.ts";
import { settingsOf } from "../src/options.ts";

test("connections take at most three quarters of the files that the process may open, and the log says so", () => {
  const log = vi.fn();
  const settings = { telemetry: { ...settingsOf({}).telemetry, log } };
  expect(withinOpenFiles(10_000, settings, 20_000)).toBe(10_000);
  expect(log).not.toHaveBeenCalled();
  expect(withinOpenFiles(10_000, settings, 1_024)).toBe(768);
  expect(log).toHaveBeenCalledExactlyOnceWith(
    "warn",
    "fewer connections are taken, because this process may open few files",
    expect.objectContaining({ max_connections: 768, open_files: 1_024, hint: expect.stringContaining("13334") }),
  );
});

test("the limit of open files is that of this process", () => {
  expect(openFilesLimit()).toBeGreaterThan(100);
});
