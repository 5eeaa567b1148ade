import { useEffect, useRef, useState } from "preact/hooks";
import { route, setQuery } from "../router.ts";
import { Field } from "./basics.tsx";

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
        timer.current = setTimeout(() => setQuery({ [name]: value }), typingMs);
      }}
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
