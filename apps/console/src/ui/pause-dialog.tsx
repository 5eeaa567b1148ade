import { useState } from "preact/hooks";
import type { Address } from "../address.ts";
import { call } from "../api.ts";
import { DialogWithForm, Field, notify } from "./basics.tsx";

interface Pausing {
  /** Such as `the queue mail`. */
  readonly what: string;
  /** The operation that pauses it. */
  readonly path: Address<{ POST: { answer: unknown; body: { note?: string } } }>;
  /** What goes on meanwhile, and what does not. */
  readonly meaning: string;
  readonly onClose: () => void;
}

/** Asks why something is paused, and pauses it. */
export const PauseDialog = ({ what, path, meaning, onClose }: Pausing) => {
  const [note, setNote] = useState("");
  const send = async (): Promise<void> => {
    await call("POST", path, note === "" ? {} : { note });
    notify(`You have paused ${what}.`);
    onClose();
  };
  return (
    <DialogWithForm title={`Pause ${what}`} verb="Pause" kind="danger" elseVerb="Let it run" {...{ send, onClose }}>
      <p>{meaning}</p>
      <Field label="Why, for others" value={note} onInput={setNote} maxLength={500} />
    </DialogWithForm>
  );
};
