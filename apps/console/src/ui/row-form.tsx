import { useState } from "preact/hooks";
import type { Member } from "../openapi.ts";
import { Problem } from "../problem.ts";
import { Button, Field } from "./basics.tsx";

export type Row = Readonly<Record<string, unknown>>;

/** The value of a member as a form shows it. */
export const textOf = ({ kind }: Member, value: unknown): string => {
  if (value == null) return "";
  if (kind === "words" && Array.isArray(value)) return value.join(", ");
  return kind === "json" ? JSON.stringify(value, null, 2) : String(value);
};

const fromText = ({ kind, isNullable }: Member, text: string): unknown => {
  if (text === "" && (isNullable || kind === "number" || kind === "json")) return null;
  if (kind === "number") return Number(text);
  if (kind === "words") return text.split(",").flatMap((word) => word.trim() || []);
  if (kind === "boolean") return text === "true";
  return kind === "json" ? JSON.parse(text) : text;
};

const choicesOf = ({ kind, choices, isNullable, isRequired }: Member, value: string) => {
  if (kind !== "choice" && kind !== "boolean") return undefined;
  const texts = kind === "boolean" ? ["true", "false"] : choices;
  const none = isNullable || !isRequired || value === "" ? [["", "–"] as const] : [];
  return [...none, ...texts.map((text) => [text, text] as const)];
};

const proseLines = 6;

interface RowFormProps {
  readonly members: readonly Member[];
  /** What is there now; empty for a new row. */
  readonly row: Row;
  readonly verb: string;
  /** Gets the members that somebody has changed. */
  readonly onSave: (changed: Row) => Promise<void>;
  readonly onCancel: () => void;
}

/** What the API says of a member, and how to write it. */
const hintOf = ({ kind, description }: Member): string => {
  if (kind === "time") return `${description} Such as 2026-11-30T12:00:00Z.`;
  return kind === "words" ? `${description} Commas stand between them.` : description;
};

/** A form for the members of a row. What the API says of a member stands below it. */
export const RowForm = ({ members, row, verb, onSave, onCancel }: RowFormProps) => {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [whole, setWhole] = useState("");
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    const changed: Record<string, unknown> = {};
    for (const member of members) {
      const text = texts[member.name];
      if (text === undefined || text === textOf(member, row[member.name])) continue;
      try {
        changed[member.name] = fromText(member, text);
      } catch {
        return setFaults({ [member.name]: "This is no JSON." });
      }
    }
    setFaults({});
    setWhole("");
    try {
      await onSave(changed);
    } catch (thrown) {
      const wrong = thrown instanceof Problem ? thrown.wrong : [];
      const named = wrong.flatMap(({ pointer, detail = "" }) => {
        const name = pointer?.split("/")[1] ?? "";
        return members.some((member) => member.name === name) ? [[name, detail] as const] : [];
      });
      setFaults(Object.fromEntries(named));
      if (named.length === 0) setWhole(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <form
      class="row-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setBusy(true);
        void save().finally(() => setBusy(false));
      }}
    >
      {whole === "" ? null : (
        <p class="notice bad" role="alert">
          {whole}
        </p>
      )}
      {members.map((member) => {
        const { name, kind, maxLength, isRequired } = member;
        const value = texts[name] ?? textOf(member, row[name]);
        const choices = choicesOf(member, value);
        return (
          <Field
            key={name}
            label={name}
            hint={hintOf(member)}
            fault={faults[name]}
            value={value}
            onInput={(text) => setTexts((before) => ({ ...before, [name]: text }))}
            type={kind === "date" || kind === "number" ? kind : "text"}
            required={isRequired}
            maxLength={maxLength}
            {...(choices === undefined ? {} : { choices })}
            {...(kind === "prose" || kind === "json" ? { lines: proseLines } : {})}
          />
        );
      })}
      <div class="actions">
        <Button type="submit" kind="main" disabled={busy}>
          {verb}
        </Button>
        <Button onPress={onCancel}>Cancel</Button>
      </div>
    </form>
  );
};
