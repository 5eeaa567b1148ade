import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ago, moment, visible } from "../format.ts";
import { awaySince, Problem } from "../problem.ts";
import { wayBack } from "../router.ts";
import { toneOf } from "../states.ts";

interface ButtonProps {
  readonly kind?: "main" | "plain" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  readonly disabled?: boolean;
  readonly label?: string;
  /** For one of several that exclude each other: whether it is the one. */
  readonly isOn?: boolean;
  readonly onPress?: () => unknown;
  readonly children: ComponentChildren;
}

/** A button that stays pressed while its work is under way. What the work throws becomes a notice. */
export const Button = ({ kind = "plain", type = "button", disabled, label, isOn, onPress, children }: ButtonProps) => {
  const [busy, setBusy] = useState(false);
  const press = async (): Promise<void> => {
    setBusy(true);
    try {
      await onPress?.();
    } catch (thrown) {
      notify(thrown instanceof Error ? thrown.message : String(thrown), "bad");
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type={type}
      class={`button ${kind}`}
      disabled={disabled === true || busy}
      aria-label={label}
      aria-pressed={isOn}
      onClick={onPress === undefined ? undefined : () => void press()}
    >
      {children}
    </button>
  );
};

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What is wrong with its value. */
  readonly fault?: string | undefined;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: "text" | "email" | "password" | "search" | "date" | "number";
  readonly choices?: readonly (readonly [value: string, text: string])[];
  readonly lines?: number;
  readonly required?: boolean;
  readonly autocomplete?: "name" | "username" | "current-password" | "new-password" | "one-time-code";
  readonly placeholder?: string;
  readonly hidesLabel?: boolean;
  /** Called when the field is left with another value. */
  readonly onLeave?: () => void;
  readonly minLength?: number;
  readonly maxLength?: number | undefined;
}

/** A labelled input, choice or text area. */
export const Field = ({
  label,
  hint,
  fault,
  value,
  onInput,
  choices,
  lines,
  hidesLabel = false,
  ...rest
}: FieldProps) => {
  const id = useId();
  const told = fault ?? hint;
  const shared = {
    id,
    value,
    required: rest.required === true,
    "aria-describedby": told === undefined ? undefined : `${id}-hint`,
    "aria-invalid": fault !== undefined,
  };
  const read = (event: { currentTarget: { value: string } }): void => onInput(event.currentTarget.value);
  const control = () => {
    if (choices !== undefined)
      return (
        <select {...shared} onChange={read}>
          {choices.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      );
    const { type = "text", autocomplete, placeholder, minLength, maxLength, onLeave } = rest;
    if (lines !== undefined)
      return (
        <textarea
          {...shared}
          {...{ placeholder, minLength, maxLength }}
          rows={lines}
          onInput={read}
          spellcheck={false}
        />
      );
    // The types of Preact are one for each kind of input.
    const kind = { type } as { type: "text" };
    return (
      <input
        {...shared}
        {...kind}
        {...{ autocomplete, placeholder, minLength, maxLength }}
        onInput={read}
        onChange={onLeave}
      />
    );
  };
  return (
    <div class="field">
      <label for={id} class={hidesLabel ? "unseen" : ""}>
        {label}
      </label>
      {control()}
      {told === undefined ? null : (
        <p id={`${id}-hint`} class={fault === undefined ? "hint" : "hint wrong"}>
          {told}
        </p>
      )}
    </div>
  );
};

/** Whose password a form asks for, for the browser, which keeps passwords by name. */
export const NameOfPassword = ({ name }: { readonly name: string }) => (
  <input type="text" autocomplete="username" value={name} readOnly hidden />
);

interface OwnPasswordProps {
  readonly email: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** Asks somebody who is signed in for the password again. */
export const OwnPassword = ({ email, value, onInput }: OwnPasswordProps) => (
  <>
    <NameOfPassword name={email} />
    <Field
      label="Your password"
      type="password"
      value={value}
      onInput={onInput}
      autocomplete="current-password"
      required
    />
  </>
);

/** A state in one word. Its dot repeats in colour what the word says. */
export const Tag = ({ state, children }: { readonly state: string; readonly children?: ComponentChildren }) => (
  <span class={`tag ${toneOf(state)}`}>{children ?? state}</span>
);

/** How long ago, or the moment itself with its zone; the other one stands in the tooltip. */
export const Time = ({ at, whole = false }: { readonly at: string | null | undefined; readonly whole?: boolean }) =>
  at == null ? (
    <span class="soft">–</span>
  ) : (
    <time dateTime={at} title={whole ? `${ago(at)} (${at})` : `${moment(at)} (${at})`}>
      {whole ? moment(at) : ago(at)}
    </time>
  );

interface Heading {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly back?: readonly [href: string, text: string];
}

/** A longer title is cut. */
const longestTitle = 140;

/** A title; of a long one the beginning, and the whole on demand. */
const Title = ({ text }: { readonly text: string }) => {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > longestTitle;
  return (
    <div class="title">
      <h1>{isLong && !isWhole ? `${text.slice(0, longestTitle).trimEnd()}…` : text}</h1>
      {isLong ? (
        <Button kind="quiet" onPress={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : "Show the whole title"}
        </Button>
      ) : null}
    </div>
  );
};

/** The top of a page. It also names the page in the browser. The way back leads to a list as it was left. */
export const PageHead = ({ title, lead, actions, back }: Heading) => {
  useEffect(() => {
    document.title = `${visible(title).slice(0, longestTitle)} · Postern`;
  }, [title]);
  return (
    <div class="page-head">
      <div>
        {back === undefined ? null : (
          <a class="back" {...wayBack(back[0])}>
            ← {back[1]}
          </a>
        )}
        <Title text={title} />
        {lead === undefined ? null : <p class="lead">{lead}</p>}
      </div>
      {actions === undefined ? null : <div class="actions">{actions}</div>}
    </div>
  );
};

interface NotReadProps {
  readonly fault: Error | undefined;
  readonly back: readonly [href: string, text: string];
}

/** What stands in place of a page while its thing is read, and where there is no such thing. */
export const NotRead = ({ fault, back }: NotReadProps) => {
  if (fault === undefined) return <p class="waiting">Loading…</p>;
  const isNothing = fault instanceof Problem && fault.status === 404;
  return (
    <>
      <PageHead title={isNothing ? "Nothing here" : "It cannot be shown"} back={back} />
      {isNothing ? <Empty title="Nothing has this id, or it has been deleted." /> : <Fault fault={fault} />}
    </>
  );
};

/** A sentence of the API, whose names stand between backticks. */
export const Sentence = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

/** What stands where there is nothing yet, and what to do about it. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

/** A fault of a request, in the words of the API. */
export const Fault = ({ fault }: { readonly fault: Error | undefined }) => {
  if (fault === undefined) return null;
  // The page says once that the server does not answer.
  if (awaySince.value !== undefined && !(fault instanceof Problem)) return null;
  const isForbidden = fault instanceof Problem && fault.status === 403;
  return (
    <div class={isForbidden ? "notice" : "notice bad"} role="alert">
      {fault.message}
    </div>
  );
};

/** Code or output with a button that copies it. */
export const CodeBlock = ({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) => {
  const [copied, setCopied] = useState(false);
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <Button
        kind="quiet"
        onPress={async () => {
          await navigator.clipboard.writeText(text);
          setCopied(true);
          setTimeout(() => setCopied(false), 1_500);
        }}
      >
        {copied ? "Copied" : label}
      </Button>
    </div>
  );
};

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Whether Escape leaves it open. */
  readonly stays?: boolean;
  readonly children: ComponentChildren;
}

/** A dialog in front of the page. Escape closes it, and the focus goes back where it was. */
export const Dialog = ({ title, onClose, stays = false, children }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onClose={onClose}
      onCancel={(event) => {
        if (stays) event.preventDefault();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
};

interface DialogWithFormProps extends DialogProps {
  /** What the button says that sends it. */
  readonly verb: string;
  readonly kind?: "main" | "danger";
  /** What the other button says. */
  readonly elseVerb?: string;
  /** What it throws stands above the fields. */
  readonly send: () => Promise<void>;
}

/** A dialog whose fields are sent together. */
export const DialogWithForm = ({
  title,
  verb,
  kind = "main",
  elseVerb = "Cancel",
  send,
  onClose,
  children,
}: DialogWithFormProps) => {
  const [fault, setFault] = useState<Error | undefined>();
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send().catch(setFault);
        }}
      >
        <Fault fault={fault} />
        {children}
        <div class="actions">
          <Button type="submit" kind={kind}>
            {verb}
          </Button>
          <Button onPress={onClose}>{elseVerb}</Button>
        </div>
      </form>
    </Dialog>
  );
};

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

const notices = signal<readonly Notice[]>([]);
let lastNotice = 0;

/** Says in a corner what has happened, for six seconds. */
export const notify = (text: string, tone: Notice["tone"] = "good"): void => {
  lastNotice += 1;
  const id = lastNotice;
  notices.value = [...notices.value.slice(-2), { id, text, tone }];
  setTimeout(() => {
    notices.value = notices.value.filter((one) => one.id !== id);
  }, 6_000);
};

export const Toasts = () => (
  <div class="toasts" role="status">
    {notices.value.map(({ id, text, tone }) => (
      <p key={id} class={`toast ${tone}`}>
        {text}
      </p>
    ))}
  </div>
);
