// inspector.tsx - shows and edits the transform of the selection in numbers: metres, degrees and
// factors, relative to the parent.
import { type Signal, useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";

import type { EulerOrder, Id } from "../../sdk/types.js";
import { useEditor } from "../context";
import type { Editor } from "../editor";
import { Icon } from "../icons";
import { IconButton } from "../iconbutton";
import { keep, recall } from "../storage";
import { BARE_UNIT } from "../units";
import { nameAll, renameNode } from "./nodeactions";
import { EulerMemory } from "./eulermemory";
import { copyTransform, pasteTransform } from "./clipboard";
import { MenuButton, type MenuItem } from "./menu";
import { type CellProps, NumberCell } from "./numbercell";
import { type Field, QUANTITY, resetField } from "./transform";
import { nameOf } from "./treerows";
import "./inspector.css";

const ORDERS: EulerOrder[] = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"];
const ORDER_KEY = "gizmod.order";
const ROWS: { field: Field; name: string }[] = [
  { field: "t", name: "Translation" },
  { field: "r", name: "Rotation" },
  { field: "s", name: "Scale" },
];

export function Inspector() {
  const editor = useEditor();
  const order = useSignal<EulerOrder>(ORDERS.find((one) => one === recall(ORDER_KEY)) ?? "XYZ");
  const memories = useMemo(
    () => new Map(ORDERS.map((one) => [one, new EulerMemory(one)])),
    [editor],
  );
  const angles = useComputed(() => memories.get(order.value) as EulerMemory);
  const uniform = useSignal(false);
  const ids = editor.selection.value;
  const held = editor.holder.value;
  const holder = editor.people.peek().find(({ session }) => session === held);
  const locked = !editor.editable.value || holder !== undefined;
  return (
    <section class="panel fields" aria-label="Transform">
      <h2 class="panel-title">
        Transform
        <span class="grow" />
        <MenuButton
          name="Transform menu"
          tip="Copy, paste, reset"
          side="end"
          items={() => fieldsMenu(editor, ids, locked)}
        >
          <Icon name="more" />
        </MenuButton>
      </h2>
      {ids.length === 0 ? (
        <p class="fields-none">Nothing is selected.</p>
      ) : (
        <div class="fields-body">
          <Name ids={ids} locked={locked} />
          {holder && (
            <p class="fields-held" style={{ "--colour": holder.colour }}>
              <Icon name="lock" />
              Held by {editor.names.value.get(holder.session) ?? holder.user}
            </p>
          )}
          {ROWS.map(({ field, name }) => (
            <div key={field} class="fields-row" role="group" aria-label={name}>
              <div class="fields-label">
                {name} <span class="fields-unit">{BARE_UNIT[QUANTITY[field]]}</span>
              </div>
              {field === "r" && <Order order={order} />}
              {field === "s" && <Proportions uniform={uniform} locked={locked} />}
              <Cells
                field={field}
                angles={angles}
                uniform={field === "s" && uniform.value}
                locked={locked}
              />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

function Cells(props: Omit<CellProps, "axis">) {
  return (
    <div class="fields-cells">
      {[0, 1, 2].map((axis) => (
        <NumberCell key={axis} axis={axis} {...props} />
      ))}
    </div>
  );
}

function Order({ order }: { order: Signal<EulerOrder> }) {
  const choose = (chosen: EulerOrder) => {
    order.value = chosen;
    keep(ORDER_KEY, chosen);
  };
  return (
    <select
      class="select fields-order"
      aria-label="Euler order"
      title="Order in which the angles are applied"
      value={order.value}
      onChange={(event) => choose(event.currentTarget.value as EulerOrder)}
    >
      {ORDERS.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

function Proportions({ uniform, locked }: { uniform: Signal<boolean>; locked: boolean }) {
  return (
    <IconButton
      icon="link"
      name="Keep proportions"
      side="end"
      class="fields-uniform"
      pressed={uniform.value}
      disabled={locked}
      onClick={() => (uniform.value = !uniform.value)}
    />
  );
}

function Name({ ids, locked }: { ids: readonly Id[]; locked: boolean }) {
  const editor = useEditor();
  const typed = useSignal<string | null>(null);
  const one = ids.length === 1;
  const name = useComputed(() => {
    editor.structure.value;
    return editor.scene.value.get(editor.selection.value[0])?.name ?? "";
  });
  const accept = async () => {
    const entry = typed.peek();
    if (entry !== null && one) await renameNode(editor, ids[0], entry);
    if (typed.peek() === entry) typed.value = null;
  };
  return (
    <input
      class="input fields-name"
      aria-label="Name"
      maxLength={256}
      readOnly={locked || !one}
      placeholder={one ? nameOf(editor.scene.value, ids[0]) : undefined}
      value={typed.value ?? (one ? name.value : nameAll(editor, ids))}
      onInput={(event) => (typed.value = event.currentTarget.value)}
      onBlur={() => void accept()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape") typed.value = null;
        if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}

function fieldsMenu(editor: Editor, ids: readonly Id[], locked: boolean): MenuItem[] {
  const none = ids.length === 0;
  const reset = (field: Field) => void editor.try(() => editor.session.set(resetField(ids, field)));
  return [
    {
      label: "Copy transform",
      icon: "copy",
      disabled: none,
      run: () => void copyTransform(editor),
    },
    {
      label: "Paste transform",
      icon: "paste",
      disabled: none || locked,
      run: () => void pasteTransform(editor),
    },
    ...ROWS.map(
      ({ field, name }, i): MenuItem => ({
        label: `Reset ${name.toLowerCase()}`,
        icon: "reset",
        line: i === 0,
        disabled: none || locked,
        run: () => reset(field),
      }),
    ),
  ];
}
