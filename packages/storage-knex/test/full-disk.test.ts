import { AppError } from "@postern/core";
import { describe, expect, test } from "vitest";
import { notingFullDisk } from "../src/engine/full-disk.ts";
import type { OpenDatabase } from "../src/engine/open-database.ts";

const mebibyte = 1024 * 1024;

/** A database whose writes end as a test says, on a disk with so much room. */
const scene = () => {
  let fault: Error | undefined;
  let free: number | Error | undefined;
  let looks = 0;
  const write = async (): Promise<string> => {
    if (fault !== undefined) throw fault;
    return "written";
  };
  const opened = { write, transaction: write } as unknown as OpenDatabase;
  const { database, disk } = notingFullDisk(opened, async () => {
    looks += 1;
    if (free instanceof Error) throw free;
    return free;
  });
  const ways = {
    write: () => database.write(async () => ""),
    transaction: () => database.transaction(async () => ""),
  };
  return {
    disk,
    ways,
    looks: () => looks,
    end: (thrown: Error | undefined, room?: number | Error) => {
      fault = thrown;
      free = room;
    },
  };
};

const full = new AppError("storage_full");

describe.each(["write", "transaction"] as const)("a disk on which a %s found no room", (way) => {
  test("is full until one succeeds and there is room for a webhook", async () => {
    const { disk, ways, end } = scene();
    const write = ways[way];
    await expect(write()).resolves.toBe("written");
    expect(disk.isFull).toBe(false);
    end(full);
    await expect(write()).rejects.toBe(full);
    expect(disk.isFull).toBe(true);
    // A small write found room in a file, which a webhook would not.
    end(undefined, mebibyte - 1);
    await expect(write()).resolves.toBe("written");
    expect(disk.isFull).toBe(true);
    end(undefined, mebibyte);
    await write();
    expect(disk.isFull).toBe(false);
  });

  test("has room again after a write where nobody can tell how much", async () => {
    for (const room of [undefined, new Error("the folder is gone")]) {
      const { disk, ways, end } = scene();
      end(full);
      await expect(ways[way]()).rejects.toBe(full);
      end(undefined, room);
      await ways[way]();
      expect(disk.isFull).toBe(false);
    }
  });

  test("stays full, and stays with room, whatever else makes writes fail", async () => {
    const { disk, ways, end, looks } = scene();
    const away = new AppError("unavailable");
    end(away);
    await expect(ways[way]()).rejects.toBe(away);
    expect(disk.isFull).toBe(false);
    end(full);
    await expect(ways[way]()).rejects.toBe(full);
    end(away);
    await expect(ways[way]()).rejects.toBe(away);
    expect([disk.isFull, looks()]).toEqual([true, 0]);
  });

  test("costs no look at the disk while there is room", async () => {
    const { ways, looks } = scene();
    for (let n = 0; n < 100; n += 1) await ways[way]();
    expect(looks()).toBe(0);
  });
});
