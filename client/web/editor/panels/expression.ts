// expression.ts - evaluates what a person types for a number: "1.5+0.2", "30mm", "1/3 turn",
// "(2+3)*4". Results are in metres, radians or a factor. A number without a unit is in metres,
// degrees or a factor.

import { BARE_UNIT, type Quantity, inBare, inBase, unitSize } from "../units";

const TOKEN =
  /\s*(?:(\d+(?:[.,]\d*)?(?:e[+-]?\d+)?|[.,]\d+(?:e[+-]?\d+)?)|([-+*/()])|([a-zµ°"'%]+))/giy;

/**
 * A number in the text that some read as thousands and others as a part of one: a comma is a
 * decimal point, but "1,500" is one and a half only for some. Undefined if there is none.
 */
export function unclearIn(text: string): string | undefined {
  return /(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])/.exec(text)?.[0];
}

/** The value of a text; null if it is not a finite number, or if it is unclear which one. */
export function evaluate(text: string, quantity: Quantity): number | null {
  if (unclearIn(text) !== undefined) return null;
  const tokens = tokenise(text);
  if (!tokens || tokens.length === 0) return null;
  const reader = new Reader(tokens, quantity, unitSize(quantity, BARE_UNIT[quantity]) ?? NaN);
  const value = reader.total();
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

/** A number and the size of its unit; null if it has none. */
interface Value {
  number: number;
  unit: number | null;
}

const NONE: Value = { number: NaN, unit: null };

/**
 * Parses sums of products of numbers, brackets and units. The result is NaN if the text is
 * incomplete or means nothing, such as metres times metres.
 */
class Reader {
  #at = 0;

  constructor(
    readonly tokens: Token[],
    readonly quantity: Quantity,
    /** The size of the unit that a bare number has. */
    readonly bare: number,
  ) {}

  get done(): boolean {
    return this.#at === this.tokens.length;
  }

  /** The value in metres, radians or as a factor. */
  total(): number {
    return this.#size(this.#sum());
  }

  #size({ number, unit }: Value): number {
    return inBase(number, unit ?? this.bare);
  }

  #sum(): Value {
    let value = this.#product();
    for (;;) {
      const plus = this.#takes("+");
      if (!plus && !this.#takes("-")) return value;
      const next = this.#product();
      const sign = plus ? 1 : -1;
      if (value.unit === null && next.unit === null)
        value = { number: value.number + sign * next.number, unit: null };
      else value = { number: this.#size(value) + sign * this.#size(next), unit: 1 };
    }
  }

  /**
   * At most one factor of a product has a unit, which is then the unit of the product: 1/3 turn is
   * a third of a turn.
   */
  #product(): Value {
    let value = this.#signed();
    for (;;) {
      const times = this.#takes("*");
      if (!times && !this.#takes("/")) return value;
      const next = this.#signed();
      if (value.unit !== null && next.unit !== null) return NONE;
      value = {
        number: times ? value.number * next.number : value.number / next.number,
        unit: value.unit ?? next.unit,
      };
    }
  }

  #signed(): Value {
    if (this.#takes("+")) return this.#signed();
    if (!this.#takes("-")) return this.#value();
    const { number, unit } = this.#signed();
    return { number: -number, unit };
  }

  #value(): Value {
    const token = this.tokens[this.#at++];
    let value = NONE;
    if (token && "number" in token) value = { number: token.number, unit: null };
    else if (token && "sign" in token && token.sign === "(") {
      value = this.#sum();
      if (!this.#takes(")")) return NONE;
    }
    return this.#withUnit(value);
  }

  #withUnit(value: Value): Value {
    const next = this.tokens[this.#at];
    if (!next || !("word" in next)) return value;
    this.#at++;
    return value.unit === null
      ? { number: value.number, unit: unitSize(this.quantity, next.word) ?? NaN }
      : NONE;
  }

  #takes(sign: string): boolean {
    const token = this.tokens[this.#at];
    if (!token || !("sign" in token) || token.sign !== sign) return false;
    this.#at++;
    return true;
  }
}

/** Formats a value in at most so many characters, for a field that is not being edited. */
export function compact(value: number, quantity: Quantity, chars: number): string {
  const text = shown(value, quantity);
  if (text.length <= chars) return text;
  const number = inBare(value, quantity);
  const digits =
    chars - String(Math.trunc(number)).length - 1 - (number < 0 && number > -1 ? 1 : 0);
  const rounded = number.toFixed(Math.max(0, digits));
  if (rounded.length <= chars && Math.abs(number) >= 1e-3) return rounded;
  for (let digits = 4; ; digits--) {
    const power = number
      .toExponential(digits)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
    if (power.length <= chars || digits === 0) return power;
  }
}

/** The least number of decimals of a length: millimetres. */
const LENGTH_DIGITS = 3;

/** Formats a value without its unit: six significant digits; three decimals for degrees. */
export function shown(value: number, quantity: Quantity): string {
  const number = inBare(value, quantity);
  const size = Math.abs(number);
  // Rounding noise around 0 is shown as 0.
  if (size < (quantity === "angle" ? 1e-6 : 1e-9)) return "0";
  if (size < 1e-5 || size >= 1e9)
    return number
      .toExponential(4)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  const digits =
    quantity === "angle"
      ? 3
      : Math.max(
          quantity === "length" ? LENGTH_DIGITS : 0,
          Math.min(5, 5 - Math.floor(Math.log10(size))),
        );
  const text = number
    .toFixed(digits)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
  return text === "-0" ? "0" : text;
}
