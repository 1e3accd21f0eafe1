// ink.js - strokes with a width in pixels, dots and filled triangles in space, in one mesh and one
// draw call, in the order of drawing and above everything else. Strokes have smooth edges without
// multisampling, and a thin rim that sets them off from any background. Pixels are CSS pixels:
// `finish` takes the height of the picture in them.
import {
  Color,
  DynamicDrawUsage,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  BufferGeometry,
  ShaderMaterial,
  Vector2,
  Vector4,
} from "three";

/** @import {Vec3} from "../types.js" */

const FILL = 0;
const LINE = 1;
const SQUARE = 2;
const DISC = 3;

/** Floats of a corner: from, to, (kind, end, side, width), (cap, dash), rgba. */
const STRIDE = 16;
const CORNERS = 4;
/** The least depth that is still drawn, as a part of the depth of the middle. */
const NEAREST = 0.01;

const VERTEX = /* glsl */ `
  attribute vec3 other;
  attribute vec4 shape;
  attribute vec2 style;
  attribute vec4 tint;
  uniform vec2 viewport;
  uniform float density;
  uniform float nearest;
  varying vec2 vPlace;
  varying vec3 vStroke;
  varying vec4 vTint;

  const float RIM = 2.0;

  void main() {
    vec4 a = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vec4 b = projectionMatrix * modelViewMatrix * vec4(other, 1.0);
    vec4 middle = projectionMatrix * modelViewMatrix * vec4(0.0, 0.0, 0.0, 1.0);
    float least = nearest * middle.w;
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    if (a.w < least && b.w < least) return;
    if (a.w < least) a = mix(a, b, (least - a.w) / (b.w - a.w));
    if (b.w < least) b = mix(b, a, (least - b.w) / (a.w - b.w));

    vec2 from = 0.5 * viewport * a.xy / a.w;
    vec2 to = 0.5 * viewport * b.xy / b.w;
    vec2 way = to - from;
    float far = length(way);
    vec2 ahead = far > 1e-4 && shape.x < 1.5 ? way / far : vec2(1.0, 0.0);
    vec2 aside = vec2(-ahead.y, ahead.x);
    float half_width = 0.5 * density * shape.w;
    float reach = shape.x < 0.5 ? 0.0 : half_width + RIM * density;
    float cap = shape.x < 0.5 ? 0.0 : shape.x < 1.5 ? style.x * density : reach;
    float end = shape.y;
    vec2 at = mix(from, to, end) + aside * shape.z * reach + ahead * (2.0 * end - 1.0) * cap;

    float beyond = (2.0 * end - 1.0) * cap;
    vPlace = vec2(shape.x < 1.5 ? end * far + beyond : beyond, shape.z * reach);
    vStroke = vec3(shape.x, half_width, style.y * density);
    vTint = tint;
    gl_Position = vec4(2.0 * at / viewport, 0.0, 1.0);
  }
`;

const FRAGMENT = /* glsl */ `
  uniform vec4 rim;
  uniform float density;
  varying vec2 vPlace;
  varying vec3 vStroke;
  varying vec4 vTint;

  void main() {
    float kind = vStroke.x;
    vec2 off = abs(vPlace);
    float away = kind < 1.5 ? off.y : kind < 2.5 ? max(off.x, off.y) : length(off);
    float ink = kind < 0.5 ? 1.0 : clamp(vStroke.y + 0.5 - away, 0.0, 1.0);
    float around = kind < 0.5 ? 0.0 : rim.a * clamp(vStroke.y + density + 0.5 - away, 0.0, 1.0);
    if (vStroke.z > 0.0) {
      float at = mod(vPlace.x, 2.0 * vStroke.z);
      float dash = clamp(min(at, vStroke.z - at) + 0.5, 0.0, 1.0);
      ink *= dash;
      around *= dash;
    }
    float alpha = ink + around * (1.0 - ink);
    if (alpha <= 0.0) discard;
    vec3 colour = vTint.rgb * ink + rim.rgb * around * (1.0 - ink);
    gl_FragColor = vec4(colour / alpha, alpha * vTint.a);
    #include <colorspace_fragment>
  }
`;

/**
 * @typedef {object} Pen
 * @property {Color} colour
 * @property {number} [alpha] 1
 * @property {number} [width] pixels; 2
 * @property {number} [dash] pixels of a dash and of a gap; 0 for none
 */

export class Ink extends Mesh {
  #capacity = 512;
  #count = 0;
  #height = 1;
  /** @type {InterleavedBuffer} */
  #buffer;
  /** @type {Float32Array} */
  #floats;

  constructor() {
    super(
      new BufferGeometry(),
      new ShaderMaterial({
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        uniforms: {
          viewport: { value: new Vector2(1, 1) },
          density: { value: 1 },
          nearest: { value: NEAREST },
          rim: { value: new Vector4(0, 0, 0, 0.35) },
        },
        transparent: true,
        depthTest: false,
        depthWrite: false,
        toneMapped: false,
        side: 2,
      }),
    );
    this.frustumCulled = false;
    this.renderOrder = 1000;
    [this.#buffer, this.#floats] = this.#allocate();
  }

  /** The rays of an application never hit the gizmo. */
  raycast() {}

  /** Sets the rim of strokes. @param {Color} colour @param {number} alpha */
  setRim(colour, alpha) {
    this.#uniforms.rim.value.set(colour.r, colour.g, colour.b, alpha);
  }

  begin() {
    this.#count = 0;
  }

  /**
   * @param {Pen} pen
   * @param {Vec3} a
   * @param {Vec3} b
   * @param {number} [cap] by how many pixels it extends beyond both ends
   */
  line(pen, a, b, cap = 0) {
    this.#quad(pen, LINE, cap, a, a, a, a, b);
  }

  /** @param {Pen} pen @param {Vec3[]} points */
  loop(pen, points) {
    points.forEach((point, i) =>
      this.line(pen, point, points[(i + 1) % points.length], (pen.width ?? 2) / 2),
    );
  }

  /**
   * A part of the circle that `side` and `other` span about `centre`.
   * @param {Pen} pen
   * @param {Vec3} centre
   * @param {Vec3} side
   * @param {Vec3} other
   * @param {number} first
   * @param {number} last
   */
  arc(pen, centre, side, other, first, last) {
    const pieces = Math.max(1, Math.ceil(Math.abs(last - first) / ARC_STEP));
    let from = onArc(centre, side, other, first);
    for (let i = 1; i <= pieces; i++) {
      const to = onArc(centre, side, other, first + ((last - first) * i) / pieces);
      this.line(pen, from, to);
      from = to;
    }
  }

  /** @param {Pen} pen @param {Vec3} centre @param {Vec3} side @param {Vec3} other */
  circle(pen, centre, side, other) {
    this.arc(pen, centre, side, other, 0, 2 * Math.PI);
  }

  /**
   * A part of the same circle's disc.
   * @param {Pen} pen
   * @param {Vec3} centre
   * @param {Vec3} side
   * @param {Vec3} other
   * @param {number} first
   * @param {number} last
   */
  sector(pen, centre, side, other, first, last) {
    const pieces = Math.max(1, Math.ceil(Math.abs(last - first) / ARC_STEP));
    let from = onArc(centre, side, other, first);
    for (let i = 1; i <= pieces; i++) {
      const to = onArc(centre, side, other, first + ((last - first) * i) / pieces);
      this.fill(pen, centre, from, to);
      from = to;
    }
  }

  /**
   * A dot of a width in pixels, whatever its distance.
   * @param {Pen} pen
   * @param {Vec3} at
   * @param {number} width
   * @param {"disc" | "square"} form
   */
  dot(pen, at, width, form) {
    this.#quad({ ...pen, width, dash: 0 }, form === "disc" ? DISC : SQUARE, 0, at, at, at, at, at);
  }

  /** @param {Pen} pen @param {Vec3} a @param {Vec3} b @param {Vec3} c @param {Vec3} [d] */
  fill(pen, a, b, c, d = c) {
    this.#quad(pen, FILL, 0, a, b, c, d);
  }

  /**
   * Passes what was drawn since `begin` to the next picture.
   * @param {number} height of the picture, in CSS pixels
   */
  finish(height) {
    this.#height = height;
    this.geometry.setDrawRange(0, 6 * this.#count);
    this.#buffer.clearUpdateRanges();
    this.#buffer.addUpdateRange(0, this.#count * CORNERS * STRIDE);
    this.#buffer.needsUpdate = true;
    this.visible = this.#count > 0;
  }

  dispose() {
    this.geometry.dispose();
    /** @type {ShaderMaterial} */ (this.material).dispose();
  }

  /**
   * Sizes are in pixels of the render target, which may be a canvas, a part of it or a texture.
   * @param {import("three").WebGLRenderer} renderer
   */
  onBeforeRender = (renderer) => {
    const { z: width, w: height } = renderer.getCurrentViewport(VIEWPORT);
    this.#uniforms.viewport.value.set(width, height);
    this.#uniforms.density.value = height / this.#height;
    /** @type {ShaderMaterial} */ (this.material).uniformsNeedUpdate = true;
  };

  get #uniforms() {
    return /** @type {ShaderMaterial} */ (this.material).uniforms;
  }

  /**
   * Four corners, around. `other` is the far end of a stroke; that of a corner without one is
   * itself.
   * @param {Pen} pen
   * @param {number} kind
   * @param {number} cap
   * @param {Vec3} a
   * @param {Vec3} b
   * @param {Vec3} c
   * @param {Vec3} d
   * @param {Vec3} [other]
   */
  #quad({ colour, alpha = 1, width = 2, dash = 0 }, kind, cap, a, b, c, d, other) {
    const to = this.#floats;
    for (
      let corner = 0, at = this.#count * CORNERS * STRIDE;
      corner < CORNERS;
      corner++, at += STRIDE
    ) {
      const from = corner === 0 ? a : corner === 1 ? b : corner === 2 ? c : d,
        far = other ?? from;
      ((to[at] = from[0]), (to[at + 1] = from[1]), (to[at + 2] = from[2]));
      ((to[at + 3] = far[0]), (to[at + 4] = far[1]), (to[at + 5] = far[2]));
      to[at + 6] = kind;
      to[at + 7] = corner === 1 || corner === 2 ? 1 : 0;
      to[at + 8] = corner < 2 ? -1 : 1;
      to[at + 9] = width;
      ((to[at + 10] = cap), (to[at + 11] = dash));
      ((to[at + 12] = colour.r),
        (to[at + 13] = colour.g),
        (to[at + 14] = colour.b),
        (to[at + 15] = alpha));
    }
    this.#next();
  }

  #next() {
    if (++this.#count < this.#capacity) return;
    const before = this.#floats;
    this.#capacity *= 2;
    [this.#buffer, this.#floats] = this.#allocate();
    this.#floats.set(before);
  }

  /** @returns {[InterleavedBuffer, Float32Array]} */
  #allocate() {
    const floats = new Float32Array(this.#capacity * CORNERS * STRIDE);
    const buffer = new InterleavedBuffer(floats, STRIDE).setUsage(DynamicDrawUsage);
    /** @type {number[]} */
    const index = [];
    for (let i = 0; i < this.#capacity; i++)
      for (const corner of [0, 1, 2, 0, 2, 3]) index.push(CORNERS * i + corner);
    this.geometry.dispose();
    this.geometry = new BufferGeometry();
    this.geometry.setIndex(index);
    for (const [name, size, offset] of /** @type {[string, number, number][]} */ (ATTRIBUTES)) {
      this.geometry.setAttribute(name, new InterleavedBufferAttribute(buffer, size, offset));
    }
    return [buffer, floats];
  }
}

const ATTRIBUTES = [
  ["position", 3, 0],
  ["other", 3, 3],
  ["shape", 4, 6],
  ["style", 2, 10],
  ["tint", 4, 12],
];
const VIEWPORT = new Vector4();
const ARC_STEP = (3 * Math.PI) / 180;

/**
 * @param {Vec3} centre
 * @param {Vec3} side
 * @param {Vec3} other
 * @param {number} angle
 * @returns {Vec3}
 */
function onArc(centre, side, other, angle) {
  const c = Math.cos(angle),
    s = Math.sin(angle);
  return [
    centre[0] + c * side[0] + s * other[0],
    centre[1] + c * side[1] + s * other[1],
    centre[2] + c * side[2] + s * other[2],
  ];
}
