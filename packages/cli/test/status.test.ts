import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { postern, serve } from "./command-line.ts";

test("postern status says in a sentence whether work flows, and exits with 8 if it does not", async () => {
  const variables = { WEBHOOK_ACME_SCHEME: "github", WEBHOOK_ACME_SECRET: "a secret of sixteen bytes" };
  const server = await serve(variables);
  const deliver = async (secret: string, id: string): Promise<number> => {
    const body = JSON.stringify({ action: "opened", id });
    const answer = await fetch(`${server.url}/api/webhooks/acme`, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "x-github-delivery": id,
        "x-github-event": "issues",
        "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
      },
    });
    return answer.status;
  };
  const status = async (...more: string[]) => postern(["status", ...more], { variables });
  try {
    expect(await status("--json")).toMatchObject({ code: 0, err: "" });
    for (const id of ["1", "2", "3"]) expect(await deliver("another secret of 16 bytes", id)).toBe(401);
  } finally {
    // The last counts are stored when the server stops.
    await server.stop();
  }
  const words = await status();
  expect(words.code).toBe(8);
  expect(words.out).toMatch(
    /^acme has been refused for less than a minute: the signature does not match\.\n\nFAIL {2}/,
  );
  expect(words.out).toContain("      mend: set WEBHOOK_ACME_SECRET");
  const { level, sentence, facts } = JSON.parse((await status("--json")).out);
  expect(words.err).toBe("1 problem found.\n");
  expect([level, words.out.startsWith(`${sentence}\n`)]).toEqual(["stopped", true]);
  expect(facts).toContainEqual({
    kind: "deliveries",
    level: "ok",
    text: "acme in the last hour: 3 refused.",
    mend: null,
    page: "/senders/acme",
  });
});
