// gltfuris.ts - finds the URIs of buffers and images in the bytes of a glTF, and replaces some. The
// rest of the file stays as it is, byte by byte: numbers that JavaScript cannot hold among them.

export interface FoundUri {
  list: "buffers" | "images";
  uri: string;
  /** Of its JSON text with the quotes, in the file. */
  start: number;
  end: number;
}

interface JsonPart {
  start: number;
  end: number;
  /** In a .glb; the JSON is then the first chunk. */
  binary: boolean;
}

const HEADER = 12;
const CHUNK_HEADER = 8;
const TOKEN = /"(?:[^"\\]|\\[^])*"|[{}[\],:]|[^\s{}[\],:"]+/g;

function jsonPart(bytes: Uint8Array): JsonPart | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const binary = bytes.length >= 4 && view.getUint32(0, true) === 0x46546c67;
  if (!binary) return { start: 0, end: bytes.length, binary };
  const start = HEADER + CHUNK_HEADER;
  if (bytes.length < start || view.getUint32(HEADER + 4, true) !== 0x4e4f534a) return null;
  const end = start + view.getUint32(HEADER, true);
  return end <= bytes.length ? { start, end, binary } : null;
}

/** An open list or object: the name of the member, or the index of the element, that comes next. */
interface Level {
  list: boolean;
  key: string;
  index: number;
}

/** The last `uri` of each element of `buffers` and `images`, as other readers of JSON take them. */
export function findUris(bytes: Uint8Array): FoundUri[] {
  const part = jsonPart(bytes);
  if (!part) return [];
  // A byte is one letter, so that places in the text are places in the bytes.
  const text = new TextDecoder("latin1").decode(bytes.subarray(part.start, part.end));
  const utf8 = new TextDecoder();
  const read = (start: number, end: number): string => {
    const token = utf8.decode(bytes.subarray(part.start + start, part.start + end));
    return JSON.parse(token) as string;
  };
  const found = new Map<string, FoundUri>();
  const levels: Level[] = [];
  let isKey = false;
  for (const { 0: token, index: at } of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === "{" || token === "[") {
      levels.push({ list: token === "[", key: "", index: 0 });
      isKey = token === "{";
      if (levels.length === 2) forget(found, level?.key);
    } else if (token === "}" || token === "]") {
      levels.pop();
      isKey = false;
    } else if (token === ",") {
      if (level) level.index++;
      isKey = level !== undefined && !level.list;
    } else if (token[0] === '"' && isKey && level) {
      level.key = read(at, at + token.length);
      isKey = false;
    } else if (token[0] === '"' && levels.length === 3 && level?.key === "uri") {
      const list = levels[0].key;
      if ((list !== "buffers" && list !== "images") || !levels[1].list || level.list) continue;
      const end = at + token.length;
      const one = { list, uri: read(at, end), start: part.start + at, end: part.start + end };
      found.set(`${list} ${levels[1].index}`, one as FoundUri);
    }
  }
  return [...found.values()];
}

/** A list that comes a second time takes the place of the first. */
function forget(found: Map<string, FoundUri>, list: string | undefined): void {
  for (const key of found.keys()) if (key.split(" ")[0] === list) found.delete(key);
}

/** The parts of the file with these URIs (by their JSON texts) in place of what was found. */
export function replaceUris(
  bytes: Uint8Array<ArrayBuffer>,
  changes: readonly { at: FoundUri; text: string }[],
): BlobPart[] {
  const part = jsonPart(bytes);
  if (!part) return [bytes];
  const parts: BlobPart[] = [];
  let from = part.start,
    size = 0;
  const add = (piece: Uint8Array<ArrayBuffer> | string) => {
    parts.push(piece);
    size += piece.length;
  };
  for (const { at, text } of [...changes].sort((a, b) => a.at.start - b.at.start)) {
    add(bytes.subarray(from, at.start));
    add(text);
    from = at.end;
  }
  add(bytes.subarray(from, part.end));
  if (!part.binary) return parts;
  const blanks = " ".repeat((4 - (size % 4)) % 4);
  const header = new DataView(new ArrayBuffer(part.start));
  new Uint8Array(header.buffer).set(bytes.subarray(0, part.start));
  // What stands behind the length that the header says is no chunk.
  const rest = bytes.subarray(part.end, Math.max(part.end, header.getUint32(8, true)));
  header.setUint32(8, part.start + size + blanks.length + rest.length, true);
  header.setUint32(HEADER, size + blanks.length, true);
  return [header.buffer, ...parts, blanks, rest];
}
