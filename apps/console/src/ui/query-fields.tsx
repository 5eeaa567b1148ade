import { useEffect, useRef, useState } from "preact/hooks";
import { href, route, setQuery } from "../router.ts";
import { Button, Field } from "./basics.tsx";

const typingMs = 350;

interface QueryTextProps {
  readonly name: string;
  readonly label: string;
  readonly maxLength?: number;
}

/** A field for a value of the page's address, which changes when its text has been typed. */
export const QueryText = ({ name, label, maxLength = 200 }: QueryTextProps) => {
  const given = route.value.query.get(name) ?? "";
  const [text, setText] = useState(given);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setText(given), [given]);
  // What is typed belongs to this page, not to the one that somebody has gone to since.
  useEffect(() => () => clearTimeout(timer.current), []);
  const set = (value: string): void => {
    clearTimeout(timer.current);
    if (value !== given) setQuery({ [name]: value });
  };
  return (
    <Field
      label={label}
      hidesLabel
      type="search"
      placeholder={label}
      value={text}
      maxLength={maxLength}
      onInput={(value) => {
        setText(value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => set(value), typingMs);
      }}
      onLeave={() => set(text)}
    />
  );
};

interface QueryChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
}

/** A choice for a value of the page's address. */
export const QueryChoice = ({ name, label, choices }: QueryChoiceProps) => (
  <Field
    label={label}
    hidesLabel
    value={route.value.query.get(name) ?? ""}
    choices={choices}
    onInput={(value) => setQuery({ [name]: value })}
  />
);

/** A value of the page's address that no field has, with what takes it away. Nothing if it is not there. */
export const QueryChip = ({ name, label = name, to }: { name: string; label?: string; to?: string }) => {
  const value = route.value.query.get(name);
  if (value === undefined) return null;
  const text = `${label} ${value}`;
  return (
    <span class="view">
      {to === undefined ? <span class="cut">{text}</span> : <a href={href(`${to}/${value}`)}>{text}</a>}
      <Button kind="quiet" label={`Any ${label}`} onPress={() => setQuery({ [name]: undefined })}>
        ×
      </Button>
    </span>
  );
};

/** Every one of these words, and none of them. */
export const anyOr = (none: string, words: readonly string[]) => [
  ["", none] as const,
  ...words.map((word) => [word, word] as const),
];

/** How far back a list goes. */
export const hourChoices: QueryChoiceProps["choices"] = [
  ["", "Any time"],
  ["1", "Last hour"],
  ["24", "Last day"],
  ["168", "Last week"],
];
