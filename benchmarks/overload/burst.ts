/** Honest callers that come all at once, each with connections that it keeps. */
import { Agent, request } from "node:http";

export interface Wish {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Burst {
  readonly port: number;
  /** The connections are spread evenly over these addresses. */
  readonly addresses: readonly string[];
  readonly connections: number;
  /** Requests over each connection, one after the other. */
  readonly requestsEach: number;
  /** `fetch` is Node's own, with its own pool of connections. */
  readonly by: "agent" | "fetch";
  /** The next request of a connection; connections are numbered from 0. */
  readonly wish: (connection: number) => Wish;
}

/** How often each status came; 0 stands for a connection that ended without an answer. */
export type Statuses = ReadonlyMap<number, number>;

type Send = (wish: Wish) => Promise<number>;

const noAnswer = (): number => 0;

const byAgent = (port: number, localAddress: string): Send => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return ({ method, path, headers, body }) =>
    new Promise<number>((resolve, reject) => {
      const sent = request({ agent, host: "127.0.0.1", port, localAddress, method, path, headers }, (answer) => {
        answer
          .resume()
          .once("end", () => resolve(answer.statusCode ?? 0))
          .once("error", reject);
      });
      sent.once("error", reject).end(body);
    }).catch(noAnswer);
};

/** What `fetch` sends its requests with. Node does not export the class, but keeps an instance here. */
const globalDispatcher = Symbol.for("undici.globalDispatcher.1");

const byFetch = async (port: number, localAddress: string): Promise<Send> => {
  // The first `fetch` makes the instance.
  await fetch("data:,");
  const { constructor: Dispatcher } = Reflect.get(globalThis, globalDispatcher);
  const dispatcher: NonNullable<RequestInit["dispatcher"]> = Reflect.construct(Dispatcher, [{ localAddress }]);
  return async ({ path, ...wish }) => {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...wish, dispatcher });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return 0;
    }
  };
};

/** Sends the requests of all connections at once, and resolves when all have ended. */
export const sendBurst = async ({ port, addresses, connections, requestsEach, by, wish }: Burst): Promise<Statuses> => {
  const statuses = new Map<number, number>();
  // Connections of one address share the pool of `fetch`, which opens one for each request under way.
  const pools = by === "fetch" ? await Promise.all(addresses.map((address) => byFetch(port, address))) : [];
  const sendOver = async (connection: number): Promise<void> => {
    const place = connection % addresses.length;
    const send = pools[place] ?? byAgent(port, addresses[place] ?? "127.0.0.1");
    for (let sent = 0; sent < requestsEach; sent += 1) {
      const status = await send(wish(connection));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => sendOver(connection)));
  return statuses;
};
