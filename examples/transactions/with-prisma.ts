import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { newJob, type Postern } from "postern";
import { packOrder } from "./pack-order.ts";

/** What this example uses of the client that Prisma generates. */
interface Tables {
  readonly order: { create(given: { data: { id: number; state: string } }): Promise<unknown> };
}
export interface Prisma extends Tables {
  $transaction<Result>(work: (tx: Tables) => Promise<Result>): Promise<Result>;
}

/** A pool of one connection, which each transaction of Prisma has for itself. */
export const onOneConnection = (connectionString: string) => {
  const pool = new pg.Pool({ connectionString, max: 1 });
  let client: pg.PoolClient | undefined;
  pool.on("connect", (opened) => {
    client = opened;
  });
  const connection = (): pg.PoolClient => {
    if (client === undefined) throw new Error("Prisma has not connected yet");
    return client;
  };
  // new PrismaClient({ adapter })
  return { adapter: new PrismaPg(pool), connection, end: () => pool.end() };
};

export const placeOrder = (prisma: Prisma, connection: () => pg.PoolClient, postern: Postern, id: number) =>
  prisma.$transaction(async (tx) => {
    await tx.order.create({ data: { id, state: "placed" } });
    await postern.within(connection()).enqueue(newJob(packOrder, { order: id }));
  });
