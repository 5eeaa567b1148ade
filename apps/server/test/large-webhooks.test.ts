import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { signRequest } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { expect, test } from "vitest";
import { startProcess, temporaryDirectory } from "./server-process.ts";

const secret = "the secret of a sender of large events";

interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const delivery = async (n: number, bytes: number): Promise<Delivery> => {
  const body = JSON.stringify({ n, commits: "x".repeat(bytes - 30) });
  const { headers, body: signed } = await signRequest(github, { keys: secret, body, type: "push" });
  return { headers: { ...headers, "x-github-delivery": `delivery-${n}` }, body: Buffer.from(signed) };
};

/** The status of the answer, or the answer itself if it is a refusal. */
const send = (url: string, localAddress: string, { headers, body }: Delivery): Promise<number | string | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/api/webhooks/github`, { method: "POST", localAddress, headers, agent: false });
    sent.once("response", async (answer) => resolve(answer.statusCode === 200 ? 200 : await text(answer)));
    sent.once("error", reject).end(body);
  });

test.each([
  { what: "of 1 to 4 MB from one address", addresses: 1, chunked: false, bytes: (n: number) => 1e6 + (n * 3e6) / 19 },
  { what: "of 4.9 MB from four addresses", addresses: 4, chunked: false, bytes: () => 4.9e6 },
  { what: "of 4.9 MB from four addresses, in chunks", addresses: 4, chunked: true, bytes: () => 4.9e6 },
])(
  "with the settings as shipped, twenty webhooks $what at once are answered 200",
  {
    timeout: 60_000,
  },
  async ({ addresses, chunked, bytes }) => {
    const directory = temporaryDirectory();
    const { url = "" } = await startProcess(directory, {
      DATABASE_URL: `sqlite:${join(directory, "postern.db")}`,
      POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      WEBHOOK_GITHUB_SECRET: secret,
    });
    const deliveries = await Promise.all(Array.from({ length: 20 }, (_, n) => delivery(n, Math.floor(bytes(n)))));
    const statuses = await Promise.all(
      deliveries.map(({ headers, body }, n) => {
        const length = chunked ? { "transfer-encoding": "chunked" } : { "content-length": String(body.length) };
        return send(url, `127.0.0.${2 + (n % addresses)}`, { headers: { ...headers, ...length }, body });
      }),
    );
    expect(statuses).toEqual(Array(20).fill(200));
  },
);
