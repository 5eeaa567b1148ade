/** The numbers of RFC 3492, section 5. */
const base = 36;
const least = 1;
const most = 26;
const skew = 38;
const damp = 700;
const firstBias = 72;
const firstCode = 0x80;

const digitOf = (value: number): string => String.fromCharCode(value < 26 ? 0x61 + value : 0x30 + value - 26);

const adapted = (difference: number, points: number, isFirst: boolean): number => {
  let delta = Math.floor(difference / (isFirst ? damp : 2));
  delta += Math.floor(delta / points);
  let steps = 0;
  while (delta > ((base - least) * most) / 2) {
    delta = Math.floor(delta / (base - least));
    steps += base;
  }
  return steps + Math.floor(((base - least + 1) * delta) / (delta + skew));
};

/** A number with as many digits as it needs, where the limit of each depends on the bias. */
const digitsOf = (value: number, bias: number): string => {
  let text = "";
  let rest = value;
  for (let place = base; ; place += base) {
    const limit = Math.min(most, Math.max(least, place - bias));
    if (rest < limit) return text + digitOf(rest);
    text += digitOf(limit + ((rest - limit) % (base - limit)));
    rest = Math.floor((rest - limit) / (base - limit));
  }
};

/** One label of a domain in Punycode (RFC 3492), without `xn--`. */
const punycode = (label: string): string => {
  const codes = Array.from(label, (character) => character.codePointAt(0) ?? 0);
  const plain = codes.filter((code) => code < firstCode);
  let text = String.fromCharCode(...plain) + (plain.length === 0 ? "" : "-");
  let done = plain.length;
  let bias = firstBias;
  let delta = 0;
  for (let code = firstCode; done < codes.length; code += 1) {
    const next = Math.min(...codes.filter((one) => one >= code));
    delta += (next - code) * (done + 1);
    code = next;
    for (const one of codes) {
      if (one < code) delta += 1;
      if (one !== code) continue;
      text += digitsOf(delta, bias);
      bias = adapted(delta, done + 1, done === plain.length);
      delta = 0;
      done += 1;
    }
    delta += 1;
  }
  return text;
};

/** A domain in lower case, with ASCII letters only: `münchen.de` is `xn--mnchen-3ya.de`. */
export const asciiDomain = (domain: string): string =>
  domain
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFC")
    .split(/[.\u3002]/)
    .map((label) => (/^[\0-\x7f]*$/.test(label) ? label : `xn--${punycode(label)}`))
    .join(".");
