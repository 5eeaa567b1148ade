import type { Socket } from "node:net";
import type { DatabaseKind, Query } from "./database.ts";
import type { Place } from "./send.ts";

/** An account that an attack may use, with the address that it signs in from. */
export interface Account {
  readonly id: string;
  /** The value of `Authorization`. */
  readonly authorization: string;
  readonly address: string;
}

/** What the server's process shows at one moment. */
export interface ServerFigures {
  /** Files and connections that it has open. */
  readonly openFiles: number;
  /** Resident memory in MB. */
  readonly memory: number;
  /** Milliseconds for which its main thread has had a processor. */
  readonly mainThreadMs: number;
}

/** What an attack can use. It runs in a process of its own, at a lower priority than the server. */
export interface Field extends Place {
  /** The result of the attack's `stage`. */
  readonly props: Readonly<Record<string, string>>;
  /** 127.0.0.2 to 127.0.0.9; others while the server is only warmed up. */
  readonly addresses: readonly string[];
  readonly accounts: readonly Account[];
  /** Aborted when the time of the attack is over. The attack's loops end then. */
  isOver(): boolean;
  /** Resolves after this time, or at the end of the attack if that is earlier. */
  pause(ms: number): Promise<void>;
  /** Resolves when the time of the attack is over. */
  untilOver(): Promise<void>;
  /**
   * Asks for the server to be ended by SIGTERM, as a deployment does. The healthy client has left
   * by then.
   */
  endServer(): Promise<void>;
  inspect(): Promise<ServerFigures>;
  /**
   * A connection. An error on it counts as a cut by the server, and does nothing else. It is closed
   * at the end.
   */
  connect(address: string): Promise<Socket>;
}

/**
 * What an attack prepares before it begins: rows that it could have written itself in the months
 * before.
 */
interface Scene {
  readonly query: Query;
  readonly accounts: readonly Account[];
}

/** What an attack prepares before the server starts, such as a party that the server is to call. */
export interface Stage {
  /** Configuration of the server in addition to the attack's `environment`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Passed to the attack with its field. */
  readonly props: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The findings of an attack. */
export interface Report {
  /** Shown in the report. */
  readonly saw: string;
  /**
   * What the server did although it must not, however well the healthy client fared; one sentence.
   */
  readonly fault?: string | undefined;
}

/**
 * One way to take the server down, as one or a few clients could try it within the default limits.
 */
export interface Attack {
  /** The name of the file, and the name in the report. */
  readonly name: string;
  /** One sentence for the report. */
  readonly does: string;
  /** The requirement that the attack tests. */
  readonly requirement: string;
  /** How long the attack lasts. Each of its loops ends with it. */
  readonly seconds: number;
  /** How many accounts the attack has. Default: none; then the attack comes from a stranger. */
  readonly accounts?: number;
  /** Configuration of the server in addition to the defaults. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The text of `postern.config.mjs`. Default: there is no such file. */
  readonly configuration?: string;
  /** Databases beside SQLite on which CI carries it out, too: its cause was one of the database. */
  readonly ciAlsoOn?: readonly DatabaseKind[];
  /** True if the server speaks TLS, with a certificate that is made for this attack. */
  readonly tls?: true;
  /** Prepares things before the server starts, in the process that besieges. */
  stage?(): Promise<Stage>;
  /** Makes the rows that it needs. */
  prepare?(scene: Scene): Promise<void>;
  run(field: Field): Promise<Report>;
  /**
   * Another caller that does nothing wrong. It begins with the attack. It runs beside the healthy
   * client, because the attacking process would delay it. `stop` returns what it saw.
   */
  beside?(place: Place, accounts: readonly Account[]): { stop(): Promise<Report> };
}
