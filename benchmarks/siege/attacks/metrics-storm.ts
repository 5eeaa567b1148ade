import { connect } from "node:net";
import { freePort } from "../../../test/free-port.ts";
import type { Attack, Stage } from "../attack.ts";
import { countAnswers, inWords, rawRequest } from "../raw-request.ts";

const lanes = 200;
const pipelined = 50;
/** How long a reader that takes nothing stays. */
const staysMs = 3_000;

/** Who may ask for the metrics, and asks without end. Each reading asks the database for all its counts. */
export const metricsStorm: Attack = {
  name: "metrics-storm",
  does: `${lanes} connections ask for the metrics: half as fast as they are answered, half ${pipelined} times at once without reading`,
  requirement: "R30",
  seconds: 6,
  stage: async (): Promise<Stage> => {
    const port = String(await freePort());
    return { environment: { POSTERN_METRICS_PORT: port }, props: { port }, close: async () => undefined };
  },
  run: async ({ addresses, props, isOver, pause }) => {
    const request = rawRequest("GET", "/metrics");
    const statuses = new Map<string, number>();
    const ask = async (localAddress: string, reads: boolean): Promise<void> => {
      const socket = connect({ port: Number(props.port), host: "127.0.0.1", localAddress });
      const closed = new Promise<void>((resolve) => {
        // A cut is what the server is meant to do.
        socket.on("error", () => undefined).on("close", () => resolve());
      });
      if (reads) countAnswers(socket, statuses);
      else socket.pause();
      socket.write(reads ? request : request.repeat(pipelined));
      await Promise.race([closed, pause(staysMs)]);
      socket.destroy();
    };
    const lane = async (n: number): Promise<void> => {
      while (!isOver()) await ask(addresses[n % addresses.length] ?? "", n % 2 === 0);
    };
    await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)));
    return { saw: inWords(statuses) };
  },
};
