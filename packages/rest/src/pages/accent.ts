/** The backgrounds on which texts in the accent stand, the least favourable first: see `tokens.ts`. */
const light = "#f5f6f8";
const dark = "#1c2027";

/** The least contrast of texts (WCAG 2.2, 1.4.3). */
const least = 4.5;

const channelsOf = (colour: string): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** The contrast of two colours, from 1 to 21. */
export const contrast = (one: string, other: string): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

const steps = 64;

/** The colour, mixed with as much of `end`, black or white, as makes it readable on a background. */
const readable = (colour: string, background: string, end: 0 | 255): string => {
  const mixed = (part: number): string =>
    `#${channelsOf(colour)
      .map((channel) => Math.round(channel + ((end - channel) * part) / steps))
      .map((channel) => channel.toString(16).padStart(2, "0"))
      .join("")}`;
  const part = Array.from({ length: steps }, (_, index) => index).find(
    (index) => contrast(mixed(index), background) >= least,
  );
  return mixed(part ?? steps);
};

/** The accent of pages in the light and in the dark, from the colour of a product. */
export const accentOf = (colour: string): { readonly light: string; readonly dark: string } => ({
  light: readable(colour, light, 0),
  dark: readable(colour, dark, 255),
});
