// menu.tsx - a button with a menu below it, and a menu at a point: arrow keys, first letters, Escape, as in ARIA's menu pattern.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { Icon, type IconName } from "../icons";
import "./menu.css";

export interface MenuItem {
  label: string;
  icon?: IconName;
  /** A shortcut, to be shown. */
  keys?: string;
  /** One of a group of choices: whether it is the one. */
  checked?: boolean;
  /** A switch by itself: whether it is on. */
  on?: boolean;
  /** It cannot be chosen now. */
  disabled?: boolean;
  danger?: boolean;
  /** A line above it. */
  line?: boolean;
  /** Where it leads, rather than `run`. */
  href?: string;
  /** `href` is a file to keep. */
  download?: string;
  run?: () => void;
}

interface ButtonProps {
  name: string;
  items: () => MenuItem[];
  class?: string;
  tip?: string;
  side?: "start" | "end";
  /** The menu stands above the button. */
  above?: boolean;
  children: ComponentChildren;
}

export function MenuButton({
  name,
  items,
  class: look = "icon-button",
  tip,
  side = "start",
  above,
  children,
}: ButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const place = () => {
    const box = button.current?.getBoundingClientRect() ?? new DOMRect();
    return {
      x: side === "start" ? box.left : box.right,
      y: above ? box.top - 4 : box.bottom + 4,
      side,
      above,
    };
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={look}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={open}
        data-tip={tip}
        data-side={side}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children}
      </button>
      {open && <Menu name={name} items={items()} place={place()} onClose={close} />}
    </>
  );
}

interface Place {
  x: number;
  y: number;
  side?: "start" | "end";
  above?: boolean;
}

export function Menu({
  name,
  items,
  place,
  onClose,
}: {
  name: string;
  items: MenuItem[];
  place: Place;
  onClose: () => void;
}) {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = menu.current as HTMLDivElement;
    const stay = () => keepInside(element, place);
    stay();
    // One of those that cannot be chosen, where there are no others: keys are the menu's as long as it is open.
    (
      element.querySelector<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])") ??
      element.querySelector<HTMLElement>("[role^=menuitem]")
    )?.focus();
    addEventListener("resize", stay);
    return () => removeEventListener("resize", stay);
  }, []);
  useEffect(() => {
    const away = (event: PointerEvent) => {
      // The button that opened it closes it by itself.
      const inside =
        menu.current?.contains(event.target as Node) ||
        (event.target as Element).closest("[aria-haspopup=menu][aria-expanded=true]");
      if (!inside) onClose();
    };
    addEventListener("pointerdown", away, true);
    addEventListener("blur", onClose);
    return () => {
      removeEventListener("pointerdown", away, true);
      removeEventListener("blur", onClose);
    };
  }, []);
  return (
    <div
      ref={menu}
      class="menu"
      role="menu"
      aria-label={name}
      onKeyDown={(event) => handleKey(event, onClose)}
      onContextMenu={(event) => event.preventDefault()}
    >
      {items.map((item) => (
        <>
          {item.line && <hr />}
          <Item key={item.label} item={item} onClose={onClose} />
        </>
      ))}
    </div>
  );
}

function Item({ item, onClose }: { item: MenuItem; onClose: () => void }) {
  const choose = () => {
    if (item.disabled) return;
    onClose();
    item.run?.();
  };
  const props = {
    role: roleOf(item),
    class: `menu-item${item.danger ? " danger" : ""}`,
    tabIndex: -1,
    "aria-checked": item.checked ?? item.on,
    "aria-disabled": item.disabled,
  };
  const inside = (
    <>
      {item.checked || item.on ? (
        <Icon name="check" />
      ) : item.icon ? (
        <Icon name={item.icon} />
      ) : (
        <span class="icon" />
      )}
      <span class="menu-label">{item.label}</span>
      {item.keys && <kbd>{item.keys}</kbd>}
    </>
  );
  if (item.href && !item.disabled) {
    return (
      <a {...props} href={item.href} download={item.download} onClick={onClose}>
        {inside}
      </a>
    );
  }
  return (
    <button type="button" {...props} onClick={choose}>
      {inside}
    </button>
  );
}

function roleOf({ checked, on }: MenuItem) {
  if (on !== undefined) return "menuitemcheckbox" as const;
  return checked === undefined ? ("menuitem" as const) : ("menuitemradio" as const);
}

function handleKey(event: KeyboardEvent, onClose: () => void): void {
  const menu = event.currentTarget as HTMLElement;
  const items = [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  event.stopPropagation();
  if (event.key === "Escape" || event.key === "Tab") {
    event.preventDefault();
    onClose();
  } else if (to !== undefined) {
    event.preventDefault();
    items.at(to % items.length)?.focus();
  } else if (event.key.length === 1 && event.key !== " ") {
    const begins = (item: HTMLElement) =>
      item.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase());
    [...items.slice(at + 1), ...items].find(begins)?.focus();
  }
}

/** The menu stands at its place, moved as far as the window needs. */
function keepInside(element: HTMLElement, { x, y, side, above }: Place): void {
  const { width, height } = element.getBoundingClientRect();
  const left = side === "end" ? x - width : x;
  element.style.left = `${Math.max(6, Math.min(left, innerWidth - width - 6))}px`;
  element.style.top = `${Math.max(6, Math.min(above ? y - height : y, innerHeight - height - 6))}px`;
}
