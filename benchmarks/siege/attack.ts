import type { Socket } from "node:net";
import type { Query } from "./database.ts";
import type { Place } from "./send.ts";

/** An account that an attack may use, with the address that it signs in from. */
export interface Account {
  readonly id: string;
  /** The value of `Authorization`. */
  readonly authorization: string;
  readonly address: string;
}

/** What a look at the server's process shows. */
export interface ServerFigures {
  /** Files and connections that it has open. */
  readonly openFiles: number;
  /** Resident memory in MB. */
  readonly memory: number;
  /** Milliseconds for which its main thread has had a processor. */
  readonly mainThreadMs: number;
}

/**
 * What an attack has to work with. It runs in a process of its own, at a lower priority than the
 * server.
 */
export interface Field extends Place {
  /** What the attack's `stage` gave. */
  readonly props: Readonly<Record<string, string>>;
  /** 127.0.0.2 to 127.0.0.9. */
  readonly addresses: readonly string[];
  readonly accounts: readonly Account[];
  /** Says that the time of the attack is over; its loops end then. */
  isOver(): boolean;
  /** Resolves after this time, or at the end of the attack where that comes first. */
  pause(ms: number): Promise<void>;
  /** Resolves when the time of the attack is over. */
  untilOver(): Promise<void>;
  /** Asks for the server to be ended by SIGTERM, as a deployment does it; the healthy client has left by then. */
  endServer(): Promise<void>;
  inspect(): Promise<ServerFigures>;
  /** A connection whose errors count as a cut by the server, and nothing else. It is closed at the end. */
  connect(address: string): Promise<Socket>;
}

/** What an attack needs before it begins: rows that it could have written itself in the months before. */
interface Scene {
  readonly query: Query;
  readonly accounts: readonly Account[];
}

/** What an attack needs before the server starts, such as a party that the server is to call. */
export interface Stage {
  /** What the server is configured with beside the attack's `environment`. */
  readonly environment: Readonly<Record<string, string>>;
  /** The attack gets it with its field. */
  readonly props: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** What an attack has seen. */
export interface Report {
  /** Stands in the report. */
  readonly saw: string;
  /** What the server may not do, however well the healthy client fares; one sentence. */
  readonly fault?: string | undefined;
}

/** One way to take the server down, as one client or a few could try it within the default limits. */
export interface Attack {
  /** The file's name, and the name in the report. */
  readonly name: string;
  /** One sentence for the report. */
  readonly does: string;
  /** The requirement that it tests. */
  readonly requirement: string;
  /** How long it lasts. Every loop of an attack ends with it. */
  readonly seconds: number;
  /** How many accounts it has. Default: none, it is a stranger's. */
  readonly accounts?: number;
  /** What the server is configured with beside the defaults. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The text of `postern.config.mjs`. Default: there is none. */
  readonly configuration?: string;
  /** The server speaks TLS, with a certificate of its own that is made for this attack. */
  readonly tls?: true;
  /** Sets the stage before the server starts, in the process that besieges. */
  stage?(): Promise<Stage>;
  /** Makes the rows that it needs. */
  prepare?(scene: Scene): Promise<void>;
  run(field: Field): Promise<Report>;
  /**
   * Another caller that does nothing wrong. It begins with the attack, and lives beside the healthy
   * client, outside the process that attacks, which would delay it. `stop` says what it saw.
   */
  beside?(place: Place, accounts: readonly Account[]): { stop(): Promise<Report> };
}
