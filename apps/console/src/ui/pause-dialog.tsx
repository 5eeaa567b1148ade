import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { Button, Dialog, Field, notify } from "./basics.tsx";

interface Pausing {
  /** Such as `the queue mail`. */
  readonly what: string;
  /** The operation that pauses it. */
  readonly path: string;
  /** What goes on meanwhile, and what does not. */
  readonly meaning: string;
  readonly onClose: () => void;
}

/** Asks why something is paused, and pauses it. */
export const PauseDialog = ({ what, path, meaning, onClose }: Pausing) => {
  const [note, setNote] = useState("");
  return (
    <Dialog title={`Pause ${what}`} onClose={onClose}>
      <p>{meaning}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void call("POST", path, note === "" ? {} : { note }).then(
            () => {
              notify(`You have paused ${what}.`);
              onClose();
            },
            (thrown: Error) => notify(thrown.message, "bad"),
          );
        }}
      >
        <Field label="Why, for others" value={note} onInput={setNote} maxLength={500} />
        <div class="actions">
          <Button type="submit" kind="danger">
            Pause
          </Button>
          <Button onPress={onClose}>Let it run</Button>
        </div>
      </form>
    </Dialog>
  );
};
