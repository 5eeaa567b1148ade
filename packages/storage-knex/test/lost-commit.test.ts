import { newEvent } from "@postern/core/testing";
import { afterEach, expect, test } from "vitest";
import { databaseProxy } from "./database-proxy.ts";
import { mariadb, onMariadb, openStorage } from "./databases.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/**
 * A proxy of the database that cuts the connection at the next `COMMIT`: before the server has seen
 * it, or after the commit but before the answer is back.
 */
const cuttingProxy = async (url: string) => {
  let cut: "never" | "before" | "after" = "never";
  const proxy = await databaseProxy(url, (client, upstream) => {
    let committing = false;
    client.on("data", (chunk: Buffer) => {
      // One statement is one packet: its name stands behind four bytes of header and the command.
      const commits = chunk.subarray(5).toString() === "COMMIT";
      if (commits && cut === "before") {
        cut = "never";
        upstream.destroy();
        client.destroy();
        return;
      }
      committing = commits && cut === "after";
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (committing) {
        cut = "never";
        client.destroy();
        upstream.destroy();
      } else client.write(chunk);
    });
  });
  closers.push(proxy.close);
  return {
    url: proxy.url,
    cutNext: (when: "before" | "after") => {
      cut = when;
    },
    wasCut: () => cut === "never",
  };
};

onMariadb("a connection lost while it commits accepted events", () => {
  for (const when of ["before", "after"] as const) {
    test(`${when} the server has done it: the answer is true, and each event has one job`, async () => {
      const url = mariadb.url();
      const direct = await mariadb.fresh({ url });
      const proxy = await cuttingProxy(url);
      const { storage, close } = openStorage({ url: proxy.url });
      const [known] = await storage.events.accept([newEvent("evt_known")]);
      proxy.cutNext(when);
      const outcomes = await storage.events.accept([newEvent("evt_1"), newEvent("evt_known"), newEvent("evt_2")]);
      expect(proxy.wasCut()).toBe(true);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(["accepted", "duplicate", "accepted"]);
      expect(outcomes[1]?.id).toBe(known?.id);
      const stored = await direct.storage.events.list({ limit: 10 });
      expect(stored.map(({ eventId }) => eventId).toSorted()).toEqual(["evt_1", "evt_2", "evt_known"]);
      expect(stored.map(({ id }) => id)).toEqual(expect.arrayContaining(outcomes.map(({ id }) => id)));
      expect((await direct.storage.jobRecords.list({ limit: 10 })).map(({ eventId }) => eventId).toSorted()).toEqual(
        stored.map(({ id }) => id).toSorted(),
      );
      await close();
    });

    test(`${when} the server has done it: no other runner runs a job that one may have, and that one finds it`, async () => {
      const url = mariadb.url();
      const direct = await mariadb.fresh({ url });
      const proxy = await cuttingProxy(url);
      const { storage, close } = openStorage({ url: proxy.url });
      const runnerId = await storage.runners.register({ name: "one", kinds: [] }, 0);
      // This reserves the numbers that it needs, so that the commit that is cut is that of the
      // events.
      await storage.events.acceptFor({ runnerId, queue: "default", limit: 5 }, [newEvent("evt_0")]);
      proxy.cutNext(when);
      const { outcomes, claimed } = await storage.events.acceptFor({ runnerId, queue: "default", limit: 5 }, [
        newEvent("evt_1"),
        newEvent("evt_2"),
      ]);
      expect(proxy.wasCut()).toBe(true);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(["accepted", "accepted"]);
      expect(claimed?.length).toBe(when === "before" ? 2 : undefined);
      expect(await direct.storage.runners.running(runnerId)).toHaveLength(3);
      await close();
    });
  }
});
