// menu.tsx - a button with a menu, and a menu at a point: arrow keys, first letters and Escape work
// as in ARIA's menu pattern.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { Icon, type IconName } from "../icons";
import { writtenBy } from "../input/chord";
import "./menu.css";

export interface MenuItem {
  label: string;
  icon?: IconName;
  /** The shortcut that is shown. */
  keys?: string;
  /** For one of a group of choices: whether it is the current one. */
  checked?: boolean;
  /** For a switch: whether it is on. */
  on?: boolean;
  /** The item cannot be chosen now. */
  disabled?: boolean;
  /** If the item cannot be chosen: why, in words. */
  why?: string;
  danger?: boolean;
  /** A separator is drawn above the item. */
  line?: boolean;
  /** The address of a link, in place of `run`. */
  href?: string;
  /** The name of the file to save, if `href` is a download. */
  download?: string;
  run?: () => void;
}

interface ButtonProps {
  name: string;
  items: () => MenuItem[];
  class?: string;
  tip?: string;
  side?: "start" | "end";
  /** The menu opens above the button. */
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
    // If every item is disabled the first one gets the focus, because an open menu takes the keys.
    (
      element.querySelector<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])") ??
      element.querySelector<HTMLElement>("[role^=menuitem]")
    )?.focus();
    addEventListener("resize", stay);
    return () => removeEventListener("resize", stay);
  }, []);
  useEffect(() => {
    const away = (event: PointerEvent) => {
      // The button that opened the menu also closes it.
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
    "aria-description": item.disabled ? item.why : undefined,
    title: item.disabled ? item.why : undefined,
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
  } else {
    const letter = writtenBy(event)?.trim().toLowerCase();
    const begins = (item: HTMLElement) =>
      letter && item.textContent?.trim().toLowerCase().startsWith(letter);
    [...items.slice(at + 1), ...items].find(begins)?.focus();
  }
}

/** Moves the menu as far as needed to fit into the window. */
function keepInside(element: HTMLElement, { x, y, side, above }: Place): void {
  const { width, height } = element.getBoundingClientRect();
  const left = side === "end" ? x - width : x;
  element.style.left = `${Math.max(6, Math.min(left, innerWidth - width - 6))}px`;
  const top = above ? y - height : y;
  element.style.top = `${Math.max(6, Math.min(top, innerHeight - height - 6))}px`;
}
