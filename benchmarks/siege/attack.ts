import type { Socket } from "node:net";
import type { Query } from "./database.ts";

/** An account that an attack may use, with the address that it signs in from. */
export interface Account {
  readonly id: string;
  /** The value of `Authorization`. */
  readonly authorization: string;
  readonly address: string;
}

/** What an attack has to work with. It runs in a process of its own, at a lower priority than the server. */
export interface Field {
  readonly port: number;
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
  /** A connection whose errors count as a cut by the server, and nothing else. It is closed at the end. */
  connect(address: string): Promise<Socket>;
}

/** What an attack needs before it begins: rows that it could have written itself in the months before. */
interface Scene {
  readonly query: Query;
  readonly accounts: readonly Account[];
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
  /** Makes the rows that it needs. */
  prepare?(scene: Scene): Promise<void>;
  run(field: Field): Promise<Report>;
}
