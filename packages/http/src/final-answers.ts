import { mayBeCompressed } from "./compression/compression.ts";
import type { Exchange } from "./exchange.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import type { Answer } from "./http-app.ts";
import { CallerGone, type HttpAnswer } from "./http-request.ts";
import { overloaded, type RefusalReason } from "./overload.ts";
import { type RenderedAnswer, render } from "./render.ts";
import { rootedAnswer } from "./rooted-answer.ts";
import { createWrittenRefusals } from "./written-refusals.ts";

/** What is sent for answers, faults and refusals. None of these functions throws. */
export interface FinalAnswers {
  /** `undefined` when the caller went away. A promise only if a document is compressed. */
  ofAnswer(exchange: Exchange, answer: Answer): HttpAnswer | undefined | Promise<HttpAnswer | undefined>;
  /** `undefined` when the caller went away. */
  ofThrown(thrown: unknown, exchange: Exchange): HttpAnswer | undefined;
  /** `exchange` is `undefined` if there is no request yet. */
  ofFault(thrown: unknown, exchange: Exchange | undefined): RenderedAnswer;
  /** The refusal of a request for which the server has no room now. */
  ofOverload(reason: RefusalReason, exchange: Exchange): RenderedAnswer;
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

  const writtenRefusal = createWrittenRefusals((kind, { id, fullPath }) => {
    const fault = overloaded(kind.startsWith("in_flight ") ? "in_flight" : "event_loop_delay");
    const answer = app.fail(fault, { path: fullPath, requestId: id });
    const about = { id, version: parts.defaultVersion, closes: false };
    return render(settings, server, about, rootedAnswer(settings.basePath, answer));
  });

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
        if (rendered.body !== undefined) parts.overload.noteBytes(exchange.network, rendered.body.length);
        return mayBeCompressed(answer) ? parts.compression.apply(exchange, rendered, document) : rendered;
      } catch (thrown) {
        return ofThrown(thrown, exchange);
      }
    },
    ofOverload: (reason, exchange) =>
      // If more than the id and the path depends on the request, make a new refusal.
      settings.corsOrigins.size > 0 || exchange.root !== settings.basePath || exchange.closes
        ? ofFault(overloaded(reason), exchange)
        : writtenRefusal(`${reason} ${server.draining} ${server.strictTransport}`, exchange),
  };
};
