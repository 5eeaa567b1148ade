/** What a path leads to, and the values of its parameters. */
export interface Found<Place> {
  readonly place: Place;
  readonly params: Readonly<Record<string, string>>;
}

/** One segment of a path: where its literal continuations and its parameter lead. */
interface Node<Place> {
  readonly literals: Map<string, Node<Place>>;
  parameter: Node<Place> | undefined;
  /** What stands at this path, and the names of its parameters in order. */
  end: { readonly place: Place; readonly names: readonly string[] } | undefined;
}

const emptyNode = <Place>(): Node<Place> => ({ literals: new Map(), parameter: undefined, end: undefined });

/**
 * Finds paths by their segments, in as many steps as a path has segments. Strict: letter case and slashes
 * count. Where two paths fit, the one that spells the earlier segment out is taken
 * (`/sessions/refresh` before `/sessions/{id}`). A parameter is one whole segment and never empty.
 */
export const createRouter = <Place extends { readonly path: string }>(places: readonly Place[]) => {
  const root = emptyNode<Place>();
  for (const place of places) {
    const names: string[] = [];
    let node = root;
    for (const segment of segmentsOf(place.path)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) {
        const next = node.literals.get(segment) ?? emptyNode<Place>();
        node.literals.set(segment, next);
        node = next;
      } else {
        names.push(name);
        node.parameter ??= emptyNode<Place>();
        node = node.parameter;
      }
    }
    node.end = { place, names };
  }

  return (path: string): Found<Place> | undefined => {
    const segments = segmentsOf(path);
    const values: string[] = [];

    const follow = (node: Node<Place>, at: number): Node<Place>["end"] => {
      const segment = segments[at];
      if (segment === undefined) return node.end;
      const literal = node.literals.get(segment);
      const spelledOut = literal === undefined ? undefined : follow(literal, at + 1);
      if (spelledOut !== undefined || node.parameter === undefined || segment === "") return spelledOut;
      values.push(segment);
      const found = follow(node.parameter, at + 1);
      if (found === undefined) values.pop();
      return found;
    };

    const end = path.startsWith("/") ? follow(root, 0) : undefined;
    if (end === undefined) return undefined;
    const params: Record<string, string> = {};
    end.names.forEach((name, index) => {
      params[name] = values[index] ?? "";
    });
    return { place: end.place, params };
  };
};

const segmentsOf = (path: string): readonly string[] => path.slice(1).split("/");
