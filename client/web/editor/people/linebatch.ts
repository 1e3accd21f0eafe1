// linebatch.ts - draws the lines of all people in one draw call: cameras and pointer rays in the
// person's colour, and a faint quad for the picture of each camera. Points are stored relative to a
// point near the eye, so that they are exact even far from the world's origin.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  MeshBasicMaterial,
  Vector3,
} from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";

const LINE_PX = 1.6;
const SHEET_OPACITY = 0.16;
const SEGMENTS_MIN = 64;

/** Two points for each segment, three for each triangle; each with a colour. */
class Points {
  positions: Float32Array;
  colours: Float32Array;
  count = 0;

  constructor(readonly size: number) {
    this.positions = new Float32Array(3 * size);
    this.colours = new Float32Array(3 * size);
  }

  put(point: Vector3, anchor: Vector3, colour: Color): void {
    const at = 3 * this.count++;
    this.positions[at] = point.x - anchor.x;
    this.positions[at + 1] = point.y - anchor.y;
    this.positions[at + 2] = point.z - anchor.z;
    this.colours[at] = colour.r;
    this.colours[at + 1] = colour.g;
    this.colours[at + 2] = colour.b;
  }
}

export class LineBatch extends Group {
  #lines: LineSegments2;
  #sheets: Mesh<BufferGeometry, MeshBasicMaterial>;
  #linePoints = new Points(2 * SEGMENTS_MIN);
  #sheetPoints = new Points(6);
  #buffers: InstancedInterleavedBuffer[] = [];

  constructor() {
    super();
    const material = new LineMaterial({ linewidth: LINE_PX, vertexColors: true });
    this.#lines = new LineSegments2(new LineSegmentsGeometry(), material);
    const sheet = new MeshBasicMaterial({
      vertexColors: true,
      transparent: true,
      opacity: SHEET_OPACITY,
      depthWrite: false,
      side: DoubleSide,
    });
    this.#sheets = new Mesh(new BufferGeometry(), sheet);
    this.#lines.frustumCulled = this.#sheets.frustumCulled = false;
    this.add(this.#lines, this.#sheets);
    this.#allocate(SEGMENTS_MIN, 1);
  }

  /**
   * Begins a new picture with at most so many segments and quads.
   * @param origin a point of the world that the stored points are relative to
   */
  begin(anchor: Vector3, segments: number, sheets: number): void {
    if (2 * segments > this.#linePoints.size || 6 * sheets > this.#sheetPoints.size)
      this.#allocate(2 * segments, 2 * sheets);
    this.#linePoints.count = this.#sheetPoints.count = 0;
    this.position.copy(anchor);
  }

  segment(a: Vector3, b: Vector3, colour: Color): void {
    this.#linePoints.put(a, this.position, colour);
    this.#linePoints.put(b, this.position, colour);
  }

  /** @param corners in order around the quad */
  sheet(corners: readonly Vector3[], colour: Color): void {
    for (const corner of [0, 1, 2, 0, 2, 3])
      this.#sheetPoints.put(corners[corner], this.position, colour);
  }

  end(): void {
    for (const buffer of this.#buffers) buffer.needsUpdate = true;
    this.#lines.geometry.instanceCount = this.#linePoints.count / 2;
    this.#lines.visible = this.#linePoints.count > 0;
    const { geometry } = this.#sheets;
    geometry.attributes.position.needsUpdate = geometry.attributes.color.needsUpdate = true;
    geometry.setDrawRange(0, this.#sheetPoints.count);
    this.#sheets.visible = this.#sheetPoints.count > 0;
  }

  dispose(): void {
    this.#lines.geometry.dispose();
    this.#lines.material.dispose();
    this.#sheets.geometry.dispose();
    this.#sheets.material.dispose();
  }

  #allocate(segments: number, sheets: number): void {
    this.#linePoints = new Points(2 * segments);
    this.#sheetPoints = new Points(6 * sheets);
    this.#buffers = [this.#linePoints.positions, this.#linePoints.colours].map(
      (array) => new InstancedInterleavedBuffer(array, 6, 1),
    );
    const [positions, colours] = this.#buffers;
    this.#lines.geometry.dispose();
    const geometry = new LineSegmentsGeometry();
    geometry.setAttribute("instanceStart", new InterleavedBufferAttribute(positions, 3, 0));
    geometry.setAttribute("instanceEnd", new InterleavedBufferAttribute(positions, 3, 3));
    geometry.setAttribute("instanceColorStart", new InterleavedBufferAttribute(colours, 3, 0));
    geometry.setAttribute("instanceColorEnd", new InterleavedBufferAttribute(colours, 3, 3));
    this.#lines.geometry = geometry;
    this.#sheets.geometry.dispose();
    this.#sheets.geometry = new BufferGeometry();
    this.#sheets.geometry.setAttribute(
      "position",
      new BufferAttribute(this.#sheetPoints.positions, 3),
    );
    this.#sheets.geometry.setAttribute("color", new BufferAttribute(this.#sheetPoints.colours, 3));
  }
}
