import type { AbortSignalLike } from "../runtime.ts";

export interface OutboundRequest {
  /** Absolute http or https URL. */
  readonly url: string;
  readonly method: "GET" | "POST";
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The whole exchange, answer's body included, takes no longer. */
  readonly timeoutMs: number;
  /** The answer's body is cut here; 64 KiB unless told. */
  readonly maxResponseBytes?: number;
  readonly signal?: AbortSignalLike;
  /** Also reaches loopback, private and other addresses that are not public. Refused unless told. */
  readonly allowPrivate?: boolean;
}

export interface InboundResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Outbound HTTP: forwarding, key sets, alerts. Driven port. Redirects are not followed; any status is an answer. Only public addresses are
 * called unless the request allows others: a URL may come from somebody who cannot reach them himself.
 */
export interface Fetcher {
  /** @throws AppError `upstream_unreachable` or `upstream_timeout`; the cause is for the log. */
  fetch(request: OutboundRequest): Promise<InboundResponse>;
}
