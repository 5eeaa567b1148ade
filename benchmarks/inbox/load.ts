import { createHmac, randomBytes } from "node:crypto";
import { connect } from "node:net";

export interface Load {
  readonly url: string;
  readonly secret: string;
  readonly connections: number;
  readonly bodyBytes: number;
  /**
   * Random ids, as most senders make them. Without it ids grow, which costs an index less. Default:
   * true.
   */
  readonly randomIds?: boolean;
  readonly measureMs: number;
}

/** The parts of a delivery. */
type What = Pick<Load, "secret" | "bodyBytes" | "randomIds">;

export interface Result {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Answers other than 200, in the whole run. */
  readonly refused: number;
  /** All answers, including those of the warm-up. */
  readonly answered: number;
}

let sequence = 0;

/** A delivery as Stripe would send it. Each one is different. */
const delivery = (host: string, { secret, bodyBytes, randomIds = true }: What): Buffer => {
  sequence += 1;
  const id = randomIds ? randomBytes(12).toString("hex") : `${process.pid}_${sequence}`;
  const head = `{"id":"evt_${id}","object":"event","type":"invoice.paid","data":"`;
  const body = `${head}${"x".repeat(Math.max(0, bodyBytes - head.length - 2))}"}`;
  const seconds = Math.floor(Date.now() / 1000);
  const mac = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  const text = `POST /api/webhooks/stripe HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\nstripe-signature: t=${seconds},v1=${mac}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  return Buffer.from(text);
};

/**
 * Deliveries made ahead: if they were signed during the measurement, the sender would be the slower
 * side. A server that takes more gets them again.
 */
export const deliveriesFor = (url: string, count: number, what: What): readonly Buffer[] =>
  Array.from({ length: count }, () => delivery(new URL(url).host, what));

/**
 * Whether a whole answer has arrived, and whether it was 200. Answers are small and state their
 * length.
 */
const answerIn = (text: string): { readonly ok: boolean; readonly length: number } | undefined => {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  const chunked = length === undefined && /transfer-encoding: chunked/i.test(text.slice(0, end));
  const whole = chunked ? text.indexOf("\r\n0\r\n\r\n", end) + 7 : end + 4 + Number(length ?? 0);
  if (whole === 6 || text.length < whole) return undefined;
  return { ok: text.startsWith("HTTP/1.1 200"), length: whole };
};

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/**
 * Keeps every connection busy with one delivery after the other. It opens a connection again when
 * it is closed.
 */
export const run = async (load: Load, next: () => Buffer): Promise<Result> => {
  const { hostname, port } = new URL(load.url);
  const latencies: number[] = [];
  let refused = 0;
  let answered = 0;
  let measuring = false;
  let stopped = false;

  const worker = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let text = "";
      let sentAt = 0;
      const socket = connect(Number(port), hostname);
      const send = (): void => {
        if (stopped) {
          socket.destroy();
          resolve();
          return;
        }
        sentAt = performance.now();
        socket.write(next());
      };
      socket.setNoDelay(true).setEncoding("latin1");
      socket.on("connect", send);
      socket.on("data", (chunk) => {
        text += chunk;
        const answer = answerIn(text);
        if (answer === undefined) return;
        text = text.slice(answer.length);
        answered += 1;
        if (!answer.ok) refused += 1;
        if (measuring) latencies.push(performance.now() - sentAt);
        send();
      });
      socket.on("error", (error) => (stopped ? resolve() : reject(error)));
      socket.on("end", () => {
        // A server may close a connection after some requests. It has answered the last one by
        // then.
        if (stopped) resolve();
        else worker().then(resolve, reject);
      });
    });

  const workers = Array.from({ length: load.connections }, worker);
  const failed = Promise.all(workers);
  failed.catch(() => undefined);
  const pause = (ms: number) => Promise.race([new Promise((resolve) => setTimeout(resolve, ms)), failed]);
  measuring = true;
  const from = performance.now();
  await pause(load.measureMs);
  measuring = false;
  const seconds = (performance.now() - from) / 1000;
  stopped = true;
  await failed;
  const sorted = Float64Array.from(latencies).sort();
  return {
    perSecond: latencies.length / seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    refused,
    answered,
  };
};
