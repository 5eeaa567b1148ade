import { gzipSync } from "node:zlib";
import { type App, type AppOptions, builtInVersions, createApp } from "@postern/app";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import { defineProvider } from "@postern/inbox";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { stream } from "@postern/webhook-verifier/schemes/stream";

/** An application and the parts behind it. */
export interface Made {
  readonly app: App;
  readonly ports: MemoryPorts;
}

/** The key that `acme` signs with. */
export const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const acme = defineProvider({ name: "acme", verifier: createVerifier(standardWebhooks, { keys: secret }) });

/** Its bodies may come in gzip. */
const chat = defineProvider({ name: "chat", verifier: createVerifier(stream, { keys: secret }) });

/**
 * An application with users, posts, comments and the webhook senders `acme` and `chat`, with
 * everything behind it in memory.
 */
export const makeApp = (options: Partial<AppOptions> = {}, instead: Partial<MemoryPorts> = {}): Made => {
  const ports = memoryPorts(instead);
  const app = createApp({
    versions: builtInVersions,
    ports,
    providers: [acme, chat],
    settings: { rateLimits: "off" },
    ...options,
  });
  return { app, ports };
};

let read: Made | undefined;

/**
 * The same application each time, for cases that read its documents: making them takes a second.
 * What a case stores stays, so each user needs a name of its own.
 */
export const appToRead = (): Made => {
  read ??= makeApp();
  return read;
};

export const json = (body: unknown, init: RequestInit = {}): RequestInit => ({
  method: "POST",
  ...init,
  headers: { "content-type": "application/json", ...init.headers },
  body: JSON.stringify(body),
});

export const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });

const password = "correct horse battery";

/** Signs a user up and in. */
export const signUp = async (
  { fetch }: { fetch(url: string, init?: RequestInit): Promise<Response> },
  url: string,
  name = "ann",
): Promise<{ id: string; token: string }> => {
  const email = `${name}@example.com`;
  const made = await fetch(`${url}/api/users`, json({ name, email, password }));
  const { id } = (await made.json()) as { id: string };
  const signedIn = await fetch(`${url}/api/sessions`, json({ email, password }));
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  return { id, token };
};

/** A webhook of `acme`, signed by the sender's side of Standard Webhooks. */
export const webhook = async (body: string | Uint8Array<ArrayBuffer>, id = "msg_1"): Promise<RequestInit> => ({
  method: "POST",
  headers: { "content-type": "application/json", ...(await sign(standardWebhooks, { keys: secret, body, id })) },
  body,
});

/** A webhook of `chat` in gzip. Its signature covers the body before that. */
export const packedWebhook = async (body: string, packed = gzipSync(body), id = "msg_1"): Promise<RequestInit> => ({
  method: "POST",
  headers: {
    "content-type": "application/json",
    "content-encoding": "gzip",
    ...(await sign(stream, { keys: secret, body, id })),
  },
  body: new Uint8Array(packed),
});

/** A webhook of `acme` whose signature is wrong. */
export const forged = {
  headers: { "webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "v1,x" },
  body: "{}",
};
