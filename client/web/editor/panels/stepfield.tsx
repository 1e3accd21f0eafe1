// stepfield.tsx - a field for one positive number with its unit, such as a snap step.
import { useSignal } from "@preact/signals";

import { roundAbove, roundBelow } from "../input/round";
import { BARE_UNIT, type Quantity } from "../units";
import { evaluate, shown } from "./expression";
import "./stepfield.css";

/**
 * The step of an arrow key. A length, which may have any magnitude, goes to the next round number.
 */
const STEP = { angle: (5 * Math.PI) / 180, factor: 0.1 };

function stepped(value: number, quantity: Quantity, way: number): number {
  if (quantity === "length") return way > 0 ? roundAbove(value * 1.001) : roundBelow(value * 0.999);
  return Math.round((value + way * STEP[quantity]) * 1e9) / 1e9;
}

interface Props {
  name: string;
  /** The tooltip, if it says more than the name. */
  tip?: string;
  quantity: Quantity;
  value: number;
  onValue: (value: number) => void;
  /** Called if the field is left empty, if that has a meaning. */
  onEmpty?: () => void;
}

export function StepField({ name, tip, quantity, value, onValue, onEmpty }: Props) {
  const unit = BARE_UNIT[quantity];
  const text = shown(value, quantity);
  const typed = useSignal<string | null>(null);
  // Called even with the same number: a snap distance that follows the zoom then becomes fixed.
  const accept = (next: number | null) => {
    typed.value = null;
    if (next !== null && next > 0) onValue(next);
  };
  const take = () => {
    if (typed.value?.trim() === "" && onEmpty) onEmpty();
    accept(typed.value === null ? null : evaluate(typed.value, quantity));
  };
  const handleKey = (event: KeyboardEvent) => {
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    event.stopPropagation();
    if (event.key === "Enter") take();
    else if (event.key === "Escape") typed.value = null;
    else if (way !== undefined) {
      event.preventDefault();
      accept(stepped(value, quantity, way));
    }
  };
  return (
    <span class="stepfield" data-tip={tip ?? name}>
      <input
        class="input"
        inputMode="decimal"
        role="spinbutton"
        aria-label={name}
        aria-valuenow={value}
        aria-valuetext={`${text} ${unit}`}
        autocomplete="off"
        value={typed.value ?? text}
        onInput={(event) => (typed.value = event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={take}
        onKeyDown={handleKey}
      />
      <span class="stepfield-unit">{unit}</span>
    </span>
  );
}
