import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type MetricsServer, startMetricsServer } from "../src/metrics-server.ts";
import { sharedReading } from "../src/shared-reading.ts";

describe("a reading of the metrics", () => {
  const scene = () => {
    const time = { ms: 0 };
    const readings: { end(text: string): void; fail(): void }[] = [];
    const ask = sharedReading(
      () =>
        new Promise((resolve, reject) => {
          readings.push({ end: resolve, fail: () => reject(new Error("no reading")) });
        }),
      () => time.ms,
    );
    return { time, readings, ask };
  };

  test("is shared by all who ask while it is made, however long that takes, and for one second more", async () => {
    const { time, readings, ask } = scene();
    const asked = [ask(), ask()];
    time.ms = 5_000;
    asked.push(ask());
    expect(readings).toHaveLength(1);
    readings[0]?.end("first");
    expect(await Promise.all(asked)).toEqual(["first", "first", "first"]);
    const second = ask();
    expect(readings).toHaveLength(2);
    readings[1]?.end("second");
    await second;
    time.ms += 999;
    expect(await ask()).toBe("second");
    time.ms += 1;
    void ask();
    expect(readings).toHaveLength(3);
  });

  test("that failed is made again for the next caller", async () => {
    const { readings, ask } = scene();
    const failed = ask();
    readings[0]?.fail();
    await expect(failed).rejects.toThrow("no reading");
    const next = ask();
    readings[1]?.end("second");
    expect(await next).toBe("second");
  });
});

describe("the metrics' port", () => {
  let server: MetricsServer | undefined;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server?.close();
  });

  const scene = async (read: () => Promise<string> = async () => "up 1\n") => {
    server = await startMetricsServer({ port: 0, host: "127.0.0.1" }, read, undefined, () => 0);
    const { url } = server;
    const open = async (localAddress = "127.0.0.1"): Promise<Socket> => {
      const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", localAddress });
      sockets.push(socket);
      socket.on("error", () => undefined);
      await once(socket, "connect");
      return socket;
    };
    return { url, open };
  };

  test("makes one reading for many readers at once, and gives each connection one answer", async () => {
    let readings = 0;
    const { url } = await scene(async () => {
      readings += 1;
      return "up 1\n";
    });
    const answers = await Promise.all(Array.from({ length: 15 }, () => fetch(url)));
    expect(new Set(answers.map(({ headers }) => headers.get("connection")))).toEqual(new Set(["close"]));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text())))).toEqual(new Set(["up 1\n"]));
    expect(readings).toBe(1);
  });

  test("answers 503 if no reading can be made", async () => {
    const { url } = await scene(() => Promise.reject(new Error("no reading")));
    expect((await fetch(url)).status).toBe(503);
  });

  test("cuts the oldest connection of an address that has more than 20, and lets others in", async () => {
    const { url, open } = await scene();
    const other = await open("127.0.0.2");
    const oldest = await open();
    const cut = once(oldest, "close");
    for (let opened = 1; opened <= 20; opened += 1) await open();
    await cut;
    expect(other.destroyed).toBe(false);
    expect(await (await fetch(url)).text()).toBe("up 1\n");
  });

  test("cuts a connection that sends requests without waiting for answers", async () => {
    const { open } = await scene(() => new Promise(() => undefined));
    const greedy = await open();
    const cut = once(greedy, "close");
    greedy.resume();
    greedy.write("GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n".repeat(50));
    await cut;
  });
});
