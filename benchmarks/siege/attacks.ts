import type { Attack } from "./attack.ts";
import { abortedUploads } from "./attacks/aborted-uploads.ts";
import { archives } from "./attacks/archives.ts";
import { busySender } from "./attacks/busy-sender.ts";
import { cancelledRequests } from "./attacks/cancelled-requests.ts";
import { compressedLists } from "./attacks/compressed-lists.ts";
import { costlyInputs } from "./attacks/costly-inputs.ts";
import { costlyLists } from "./attacks/costly-lists.ts";
import { deepPipeline } from "./attacks/deep-pipeline.ts";
import { deployment } from "./attacks/deployment.ts";
import { firstDocsPage } from "./attacks/first-docs-page.ts";
import { flood } from "./attacks/flood.ts";
import { forgedBodies } from "./attacks/forged-bodies.ts";
import { forgedForms } from "./attacks/forged-forms.ts";
import { forgedWebhooks } from "./attacks/forged-webhooks.ts";
import { halfSentWebhooks } from "./attacks/half-sent-webhooks.ts";
import { healthChecks } from "./attacks/health-checks.ts";
import { heldBackBodies } from "./attacks/held-back-bodies.ts";
import { idleConnections } from "./attacks/idle-connections.ts";
import { keptAnswers } from "./attacks/kept-answers.ts";
import { largeAccount } from "./attacks/large-account.ts";
import { mailFlood } from "./attacks/mail-flood.ts";
import { manyLargePages } from "./attacks/many-large-pages.ts";
import { maximalQueries } from "./attacks/maximal-queries.ts";
import { metricsStorm } from "./attacks/metrics-storm.ts";
import { nestedArrays } from "./attacks/nested-arrays.ts";
import { nonsenseBehindRequests } from "./attacks/nonsense-behind-requests.ts";
import { oauthStorm } from "./attacks/oauth-storm.ts";
import { oneHugeAnswer } from "./attacks/one-huge-answer.ts";
import { resets } from "./attacks/resets.ts";
import { signInStorm } from "./attacks/sign-in-storm.ts";
import { signIns } from "./attacks/sign-ins.ts";
import { signedGiants } from "./attacks/signed-giants.ts";
import { slowHeads } from "./attacks/slow-heads.ts";
import { slowReaders } from "./attacks/slow-readers.ts";
import { smallChunks } from "./attacks/small-chunks.ts";
import { stalledHandshakes } from "./attacks/stalled-handshakes.ts";
import { steadyUse } from "./attacks/steady-use.ts";
import { unknownKeys } from "./attacks/unknown-keys.ts";
import { unreadAnswers } from "./attacks/unread-answers.ts";

/** All attacks, in the order in which they run. CI enforces the bounds under each. */
export const attacks: readonly Attack[] = [
  unreadAnswers,
  slowReaders,
  heldBackBodies,
  halfSentWebhooks,
  oneHugeAnswer,
  manyLargePages,
  largeAccount,
  nestedArrays,
  compressedLists,
  costlyLists,
  firstDocsPage,
  forgedWebhooks,
  deepPipeline,
  idleConnections,
  slowHeads,
  abortedUploads,
  signIns,
  signInStorm,
  costlyInputs,
  stalledHandshakes,
  resets,
  cancelledRequests,
  steadyUse,
  unknownKeys,
  smallChunks,
  metricsStorm,
  nonsenseBehindRequests,
  forgedBodies,
  forgedForms,
  signedGiants,
  keptAnswers,
  mailFlood,
  archives,
  busySender,
  oauthStorm,
  maximalQueries,
  deployment,
  flood,
  healthChecks,
];

/** @throws Error for an unknown name. */
export const attackNamed = (name: string): Attack => {
  const found = attacks.find((attack) => attack.name === name);
  if (found === undefined) throw new Error(`there is no attack ${name}`);
  return found;
};
