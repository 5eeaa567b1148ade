import { AppError } from "../errors/index.ts";
import type { Clock } from "../ports/clock.ts";
import type { Fetcher, InboundResponse, OutboundRequest } from "../ports/fetcher.ts";

/**
 * The answer of a target. If it throws, the target is unreachable. It may take its time: a promise
 * that never settles times out.
 */
export type FetchHandler = (request: OutboundRequest) => Partial<InboundResponse> | Promise<Partial<InboundResponse>>;

export interface MemoryFetcher extends Fetcher {
  /** The newest 1,000 requests, oldest first, also those without an answer. */
  readonly requests: readonly OutboundRequest[];
}

export interface MemoryFetcherOptions {
  /** The clock for `timeoutMs`; without it nothing times out. */
  readonly clock?: Clock;
  /** Answers at every other URL. Without it they are unreachable. */
  readonly others?: FetchHandler;
}

const defaultMaxResponseBytes = 64 * 1024;
const keptRequests = 1_000;

/**
 * Outbound HTTP without a network. The keys of `targets` are a method and an exact URL
 * (`"POST https://hooks.example/in"`), or an exact URL for any method. Default answer: status 200,
 * no headers and an empty body. Every other URL is unreachable, unless `others` answers it.
 */
export const memoryFetcher = (
  targets: Readonly<Record<string, FetchHandler>>,
  { clock, others }: MemoryFetcherOptions = {},
): MemoryFetcher => {
  const handlers = new Map(Object.entries(targets));
  const requests: OutboundRequest[] = [];

  const answer = async (request: OutboundRequest): Promise<InboundResponse> => {
    const handler = handlers.get(`${request.method} ${request.url}`) ?? handlers.get(request.url) ?? others;
    if (handler === undefined) throw new Error(`nothing answers at ${request.method} ${request.url}`);
    const { status = 200, headers = {}, body = new Uint8Array() } = await handler(request);
    return { status, headers, body: body.slice(0, request.maxResponseBytes ?? defaultMaxResponseBytes) };
  };

  return {
    requests,
    fetch: (request) =>
      new Promise((resolve, reject) => {
        const { timeoutMs, signal } = request;
        requests.push(request);
        if (requests.length > keptRequests) requests.shift();
        const unreachable = (cause: unknown): void => {
          finish();
          reject(new AppError("upstream_unreachable", { cause }));
        };
        const abort = (): void => unreachable(signal?.reason);
        const cancelTimer = clock?.after(timeoutMs, () => {
          finish();
          reject(new AppError("upstream_timeout", { detail: `No answer within ${timeoutMs} ms.` }));
        });
        const finish = (): void => {
          cancelTimer?.();
          signal?.removeEventListener("abort", abort);
        };
        signal?.addEventListener("abort", abort, { once: true });
        if (signal?.aborted === true) return abort();
        answer(request).then((response) => {
          finish();
          resolve(response);
        }, unreachable);
      }),
  };
};
