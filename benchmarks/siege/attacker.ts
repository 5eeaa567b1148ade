/**
 * The process that attacks. It gets the name of an attack and its field, reports when it is ready,
 * begins when it is told to, and sends its report.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { ServerFigures } from "./attack.ts";
import { attackNamed } from "./attacks.ts";
import { type FieldFacts, openField } from "./field.ts";
import { setPriorityOfThreads } from "./priority.ts";

export type Order = { readonly attack: string; readonly facts: FieldFacts };

/** Whether this process is scheduled in real time, so that its nice value says nothing. */
const isInRealTime = (): boolean => {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // The name in parentheses may hold blanks. Of what follows, the policy is the 39th field.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[38]) !== 0;
  } catch {
    return false;
  }
};

/**
 * On a machine of few cores the attack must not win by taking the processor from the server. A siege
 * that was started under `chrt` hands its real-time priority to all its processes; the attack gives it
 * up. It still comes before the other work of the machine, which would weaken it.
 */
const yieldToServer = (): void => {
  const besiegesInRealTime = isInRealTime();
  if (besiegesInRealTime) execFileSync("chrt", ["--other", "--all-tasks", "--pid", "0", String(process.pid)]);
  setPriorityOfThreads(process.pid, besiegesInRealTime ? -10 : 10);
};

yieldToServer();

/** What the attack can ask of the process that besieges, one request at a time. */
const ask = (wish: "end the server" | "inspect the server"): Promise<unknown> => {
  process.send?.(wish);
  return new Promise((resolve) => process.once("message", resolve));
};

const carryOut = async ({ attack, facts }: Order): Promise<void> => {
  const field = openField(facts, {
    endServer: async () => void (await ask("end the server")),
    // What the other side answers to this wish.
    inspect: () => ask("inspect the server") as Promise<ServerFigures>,
  });
  const report = await attackNamed(attack).run(field);
  field.close();
  process.send?.({ report });
  process.disconnect();
};

process.once("message", (order: Order) => void carryOut(order));
process.send?.("ready");
