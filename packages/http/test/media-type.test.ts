import { expect, test } from "vitest";
import { checkType } from "../src/head/media-type.ts";

const typed = (...types: readonly string[]) => ({
  headers: { "content-type": types[0] },
  rawHeaders: types.flatMap((type, at) => [at === 0 ? "Content-Type" : "content-type", type]),
});

test("a body that says its type twice is refused, even if Node shows only the first", () => {
  expect(() => checkType(typed("application/json"), ["application/json"])).not.toThrow();
  expect(() => checkType(typed("application/json", "text/plain"), ["application/json"])).toThrow(
    expect.objectContaining({ code: "malformed_header" }),
  );
});
