import { useMemo, useState } from "preact/hooks";
import { type Answer, api } from "../address.ts";
import { useLive } from "../api.ts";
import { count, counted, visible } from "../format.ts";
import { href } from "../router.ts";
import { Button, CodeBlock, Fault, Time } from "../ui/basics.tsx";
import { readJson } from "../ui/json-text.ts";
import { Tree } from "../ui/tree.tsx";

/** What is otherwise than in the last event of the same sender and type that was processed. */
const Difference = ({ id }: { readonly id: string }) => {
  const { data, fault } = useLive(api("/admin/events/{id}/difference", { id }));
  if (data === undefined) return fault === undefined ? <p class="waiting">Loading…</p> : <Fault fault={fault} />;
  const { against, changes, complete } = data;
  if (against === null) return <p>No event of this type was processed before it.</p>;
  return (
    <>
      <p>
        Beside <a href={href(`/events/${against.event_id}`)}>event {against.event_id}</a>, received{" "}
        <Time at={against.received_at} />
        {changes.length === 0 ? ": nothing is different." : ":"}
      </p>
      <ul class="plain changes">
        {changes.map(({ path, before, after }) => (
          <li key={path}>
            <code>{visible(path) || "the whole payload"}</code>
            {before === null ? null : <del>{visible(before)}</del>}
            {after === null ? null : <ins>{visible(after)}</ins>}
          </li>
        ))}
      </ul>
      {complete ? null : <p class="soft">There are more differences than these {count(changes.length)}.</p>}
    </>
  );
};

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Saves bytes as a file. The browser shows none of it, whatever it holds. */
const download = (name: string, bytes: Uint8Array<ArrayBuffer>): void => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};

/** The longest text that is shown without being asked for. */
const textAtOnce = 20_000;

/** The bytes as they came: a tree if they are JSON, and always the text. */
export const Payload = ({ event }: { readonly event: Answer<"/admin/events/{id}"> }) => {
  const bytes = useMemo(() => bytesOf(event.body_base64), [event.body_base64]);
  const text = useMemo(() => new TextDecoder().decode(bytes), [bytes]);
  const tree = useMemo(() => readJson(text), [text]);
  const [view, setView] = useState<"tree" | "text" | "difference">(tree === undefined ? "text" : "tree");
  const [shown, setShown] = useState(textAtOnce);
  if (event.masked) return <p class="soft">Your role does not see payloads.</p>;
  if (!event.body_kept) return <p class="soft">The body was deleted when its retention was over.</p>;
  return (
    <>
      <div class="switch">
        {tree === undefined
          ? null
          : (["tree", "text", "difference"] as const).map((one) => (
              <Button
                key={one}
                kind={view === one ? "plain" : "quiet"}
                isOn={view === one}
                onPress={() => setView(one)}
              >
                {{ tree: "Tree", text: "As received", difference: "Beside the last good one" }[one]}
              </Button>
            ))}
        <span class="soft number">
          {counted(bytes.length, "byte")}{" "}
          <Button
            kind="quiet"
            onPress={() => download(`event-${event.id}.${tree === undefined ? "bin" : "json"}`, bytes)}
          >
            Download
          </Button>
        </span>
      </div>
      {view === "difference" ? (
        <Difference id={event.id} />
      ) : view === "text" || tree === undefined ? (
        <>
          <CodeBlock text={visible(text.slice(0, shown))} />
          {text.length > shown ? (
            <Button onPress={() => setShown(text.length)}>Show all {counted(text.length, "character")}</Button>
          ) : null}
        </>
      ) : (
        <Tree node={tree} />
      )}
    </>
  );
};
