/** What a path leads to, and the values of its parameters. */
export interface Found<One> {
  readonly endpoint: One;
  readonly params: Readonly<Record<string, string>>;
}

/** One segment of a path: where its literal continuations and its parameter lead. */
interface Node<One> {
  readonly literals: Map<string, Node<One>>;
  parameter: Node<One> | undefined;
  /** What stands at this path, and the names of its parameters in order. */
  end: { readonly endpoint: One; readonly names: readonly string[] } | undefined;
}

const emptyNode = <One>(): Node<One> => ({ literals: new Map(), parameter: undefined, end: undefined });

/**
 * Finds paths by their segments, in as many steps as a path has segments. Strict: letter case and
 * slashes count. If two paths fit, the one that spells the earlier segment out is taken
 * (`/sessions/refresh` before `/sessions/{id}`). A parameter is one whole segment and never empty.
 */
export const createRouter = <One extends { readonly path: string }>(endpoints: readonly One[]) => {
  const root = emptyNode<One>();
  for (const endpoint of endpoints) {
    const names: string[] = [];
    let node = root;
    for (const segment of segmentsOf(endpoint.path)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) {
        const next = node.literals.get(segment) ?? emptyNode<One>();
        node.literals.set(segment, next);
        node = next;
      } else {
        names.push(name);
        node.parameter ??= emptyNode<One>();
        node = node.parameter;
      }
    }
    node.end = { endpoint, names };
  }

  const search = (path: string): Found<One> | undefined => {
    const values: string[] = [];
    const end = path.startsWith("/") ? follow(root, path, 1, values) : undefined;
    if (end === undefined) return undefined;
    const params: Record<string, string> = {};
    for (let index = 0; index < end.names.length; index += 1) params[end.names[index] ?? ""] = values[index] ?? "";
    return { endpoint: end.endpoint, params };
  };

  // A sender's webhooks all go to one path: not searching for it again saves 0.2 kB for each.
  let lastPath = "";
  let last: Found<One> | undefined;
  return (path: string): Found<One> | undefined => {
    if (path !== lastPath) {
      last = search(path);
      lastPath = path;
    }
    return last;
  };
};

/**
 * Continues from a node with the segment that begins at `from`, and adds the values of parameters
 * to `values`.
 */
const follow = <One>(node: Node<One>, path: string, from: number, values: string[]): Node<One>["end"] => {
  if (from > path.length) return node.end;
  const slash = path.indexOf("/", from);
  const to = slash === -1 ? path.length : slash;
  const segment = path.slice(from, to);
  const literal = node.literals.get(segment);
  const spelledOut = literal === undefined ? undefined : follow(literal, path, to + 1, values);
  if (spelledOut !== undefined || node.parameter === undefined || segment === "") return spelledOut;
  values.push(segment);
  const found = follow(node.parameter, path, to + 1, values);
  if (found === undefined) values.pop();
  return found;
};

const segmentsOf = (path: string): readonly string[] => path.slice(1).split("/");
