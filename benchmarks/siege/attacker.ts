/** The process that attacks: gets the name of an attack and its field, reports when it is ready, begins when it is told, and sends its report. */
import { setPriority } from "node:os";
import { attackNamed } from "./attacks.ts";
import { type FieldFacts, openField } from "./field.ts";

export type Order = { readonly attack: string; readonly facts: FieldFacts };

// On a machine of few cores the attack must not win by taking the processor from the server.
setPriority(10);

const carryOut = async ({ attack, facts }: Order): Promise<void> => {
  const field = openField(facts, async () => {
    process.send?.("end the server");
    await new Promise((resolve) => process.once("message", resolve));
  });
  const report = await attackNamed(attack).run(field);
  field.close();
  process.send?.({ report });
  process.disconnect();
};

process.once("message", (order: Order) => void carryOut(order));
process.send?.("ready");
