import { useState } from "preact/hooks";
import type { Address, Method } from "../address.ts";
import { call } from "../api.ts";
import { type OpenApi, openApi, questionOf, useOpenApi } from "../openapi.ts";
import { Button, Dialog, notify } from "./basics.tsx";

interface Operation {
  readonly method: Method;
  readonly at: Address<unknown>;
}

/** What an operation asks, in its own words, where they stand beside its button. */
export const Question = ({ method, at }: Operation) => {
  const { data } = useOpenApi();
  return <>{data === undefined ? null : questionOf(data, method, at)}</>;
};

/** The document is read once, when the first question may have to be asked. */
let reading: Promise<OpenApi> | undefined;
const readOpenApi = (): Promise<OpenApi> => {
  reading ??= call("GET", openApi).catch((thrown: unknown) => {
    reading = undefined;
    throw thrown;
  });
  return reading;
};

interface AskingButtonProps extends Operation {
  readonly kind?: "main" | "plain" | "danger";
  readonly label?: string;
  readonly send: () => Promise<void>;
  readonly children: string;
}

/** A button of an operation. Before what cannot be undone, it asks what the operation asks. */
export const AskingButton = ({ method, at, send, ...shown }: AskingButtonProps) => {
  const [question, setQuestion] = useState<string | undefined>();
  const close = (): void => setQuestion(undefined);
  const press = async (): Promise<void> => {
    const asked = questionOf(await readOpenApi(), method, at);
    if (asked === undefined) await send();
    else setQuestion(asked);
  };
  // The first sentence is the question, the others say what follows.
  const [, title = "", more = ""] = /^([^?]*\?)\s*(.*)$/s.exec(question ?? "") ?? [];
  return (
    <>
      <Button {...shown} onPress={press} />
      {question === undefined ? null : (
        <Dialog title={title} onClose={close}>
          <p>{more}</p>
          <div class="actions">
            <Button kind="danger" onPress={() => send().finally(close)}>
              {shown.children}
            </Button>
            <Button onPress={close}>Leave it</Button>
          </div>
        </Dialog>
      )}
    </>
  );
};

export type Endable = Address<{ DELETE: { answer: unknown } }>;

interface EndButtonProps {
  readonly at: Endable;
  /** What is said when it has ended. */
  readonly said: string;
  readonly refresh: () => void;
}

/** Ends a credential. */
export const EndButton = ({ at, said, refresh }: EndButtonProps) => {
  const send = async (): Promise<void> => {
    await call("DELETE", at);
    notify(said);
    refresh();
  };
  return (
    <AskingButton kind="danger" method="DELETE" {...{ at, send }}>
      End
    </AskingButton>
  );
};
