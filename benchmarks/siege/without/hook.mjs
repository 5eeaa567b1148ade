// A hook of Node's loader: it gives a module in place of another, but never to the replacement itself.
let replacements = [];

export const initialize = (data) => {
  replacements = data;
};

export const resolve = async (specifier, context, next) => {
  const found = await next(specifier, context);
  const parent = context.parentURL ?? "";
  if (parent.includes("/siege/without/")) return found;
  const { pathname } = new URL(found.url);
  const one = replacements.find(({ file, from = "" }) => pathname.endsWith(file) && parent.includes(from));
  return one === undefined ? found : { ...found, url: new URL(one.by, import.meta.url).href };
};
