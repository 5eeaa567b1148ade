import type { OptionRules } from "@postern/core";
import { emailPattern, option, optionFaults, required } from "@postern/core/internal";

/** How an application presents itself to its customers: in documents, on pages and in mails. */
export interface Product {
  /** Its name, one line of at most 60 characters: `Invoices Ltd`. */
  readonly title: string;
  /** What it is, in at most 500 characters. The documentation begins with it. */
  readonly description?: string;
  /** Whom customers ask. At most 100 characters of a name; an address; a URL that begins with https:// */
  readonly contact?: { readonly name?: string; readonly email?: string; readonly url?: string };
  /**
   * An image in SVG, as its text, of at most 32 KiB. Pages show it beside the title. It is served from
   * `/api/assets/logo.svg`, and nothing in it is run.
   */
  readonly logo?: string;
  /**
   * The colour of links and buttons, such as `#0b57c4`. Pages make it darker, or lighter in the dark,
   * until texts in it have a contrast of 4.5 (WCAG 2.2, 1.4.3).
   */
  readonly accent?: string;
}

/** What documents and pages say. */
export interface ProductInForce extends Product {
  /** The name of the API: the title, and `API` unless the title ends with it. */
  readonly api: string;
  readonly summary?: string;
  readonly license?: { readonly name: string; readonly identifier: string };
  /** The realm of challenges (RFC 9110, section 11.5). */
  readonly realm: string;
  /** The authority in the ids of feeds, which stay the same wherever the server runs. */
  readonly tag: string;
}

/** A server without an application. */
export const bareProduct: ProductInForce = {
  title: "Postern",
  api: "Postern API",
  summary: "A REST API and a webhook inbox.",
  contact: { name: "Postern", url: "https://github.com/postern/postern" },
  license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  realm: "postern",
  tag: "postern",
};

/** A product as documents and pages say it. */
export const productInForce = (product: Product | undefined): ProductInForce => {
  if (product === undefined) return bareProduct;
  const { title } = product;
  return {
    ...product,
    api: /\bAPI$/i.test(title) ? title : `${title} API`,
    // A quoted text of a header.
    realm: /^[ !#-[\]-~]+$/.test(title) ? title : "api",
    tag: "api",
  };
};

const oneLine = (most: number) => ({
  is: (value: unknown) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    typeof value === "string" && value.trim() !== "" && value.length <= most && !/[\u0000-\u001f\u007f]/.test(value),
  says: `one line of at most ${most} characters`,
});

const rules: OptionRules = {
  title: required(oneLine(60)),
  description: {
    is: (value) => typeof value === "string" && value.trim() !== "" && value.length <= 500,
    says: "a text of at most 500 characters",
  },
  contact: option.anObject,
  logo: {
    is: (value) =>
      typeof value === "string" && value.length <= 32 * 1024 && /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/.test(value),
    says: "the text of an SVG image, at most 32 KiB, that begins with <svg",
    // The text is long.
    secret: true,
  },
  accent: { is: (value) => /^#[0-9a-f]{6}$/i.test(String(value)), says: "a colour such as #0b57c4" },
};

const contactRules: OptionRules = {
  name: oneLine(100),
  email: {
    is: (value) => typeof value === "string" && new RegExp(emailPattern).test(value),
    says: "an address such as help@example.com",
  },
  url: {
    is: (value) => typeof value === "string" && value.length <= 2_048 && /^https:\/\/[^\s/]+\S*$/.test(value),
    says: "a URL that begins with https://",
  },
};

/** What is wrong with a product. */
export const productFaults = (product: unknown): readonly string[] => [
  ...optionFaults("product", product, rules),
  ...(option.anObject.is(Object(product).contact)
    ? optionFaults("product.contact", Object(product).contact, contactRules)
    : []),
];
