// expression.ts - what people type for a number: "1.5+0.2", "30mm", "1/3 turn", "(2+3)*4". Lengths come out in metres, angles in radians.

export type Quantity = "length" | "angle" | "factor";

/** How large the units are, in metres and radians. The first is the one that a bare number is in. */
const UNITS: Record<Quantity, Record<string, number>> = {
  length: { m: 1, mm: 1e-3, cm: 1e-2, dm: 0.1, km: 1e3, um: 1e-6, "µm": 1e-6, "in": 0.0254, "\"": 0.0254, ft: 0.3048, "'": 0.3048 },
  angle: { "°": Math.PI / 180, deg: Math.PI / 180, rad: 1, turn: 2 * Math.PI },
  factor: { "": 1, x: 1, "%": 0.01 },
};

const TOKEN = /\s*(?:(\d+(?:[.,]\d*)?(?:e[+-]?\d+)?|[.,]\d+(?:e[+-]?\d+)?)|([-+*/()])|([a-zµ°"'%]+))/giy;

/** What a text amounts to; null where it is not a number, or none that is finite. */
export function evaluate(text: string, quantity: Quantity): number | null {
  const tokens = tokenise(text);
  if (!tokens || tokens.length === 0) return null;
  const reader = new Reader(tokens, UNITS[quantity]);
  const value = reader.sum();
  return reader.done && Number.isFinite(value) ? value : null;
}

type Token = { number: number } | { sign: string } | { word: string };

function tokenise(text: string): Token[] | null {
  const tokens: Token[] = [];
  const trimmed = text.trim().replace(/\u2212/g, "-");
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const match = TOKEN.exec(trimmed);
    if (!match) return null;
    const [, number, sign, word] = match;
    if (number !== undefined) tokens.push({ number: Number(number.replace(",", ".")) });
    else tokens.push(sign !== undefined ? { sign } : { word: word.toLowerCase() });
  }
  return tokens;
}

/** Sums of products of values in brackets or with a unit. NaN where the text breaks off. */
class Reader {
  #at = 0;

  constructor(
    readonly tokens: Token[],
    readonly units: Record<string, number>,
  ) {}

  get done(): boolean {
    return this.#at === this.tokens.length;
  }

  sum(): number {
    let value = this.#product();
    for (;;) {
      if (this.#takes("+")) value.size += this.#term(value);
      else if (this.#takes("-")) value.size -= this.#term(value);
      else return value.plain ? value.size * this.#bare : value.size;
    }
  }

  get #bare(): number {
    return Object.values(this.units)[0];
  }

  /** The next product, in the terms of `value`: with a unit on one side a bare number on the other is in the bare unit. */
  #term(value: Value): number {
    const next = this.#product();
    if (value.plain === next.plain) return next.size;
    if (next.plain) return next.size * this.#bare;
    value.size *= this.#bare;
    value.plain = false;
    return next.size;
  }

  #product(): Value {
    const value = this.#signed();
    for (;;) {
      const times = this.#takes("*");
      if (!times && !this.#takes("/")) return value;
      const next = this.#signed();
      // Only one of the factors may have a unit.
      if (!next.plain && (!value.plain || !times)) return { size: NaN, plain: false };
      value.size = times ? value.size * next.size : value.size / next.size;
      value.plain = value.plain && next.plain;
    }
  }

  #signed(): Value {
    if (this.#takes("+")) return this.#signed();
    if (!this.#takes("-")) return this.#value();
    const value = this.#signed();
    return { ...value, size: -value.size };
  }

  #value(): Value {
    const token = this.tokens[this.#at++];
    if (token && "number" in token) return this.#withUnit(token.number);
    if (!token || !("sign" in token) || token.sign !== "(") return { size: NaN, plain: true };
    const inside = this.sum();
    return this.#takes(")") ? { size: inside / this.#bare, plain: true } : { size: NaN, plain: true };
  }

  #withUnit(number: number): Value {
    const next = this.tokens[this.#at];
    if (!next || !("word" in next)) return { size: number, plain: true };
    this.#at++;
    return { size: number * (this.units[next.word] ?? NaN), plain: false };
  }

  #takes(sign: string): boolean {
    const token = this.tokens[this.#at];
    if (!token || !("sign" in token) || token.sign !== sign) return false;
    this.#at++;
    return true;
  }
}

interface Value {
  size: number;
  /** Without a unit so far. */
  plain: boolean;
}

/** A number as a field shows it: metres, degrees or a factor, no more digits than mean something. */
export function shown(value: number, quantity: Quantity): string {
  const number = quantity === "angle" ? (value * 180) / Math.PI : value;
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-5 || size >= 1e9)) return number.toExponential(4).replace(/\.?0+e/, "e").replace("e+", "e");
  const digits = quantity === "angle" ? 3 : size < 0.1 ? 6 : 4;
  const text = number.toFixed(digits).replace(/\.?0+$/, "");
  return text === "-0" ? "0" : text;
}
