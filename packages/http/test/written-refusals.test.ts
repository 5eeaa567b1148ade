import { expect, test } from "vitest";
import { createWrittenRefusals } from "../src/written-refusals.ts";

test("each kind of refusal is made once, and each refusal has the id and the path of its request", () => {
  let made = 0;
  const refusal = createWrittenRefusals((kind, { id, fullPath }) => {
    made += 1;
    const body = JSON.stringify({ kind, instance: fullPath, request_id: id });
    return { status: 503, headers: { "x-request-id": id, "content-length": "0", "retry-after": "1" }, body };
  });
  for (const request of [
    { id: "one-request", fullPath: "/api/v2/posts" },
    { id: "another-request", fullPath: '/api/"\\x$&' },
  ]) {
    const { status, headers, body } = refusal("late", request);
    expect(JSON.parse(body ?? "")).toEqual({ kind: "late", instance: request.fullPath, request_id: request.id });
    expect([status, headers["x-request-id"], headers["retry-after"]]).toEqual([503, request.id, "1"]);
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(body ?? "")));
  }
  expect(made).toBe(1);
  refusal("full", { id: "third-request", fullPath: "/" });
  expect(made).toBe(2);
});
