import { options, type VNode } from "preact";
import { visible } from "./format.ts";

/** Attributes that a person reads or hears. */
const readAttributes = ["title", "aria-label", "placeholder"] as const;

const next = options.vnode;

/**
 * Spells out the invisible characters of every text that Preact puts into the page: senders, handlers and
 * people choose such texts. A page that forgot it could show a text that says something else.
 */
options.vnode = (vnode: VNode): void => {
  // A text has no type, and stands in place of the properties.
  const node: { readonly type: unknown; props: unknown } = vnode;
  if (node.type === null) {
    if (typeof node.props === "string") node.props = visible(node.props);
  } else if (typeof node.type === "string") {
    const props = vnode.props as Record<string, unknown>;
    for (const name of readAttributes) {
      const text = props[name];
      if (typeof text === "string") props[name] = visible(text);
    }
  }
  next?.(vnode);
};
