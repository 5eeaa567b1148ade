import { isObject } from "@postern/core/internal";
import { eventBody } from "@postern/inbox/internal";
import { type SignedRequest, signRequest } from "@postern/webhook-verifier";
import type { Sender } from "./senders.ts";
import { readBody } from "./went-out.ts";

/**
 * An event to send. Each member goes where the sender writes it; further members go into the payload
 * as they are. A text or bytes are the whole body.
 */
export type SentEvent =
  | string
  | Uint8Array
  | { readonly type?: string; readonly data?: unknown; readonly [member: string]: unknown };

export interface DeliverOptions {
  /** The sender's id of the event. Default: a new one. With the id of an earlier event it is a repeat. */
  readonly id?: string;
  /** The event's type, if the event is a text or bytes and its sender writes the type into a header. */
  readonly type?: string;
  /** Signs with another key: that of a stranger, or the private key of your own pair. */
  readonly signingKey?: string;
  /** The time of signing, in milliseconds since the epoch. Default: now, by the clock of the test. */
  readonly signedAt?: number;
  /** Further headers. They are not signed, unless the sender's scheme covers them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Changes the request after it was signed. `true` adds a blank to the body. */
  readonly tamper?: true | ((signed: SignedRequest) => SignedRequest);
}

/** The answer to a webhook. */
export interface Delivered {
  readonly status: number;
  /** The event's number, as in `t.events()`; `undefined` if it was refused. */
  readonly id: number | undefined;
  /** `accepted`, `ignored`, `quarantined`, `duplicate`, …; `undefined` if it was refused. */
  readonly outcome: string | undefined;
  /** The whole answer, as JSON if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of answers whose shape it asserts
  readonly body: any;
}

interface DeliveryNeeds {
  readonly url: string;
  readonly now: number;
  readonly newId: string;
  readonly fetch: (request: Request) => Promise<Response>;
}

const withBlank = (signed: SignedRequest): SignedRequest => ({
  ...signed,
  body: new TextEncoder().encode(`${new TextDecoder().decode(signed.body)} `),
});

const written = ({ scheme }: Sender, event: SentEvent, id: string, type: string | undefined) => {
  if (typeof event === "string" || event instanceof Uint8Array) return { body: event, type };
  const { type: named = type, data, ...rest } = event;
  const { body, headerType } = eventBody(scheme, { id, type: named, data, rest });
  return { body: JSON.stringify(body), type: headerType };
};

/**
 * Signs one event as its sender signs, and sends it.
 * @throws TypeError if only the real sender has a key.
 */
export const deliverOne = async (
  sender: Sender,
  event: SentEvent,
  { id, type, signingKey = sender.signingKey, signedAt, headers = {}, tamper }: DeliverOptions,
  { url, now, newId, fetch }: DeliveryNeeds,
): Promise<Delivered> => {
  const { scheme, settings } = sender;
  if (signingKey === undefined) {
    throw new TypeError(
      `${scheme.title} signs with a private key. Leave its keys out of \`providers\`, or give yours as \`signingKey\`.`,
    );
  }
  const sentId = id ?? newId;
  const signed = await signRequest(scheme, {
    ...written(sender, event, sentId, type),
    keys: signingKey,
    id: sentId,
    timestamp: signedAt ?? now,
    url,
    headers,
    settings,
  });
  const sent = tamper === undefined ? signed : (tamper === true ? withBlank : tamper)(signed);
  const request = new Request(sent.url ?? url, {
    method: sent.method,
    headers: { "content-type": "application/json", ...sent.headers },
    body: sent.body,
  });
  const response = await fetch(request);
  const body = readBody(await response.text());
  const told = response.ok && isObject(body) ? body : {};
  return {
    status: response.status,
    id: told.id === undefined ? undefined : Number(told.id),
    outcome: told.status === undefined ? undefined : String(told.status),
    body,
  };
};
