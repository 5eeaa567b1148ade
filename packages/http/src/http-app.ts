import type { Answer } from "@postern/core";
import type { LogFields } from "@postern/core/ports";
import type { IncomingWebhook, WebhookAnswer } from "@postern/inbox";
import type { ApiRequest, ApiVersion, Operation, RootedEndpoint } from "@postern/rest";

/**
 * The application as HTTP needs it. `createApp` makes one; any object with these members works.
 * HTTP passes plain data and gets an `Answer`, which is also plain data.
 */
export interface HttpApp {
  /** The live versions, oldest first, each with its operation table; the last one is the newest. */
  readonly versions: readonly ApiVersion[];
  /** Endpoints outside `/api`, such as those of OAuth 2. Default: none. */
  readonly rooted?: readonly RootedEndpoint[];
  /** Answers a request of the API. Never throws: every failure is an answer too. */
  handle(request: ApiRequest): Promise<Answer>;
  /** Answers a webhook, and says what it did with it. Never throws. */
  receive(webhook: IncomingWebhook): Promise<WebhookAnswer>;
  /**
   * Makes the answer to a fault that HTTP found itself. `path` is the path as the caller sent it.
   */
  fail(thrown: unknown, request: { readonly path: string; readonly requestId: string }): Answer;
  /** Resolves while the storage can be used, and rejects while it cannot. */
  checkReady(): Promise<void>;
}

export type { Answer, ApiVersion, LogFields, Operation };
