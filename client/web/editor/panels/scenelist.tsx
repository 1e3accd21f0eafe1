// scenelist.tsx - the scenes that the server has, on the start page: how large they are, when they changed, who is in them.
import type { SceneListing } from "../../sdk/types.js";
import { Icon } from "../icons";
import type { Join } from "./start";

interface Props {
  /** Null while they are not known. */
  scenes: readonly SceneListing[] | null;
  join: Join;
}

export function SceneList({ scenes, join }: Props) {
  return (
    <section aria-labelledby="start-scenes">
      <h2 id="start-scenes">Scenes</h2>
      {scenes?.length ? <Table scenes={scenes} join={join} /> : <p class="start-none">{scenes ? "No scenes yet. Open the sample scene, or import a file." : "Loading…"}</p>}
    </section>
  );
}

function Table({ scenes, join }: Props) {
  return (
    <table class="start-list">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" class="start-number">Nodes</th>
          <th scope="col">Last change</th>
          <th scope="col">People</th>
        </tr>
      </thead>
      <tbody>
        {scenes?.map((scene) => (
          <Row key={scene.name} scene={scene} join={join} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ scene: { name, nodes, changed, users }, join }: { scene: SceneListing; join: Join }) {
  return (
    <tr>
      <th scope="row">
        <button type="button" class="start-scene" onClick={() => join(name)}>
          {name}
        </button>
      </th>
      <td class="start-number">{nodes.toLocaleString("en")}</td>
      <td title={new Date(changed * 1000).toLocaleString("en-GB")}>{ago(changed)}</td>
      <td>
        {users > 0 && (
          <span class="chip start-here">
            <Icon name="people" />
            {users} here now
          </span>
        )}
      </td>
    </tr>
  );
}

const AGO: [number, Intl.RelativeTimeFormatUnit][] = [[60, "second"], [3600, "minute"], [86400, "hour"], [30 * 86400, "day"], [365 * 86400, "month"], [Infinity, "year"]];

function ago(time: number): string {
  const seconds = Math.max(0, Date.now() / 1000 - time);
  if (seconds < 60) return "just now";
  const i = AGO.findIndex(([limit]) => seconds < limit);
  return new Intl.RelativeTimeFormat("en").format(-Math.floor(seconds / AGO[i - 1][0]), AGO[i][1]);
}
