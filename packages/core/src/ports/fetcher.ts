import type { AbortSignalLike } from "../runtime.ts";

export interface OutboundRequest {
  /** Absolute http or https URL. */
  readonly url: string;
  readonly method: "GET" | "POST";
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The longest time for the whole exchange, reading the answer's body included. */
  readonly timeoutMs: number;
  /** The answer's body is cut after this many bytes. Default 64 KiB. */
  readonly maxResponseBytes?: number;
  readonly signal?: AbortSignalLike;
  /**
   * Also allows loopback, private and other addresses that are not public. By default they are
   * refused.
   */
  readonly allowPrivate?: boolean;
}

export interface InboundResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Outbound HTTP: forwarding, key sets, alerts. Driven port. It does not follow redirects, and any
 * status is an answer. It calls only public addresses unless the request allows others, because a
 * URL may come from somebody who has no access to your network.
 */
export interface Fetcher {
  /** @throws AppError `upstream_unreachable` or `upstream_timeout`; the cause is for the log. */
  fetch(request: OutboundRequest): Promise<InboundResponse>;
}
