import { accessLogMessages } from "./access-log.ts";
import { bodyMessages } from "./bodies.ts";
import { boundMessages } from "./bounds.ts";
import { compressionMessages } from "./compression.ts";
import { type AdapterContract, contractOf } from "./contract.ts";
import { corsMessages } from "./cors.ts";
import { formMessages } from "./forms.ts";
import { healthMessages } from "./health.ts";
import { overloadMessages } from "./overload.ts";
import { pageFormMessages } from "./page-forms.ts";
import { headMessages } from "./request-head.ts";
import { requestMessages } from "./requests.ts";
import { routeMessages } from "./routes.ts";
import { streamMessages } from "./streams.ts";
import { strictInputMessages } from "./strict-input.ts";
import { type MessagesAdapter, tryMessages } from "./trial.ts";
import { webhookMessages } from "./webhooks.ts";
import { wellKnownMessages } from "./well-known.ts";

/**
 * How every adapter handles a request: its method, target, headers and body. These cases need no
 * connection.
 */
export const messagesContract: AdapterContract<MessagesAdapter> = contractOf(
  [
    accessLogMessages,
    bodyMessages,
    boundMessages,
    compressionMessages,
    corsMessages,
    formMessages,
    headMessages,
    healthMessages,
    overloadMessages,
    pageFormMessages,
    requestMessages,
    routeMessages,
    streamMessages,
    strictInputMessages,
    webhookMessages,
    wellKnownMessages,
  ],
  tryMessages,
);
