import type { Telemetry } from "@postern/core/ports";
import type { LongLoopTurn } from "@postern/platform-node";

/** A request that ended, with its times by `performance.now()`. */
interface SlowRequest {
  readonly route: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface LongLoopTurns {
  /**
   * The telemetry for the HTTP server. It notes which requests took long, and passes everything on.
   */
  readonly telemetry: Telemetry;
  /** Logs a long turn of the event loop, with the routes that may have caused it. */
  note(loopTurn: LongLoopTurn): void;
  close(): void;
}

/** Shorter requests cannot have caused a turn that is long enough to be logged. */
const slowMs = 150;
const mostRemembered = 200;
const mostNamed = 5;
/**
 * After a request has blocked the loop, it may still have to store something or send its answer.
 */
const waitForEndsMs = 1_000;
/** How much the clock of a request and that of the loop may differ. */
const toleranceMs = 50;

/**
 * Names the routes behind long turns of the event loop. Node does not say which request held up the
 * loop. So the requests that were under way from the turn's beginning to its end are named. The
 * shortest comes first, because it had the least time to wait for another one.
 */
export const longLoopTurns = (telemetry: Telemetry): LongLoopTurns => {
  const slow: SlowRequest[] = [];
  const timers = new Set<NodeJS.Timeout>();

  const routesDuring = ({ ms, endedAt }: LongLoopTurn): readonly string[] => {
    const spans = slow.filter(
      (request) => request.startedAt <= endedAt - ms + toleranceMs && request.endedAt >= endedAt - toleranceMs,
    );
    spans.sort((a, b) => a.endedAt - a.startedAt - (b.endedAt - b.startedAt));
    return [...new Set(spans.map(({ route }) => route))].slice(0, mostNamed);
  };

  return {
    telemetry: {
      log: telemetry.log,
      withoutSecrets: telemetry.withoutSecrets,
      count: telemetry.count,
      gauge: telemetry.gauge,
      observe: (name, value, labels) => {
        telemetry.observe(name, value, labels);
        if (name !== "http_request_ms" || value < slowMs) return;
        const endedAt = performance.now();
        slow.push({ route: `${labels?.method} ${labels?.route}`, startedAt: endedAt - value, endedAt });
        if (slow.length > mostRemembered) slow.shift();
      },
    },
    note: (loopTurn) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        const routes = routesDuring(loopTurn);
        // Without a request, the process itself caused it (its start, for example), or the machine.
        const level = routes.length === 0 ? "debug" : "warn";
        telemetry.log(level, "the event loop was held up", { ms: Math.round(loopTurn.ms), routes: routes.join(", ") });
      }, waitForEndsMs).unref();
      timers.add(timer);
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
};
