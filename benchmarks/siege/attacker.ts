/** The process that attacks: gets the name of an attack and its field, reports when it is ready, begins when it is told, and sends its report. */
import { setPriority } from "node:os";
import type { ServerFigures } from "./attack.ts";
import { attackNamed } from "./attacks.ts";
import { type FieldFacts, openField } from "./field.ts";

export type Order = { readonly attack: string; readonly facts: FieldFacts };

// On a machine of few cores the attack must not win by taking the processor from the server.
setPriority(10);

/** What the process that besieges can be asked for; one at a time. */
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
