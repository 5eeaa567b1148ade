import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count, counted, visible } from "../format.ts";
import { Button } from "./basics.tsx";
import { type JsonNode, textOf } from "./json-text.ts";

/** How many members show at once, and how much of a text. The rest shows when it is asked for. */
const membersAtOnce = 100;
const textAtOnce = 2_000;

const LongText = ({ text }: { readonly text: string }) => {
  const [shown, setShown] = useState(textAtOnce);
  return (
    <>
      {text.slice(0, shown)}
      {text.length > shown ? (
        <Button kind="quiet" onPress={() => setShown(shown * 20)}>
          … {counted(text.length - shown, "more character")}
        </Button>
      ) : null}
    </>
  );
};

const Leaf = ({ node }: { readonly node: Extract<JsonNode, { readonly raw: string }> }) =>
  node.kind === "string" ? (
    <span class="json-string">
      "<LongText text={visible(textOf(node.raw))} />"
    </span>
  ) : (
    <span class={`json-${node.kind}`}>{node.raw}</span>
  );

interface BranchProps {
  readonly name: ComponentChildren;
  readonly node: JsonNode;
  readonly depth: number;
}

const Branch = ({ name, node, depth }: BranchProps) => {
  const entries: readonly (readonly [string, JsonNode])[] =
    node.kind === "object"
      ? node.members
      : node.kind === "array"
        ? node.items.map((item, at) => [String(at), item] as const)
        : [];
  const [open, setOpen] = useState(depth < 2 || entries.length <= 3);
  const [most, setMost] = useState(membersAtOnce);
  if (node.kind !== "object" && node.kind !== "array") {
    return (
      <div class="json-line">
        {name}
        <Leaf node={node} />
      </div>
    );
  }
  if (entries.length === 0) {
    return (
      <div class="json-line">
        {name}
        <span class="json-size">{node.kind === "array" ? "[ ]" : "{ }"}</span>
      </div>
    );
  }
  const size = counted(entries.length, node.kind === "array" ? "item" : "member");
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name}
        <span class="json-size">
          {node.kind === "array" ? "[ ]" : "{ }"} {size}
        </span>
      </summary>
      {open
        ? entries
            .slice(0, most)
            .map(([key, value], at) => (
              <Branch
                key={at}
                name={<span class="json-key">{node.kind === "object" ? visible(textOf(key)) : key}</span>}
                node={value}
                depth={depth + 1}
              />
            ))
        : null}
      {open && entries.length > most ? (
        <Button kind="quiet" onPress={() => setMost(most * 10)}>
          {count(entries.length - most)} more
        </Button>
      ) : null}
    </details>
  );
};

/** A JSON value as a tree. Everything in it is text. */
export const Tree = ({ node }: { readonly node: JsonNode }) => (
  <div class="tree">
    <Branch name={null} node={node} depth={0} />
  </div>
);
