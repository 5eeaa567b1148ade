import { useState } from "preact/hooks";
import { eventTones } from "../states.ts";
import { Button, CodeBlock, Dialog, Empty, Field, notify, PageHead, Tag, Time } from "../ui/basics.tsx";
import { readJson } from "../ui/json-text.ts";
import { Table } from "../ui/table.tsx";
import { Tree } from "../ui/tree.tsx";

const sample =
  '{"id":9007199254740993,"amount":12.30,"name":"<script>alert(1)</script>","turned":"\\u202etxt.exe","list":[1,[],{}],"none":null}';
const states = Object.keys(eventTones);

/** Every component in every kind. Look here after you have changed one. */
export const Components = () => {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const node = readJson(sample);
  return (
    <>
      <PageHead
        title="Components"
        lead="Everything that the pages are made of."
        actions={<Button kind="main">Main</Button>}
      />
      <section>
        <h2>Buttons</h2>
        <div class="actions">
          <Button kind="main" onPress={() => notify("This is a notice.")}>
            Main: shows a notice
          </Button>
          <Button onPress={() => setOpen(true)}>Plain: opens a dialog</Button>
          <Button kind="danger" onPress={() => Promise.reject(new Error("This is a fault."))}>
            Danger: fails
          </Button>
          <Button kind="quiet">Quiet</Button>
          <Button disabled>Disabled</Button>
        </div>
        {open ? (
          <Dialog title="A dialog" onClose={() => setOpen(false)}>
            <p>Escape closes it, and the focus goes back.</p>
            <Button kind="main" onPress={() => setOpen(false)}>
              Close
            </Button>
          </Dialog>
        ) : null}
      </section>
      <section>
        <h2>Fields</h2>
        <div class="filters">
          <Field label="A text" hint="And a hint." value={text} onInput={setText} />
          <Field
            label="A choice"
            value="b"
            choices={[
              ["a", "First"],
              ["b", "Second"],
            ]}
            onInput={() => undefined}
          />
          <Field label="Lines" lines={2} value={text} onInput={setText} />
        </div>
      </section>
      <section>
        <h2>Tags</h2>
        <p class="actions">
          {states.map((state) => (
            <Tag key={state} state={state} />
          ))}
        </p>
      </section>
      <section>
        <h2>Table</h2>
        <Table
          caption="States"
          noun="state"
          rows={states}
          keyOf={(state) => state}
          hrefOf={(state) => `#/events?state=${state}`}
          columns={[
            { head: "State", cell: (state) => state },
            { head: "Tag", cell: (state) => <Tag state={state} /> },
            { head: "Letters", cell: (state) => state.length, isNumber: true },
            { head: "Time", cell: () => <Time at="2026-11-21T08:30:00.120Z" />, isNumber: true, isMinor: true },
          ]}
        />
      </section>
      <section>
        <h2>Code and tree</h2>
        <CodeBlock text={sample} />
        {node === undefined ? null : <Tree node={node} />}
      </section>
      <section>
        <h2>Empty</h2>
        <Empty title="There is nothing here.">
          <p>And this is how to change that.</p>
        </Empty>
      </section>
    </>
  );
};
