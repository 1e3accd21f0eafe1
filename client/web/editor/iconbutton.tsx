// iconbutton.tsx - a button that shows an icon only; its name is for screen readers and tooltips.
import { Icon, type IconName } from "./icons";

interface Props {
  icon: IconName;
  name: string;
  /** The tooltip, by default the name; false for none. */
  tip?: string | false;
  /** The shortcut that the tooltip shows. */
  keys?: string;
  /** The side of the button that the tooltip is aligned with. */
  side?: "start" | "end" | "right";
  class?: string;
  /** For a switch: whether it is on. */
  pressed?: boolean;
  disabled?: boolean;
  onClick: () => unknown;
}

export function IconButton(props: Props) {
  const { icon, name, tip = name, keys, side, class: more, pressed, disabled, onClick } = props;
  return (
    <button
      type="button"
      class={more ? `icon-button ${more}` : "icon-button"}
      aria-label={name}
      aria-pressed={pressed}
      data-tip={tip || undefined}
      data-keys={keys}
      data-side={side}
      disabled={disabled}
      onClick={() => void onClick()}
    >
      <Icon name={icon} />
    </button>
  );
}
