import { requestsOf, turns } from "../admission/turns.ts";
import { mayBeCompressed } from "../compression/compression.ts";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import type { Answer } from "../http-app.ts";
import { CallerGone, type HttpAnswer } from "../http-request.ts";
import { type RenderedAnswer, render } from "./render.ts";
import { rootedAnswer } from "./rooted-answer.ts";

/** What is sent for answers, faults and refusals. None of these functions throws. */
export interface FinalAnswers {
  /** `undefined` when the caller went away. A promise only if a document is compressed. */
  ofAnswer(exchange: Exchange, answer: Answer): HttpAnswer | undefined | Promise<HttpAnswer | undefined>;
  /** `undefined` when the caller went away. */
  ofThrown(thrown: unknown, exchange: Exchange): HttpAnswer | undefined;
  /** `exchange` is `undefined` if there is no request yet. */
  ofFault(thrown: unknown, exchange: Exchange | undefined): RenderedAnswer;
}

export const createFinalAnswers = (
  parts: GatewayParts,
  server: { readonly draining: boolean; readonly strictTransport: boolean },
): FinalAnswers => {
  const { app, settings } = parts;

  const ofFault = (thrown: unknown, exchange: Exchange | undefined): RenderedAnswer => {
    const about = exchange ?? { id: settings.requestId(), version: undefined, fullPath: "", closes: true };
    const answer = app.fail(thrown, { path: about.fullPath, requestId: about.id });
    return render(settings, server, about, rootedAnswer(exchange?.root ?? settings.basePath, answer));
  };

  const ofThrown = (thrown: unknown, exchange: Exchange): HttpAnswer | undefined =>
    thrown instanceof CallerGone ? undefined : ofFault(thrown, exchange);

  return {
    ofFault,
    ofThrown,
    ofAnswer: (exchange, answer) => {
      try {
        exchange.logged = answer.log;
        const { root } = exchange;
        const document = parts.documents(root, answer);
        const whole = document === undefined ? rootedAnswer(root, answer) : { ...answer, text: document.text };
        const rendered = render(settings, server, exchange, whole, document?.bytes.length);
        turns.charge(exchange.network, requestsOf(rendered.body?.length ?? 0));
        return mayBeCompressed(answer) ? parts.compression.apply(exchange, rendered, document) : rendered;
      } catch (thrown) {
        return ofThrown(thrown, exchange);
      }
    },
  };
};
