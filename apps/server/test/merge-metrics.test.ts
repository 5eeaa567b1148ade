import { expect, test } from "vitest";
import { mergeMetrics } from "../src/merge-metrics.ts";
import { wholeLines } from "../src/whole-lines.ts";

test("the samples of several processes are grouped under one help and type, and each names its process", () => {
  const one =
    '# HELP jobs Jobs.\n# TYPE jobs gauge\njobs 3\n\n# HELP requests All.\n# TYPE requests counter\nrequests{route="/a{b} c"} 1\nrequests{route="/d"} 2\n';
  const two =
    "# HELP requests All.\n# TYPE requests counter\nrequests 7\n\n# HELP only_two Two.\n# TYPE only_two gauge\nonly_two 1\n";
  const merged = mergeMetrics([
    { process: "1", text: one },
    { process: "2", text: two },
    { process: "3", text: "" },
  ]);
  expect(merged).toBe(
    [
      "# HELP jobs Jobs.",
      "# TYPE jobs gauge",
      'jobs{process="1"} 3',
      "# HELP requests All.",
      "# TYPE requests counter",
      'requests{process="1",route="/a{b} c"} 1',
      'requests{process="1",route="/d"} 2',
      'requests{process="2"} 7',
      "# HELP only_two Two.",
      "# TYPE only_two gauge",
      'only_two{process="2"} 1',
      "",
    ].join("\n"),
  );
});

test("only whole lines are passed on, and at the end also a line without its end", async () => {
  const lines = wholeLines();
  const passed: string[] = [];
  lines.on("data", (chunk: Buffer) => passed.push(String(chunk)));
  for (const piece of ["a", "b\nc", "\nd\ne", "f"]) {
    await new Promise<void>((resolve) => void lines.write(piece, () => resolve()));
  }
  expect(passed).toEqual(["ab\n", "c\nd\n"]);
  await new Promise<void>((resolve) => void lines.end(() => resolve()));
  expect(passed.join("")).toBe("ab\nc\nd\nef");
});

test("a line without an end is passed on after 1 MiB", async () => {
  const lines = wholeLines();
  let bytes = 0;
  lines.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  for (let piece = 0; piece < 5; piece += 1) {
    await new Promise<void>((resolve) => void lines.write(Buffer.alloc(256 * 1024, "x"), () => resolve()));
  }
  expect(bytes).toBe(5 * 256 * 1024);
});
