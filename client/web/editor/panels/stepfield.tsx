// stepfield.tsx - a field for one positive number with its unit: snap steps.
import { useSignal } from "@preact/signals";

import type { Quantity } from "../units";
import { evaluate, shown } from "./expression";
import "./stepfield.css";

const SUFFIX: Record<Quantity, string> = { length: "m", angle: "°", factor: "×" };
/** What an arrow key adds. */
const STEP: Record<Quantity, number> = { length: 0.1, angle: (5 * Math.PI) / 180, factor: 0.1 };

interface Props {
  name: string;
  unit: Quantity;
  value: number;
  onValue: (value: number) => void;
}

export function StepField({ name, unit, value, onValue }: Props) {
  const typed = useSignal<string | null>(null);
  const accept = (next: number | null) => {
    typed.value = null;
    if (next !== null && next > 0 && next !== value) onValue(next);
  };
  const handleKey = (event: KeyboardEvent) => {
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    event.stopPropagation();
    if (event.key === "Enter") accept(typed.value === null ? null : evaluate(typed.value, unit));
    else if (event.key === "Escape") typed.value = null;
    else if (way !== undefined) {
      event.preventDefault();
      accept(Math.round((value + way * STEP[unit]) * 1e9) / 1e9);
    }
  };
  return (
    <span class="stepfield" data-tip={name}>
      <input
        class="input" inputMode="decimal" role="spinbutton" aria-label={name} aria-valuenow={value} aria-valuetext={`${shown(value, unit)} ${SUFFIX[unit]}`} autocomplete="off"
        value={typed.value ?? shown(value, unit)} onInput={(event) => (typed.value = event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()} onBlur={() => accept(typed.value === null ? null : evaluate(typed.value, unit))} onKeyDown={handleKey}
      />
      <span class="stepfield-unit">{SUFFIX[unit]}</span>
    </span>
  );
}
