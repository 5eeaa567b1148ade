import { createInterface } from "node:readline";
import { builtInResources } from "@postern/app";
import { createKnexStorage, type KnexStorage } from "../../src/index.ts";
import { invoice, invoiceRow } from "./invoices.ts";

/**
 * Another process under the old declaration. `open <url>` opens a database; `go` inserts rows as
 * fast as it can and prints the number of each acknowledged one, until one is refused; `stop` ends
 * that and says `stopped`.
 */
const say = (line: string | number): void => void process.stdout.write(`${line}\n`);
let opened: KnexStorage | undefined;
let going: Promise<void> | undefined;
let stopped = false;

const insertAll = async ({ storage }: KnexStorage): Promise<void> => {
  for (let n = 1; !stopped; n += 1) {
    try {
      await storage.resources.insert(invoice, invoiceRow(n));
    } catch {
      return;
    }
    say(n);
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  const [command, url = ""] = line.split(" ");
  if (command === "open") {
    opened = createKnexStorage({ url, resources: [...builtInResources, invoice], connections: 1 });
    await opened.storage.check();
    stopped = false;
    say("ready");
  } else if (command === "go" && opened !== undefined) {
    going = insertAll(opened);
  } else if (command === "stop") {
    stopped = true;
    await going;
    await opened?.close();
    say("stopped");
  }
}
