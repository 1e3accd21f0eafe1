// newscene.tsx - ways to start a scene on the start page: the sample scene, a glTF file, an empty
// scene.
import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";

import { type GizmodError, importScene, listScenes } from "../../sdk/index.js";
import { atServer, serverUrl } from "../serverurl";
import { Icon } from "../icons";
import { namedFiles, useDrop } from "./filedrop";
import { ACCEPTED, type NamedFile, oneFile } from "./gltffiles";
import { keepWarning, warningText } from "./importwarnings";
import { freeName, nameFault, toSceneName } from "./scenename";
import type { Join, WithUser } from "./startactions";

/**
 * The daemon makes this scene with --sample; otherwise the page makes it from a file that the
 * daemon serves.
 */
const SAMPLE = "robot-arm";

interface Upload {
  file: string;
  /** 0 to 1; 1 while the server reads the file. */
  part: number;
}

interface Props {
  /** Whether the sample scene is the main button of the page. */
  primary: boolean;
  /** Names of the existing scenes. */
  taken: readonly string[];
  withUser: WithUser;
  join: Join;
}

export function NewScene({ primary, taken, withUser, join }: Props) {
  const name = useSignal("");
  const fault = useSignal("");
  const upload = useSignal<Upload | null>(null);
  const over = useSignal(false);
  const take = async (files: readonly NamedFile[]) => {
    if (upload.peek()) return;
    try {
      const file = await oneFile(files);
      fault.value = (name.value && nameFault(name.value)) || "";
      if (fault.value === "")
        withUser(`Import ${file.name}`, (user) => void make(() => send(name.value, file, user)));
    } catch (error) {
      fault.value = (error as Error).message;
    }
  };
  /** @returns the name of the scene: this one, or if it is empty the file's with a number */
  const send = async (name: string, file: File, user: string) => {
    const progress = (part: number) => (upload.value = { file: file.name, part });
    progress(0);
    const scene = name || (await unusedName(file.name));
    const done = await importScene(scene, file, { ...atServer(), user, progress });
    keepWarning(scene, warningText(file.name, done));
    return scene;
  };
  /** Makes a scene and joins it, or shows why it cannot be made. */
  const make = async (run: () => Promise<string>) => {
    if (upload.peek()) return;
    try {
      join(await run());
    } catch (error) {
      fault.value = (error as Error).message;
    }
    upload.value = null;
  };
  const makeSample = async (user: string) => {
    const file = await fetchSample();
    await send(SAMPLE, file, user).catch((error: GizmodError) => {
      // Another page has made it in the meantime.
      if (error.code !== "conflict") throw error;
    });
    return SAMPLE;
  };
  useDrop(over, (files) => void take(files));
  const openSample = () => {
    if (taken.includes(SAMPLE)) join(SAMPLE);
    else withUser("Open sample scene", (user) => void make(() => makeSample(user)));
  };
  const create = () => {
    fault.value =
      (taken.includes(name.value)
        ? `A scene called ${name.value} already exists.`
        : nameFault(name.value)) ?? "";
    if (fault.value === "") join(name.value, true);
  };
  const { value: sent } = upload;
  return (
    <section class={`start-new${over.value ? " over" : ""}`} aria-labelledby="start-new">
      <h2 id="start-new">New scene</h2>
      <div class="start-ways">
        <button type="button" class={`button${primary ? " primary" : ""}`} onClick={openSample}>
          <Icon name="cube" />
          Open sample scene
        </button>
        <ImportButton take={(files) => void take(files)} />
        <CreateForm name={name} create={create} edited={() => (fault.value = "")} />
      </div>
      <p class="start-hint">
        {sent
          ? said(sent)
          : "You can also drop a .glb file, or a .gltf file with the files it needs, on this page."}
      </p>
      {sent && (
        <progress
          aria-label={`Uploading ${sent.file}`}
          max={1}
          value={sent.part < 1 ? sent.part : undefined}
        />
      )}
      <p class="start-fault" role="alert">
        {fault.value}
      </p>
    </section>
  );
}

/** The list that the page shows may be on its way, or older than a scene. */
async function unusedName(file: string): Promise<string> {
  const { base, ...more } = atServer();
  const scenes = await listScenes(base, more).catch(() => []);
  const taken = scenes.map(({ name }) => name);
  return freeName(toSceneName(file), taken);
}

async function fetchSample(): Promise<File> {
  const file = `${SAMPLE}.glb`;
  const response = await fetch(serverUrl() + file).catch(() => null);
  if (!response?.ok)
    throw new Error(
      response
        ? `The sample scene cannot be fetched: the server answers ${response.status}.`
        : "The sample scene cannot be fetched: the server cannot be reached.",
    );
  return new File([await response.blob()], file);
}

function ImportButton({ take }: { take: (files: readonly NamedFile[]) => void }) {
  const files = useRef<HTMLInputElement>(null);
  const chosen = (input: HTMLInputElement) => {
    if (input.files?.length) take(namedFiles(input.files));
    // So that the same file can be chosen again after it was repaired.
    input.value = "";
  };
  return (
    <>
      <button type="button" class="button" onClick={() => files.current?.click()}>
        <Icon name="upload" />
        Import file…
      </button>
      <input
        ref={files}
        type="file"
        accept={ACCEPTED}
        multiple
        hidden
        onChange={(event) => chosen(event.currentTarget)}
      />
    </>
  );
}

function CreateForm({
  name,
  create,
  edited,
}: {
  name: Signal<string>;
  create: () => void;
  edited: () => void;
}) {
  const submit = (event: Event) => {
    event.preventDefault();
    create();
  };
  return (
    <form class="start-make" onSubmit={submit}>
      <input
        class="input"
        aria-label="Name of the new scene"
        placeholder="my-scene"
        maxLength={64}
        value={name.value}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => {
          name.value = event.currentTarget.value;
          edited();
        }}
      />
      <button type="submit" class="button">
        Create empty scene
      </button>
    </form>
  );
}

function said({ file, part }: Upload): string {
  return part < 1 ? `Uploading ${file}: ${Math.floor(100 * part)} %` : `Processing ${file}…`;
}
