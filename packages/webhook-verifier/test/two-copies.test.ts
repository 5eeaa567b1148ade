import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import * as own from "../src/index.ts";
import { standardWebhooks } from "../src/schemes/standard-webhooks.ts";

const keys = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const headers = { "webhook-id": "msg_1", "webhook-timestamp": "0", "webhook-signature": "v1,AAAA" };

/** A copy of the package with classes of its own, as of a process that imports and requires it. */
const otherCopy = async (): Promise<typeof own> => {
  vi.resetModules();
  const other = await import("../src/index.ts");
  expect(other.WebhookVerificationError).not.toBe(own.WebhookVerificationError);
  return other;
};

test.each<[number, own.Keys]>([
  [401, keys],
  [503, () => Promise.reject(new Error("no answer"))],
])("receivers answer %d to a refusal by a verifier of another copy", async (status, given) => {
  const other = await otherCopy();
  const verifier = other.createVerifier(standardWebhooks, { keys: given });
  const refused: string[] = [];
  const onRefused = ({ code }: own.WebhookVerificationError) => void refused.push(code);

  const receive = own.handleWebhook(verifier, () => undefined, { onRefused });
  const answer = await receive(new Request("https://x.example/in", { method: "POST", headers, body: "{}" }));
  expect(answer.status).toBe(status);

  const server = createServer(own.handleNodeWebhook(verifier, () => undefined, { onRefused }));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const sent = await fetch(`http://127.0.0.1:${port}/in`, { method: "POST", headers, body: "{}" });
  server.close();
  expect(sent.status).toBe(status);
  expect(refused).toHaveLength(2);
});

test("a look-up keeps the code of a refusal by another copy", async () => {
  const other = await otherCopy();
  const find = () => Promise.reject(new other.WebhookVerificationError("certificate_invalid", "It has ended."));
  await expect(own.keyLookup(find).find("k1", 0)).rejects.toMatchObject({ code: "certificate_invalid" });
});
