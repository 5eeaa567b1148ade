import { bodyConnections } from "./bodies.ts";
import { boundConnections } from "./bounds.ts";
import { connectionBounds } from "./connection-bounds.ts";
import { type AdapterContract, contractOf } from "./contract.ts";
import { drainConnections } from "./drain.ts";
import { malformedConnections } from "./malformed-http.ts";
import { headConnections } from "./request-head.ts";
import { requestConnections } from "./requests.ts";
import { slowCallerConnections } from "./slow-callers.ts";
import { streamConnections } from "./streams.ts";
import { strictInputConnections } from "./strict-input.ts";
import { tlsConnections } from "./tls.ts";
import { tlsBoundConnections } from "./tls-bounds.ts";
import { type ConnectionsAdapter, tryConnections } from "./trial.ts";
import { unreadAnswerConnections } from "./unread-answers.ts";
import { webhookConnections } from "./webhooks.ts";

/**
 * What a server does with connections: bytes that are not a request, slow callers, pipelining,
 * bounds, TLS, and the drain.
 */
export const connectionsContract: AdapterContract<ConnectionsAdapter> = contractOf(
  [
    bodyConnections,
    boundConnections,
    connectionBounds,
    drainConnections,
    headConnections,
    malformedConnections,
    requestConnections,
    slowCallerConnections,
    streamConnections,
    strictInputConnections,
    tlsBoundConnections,
    tlsConnections,
    unreadAnswerConnections,
    webhookConnections,
  ],
  tryConnections,
);
