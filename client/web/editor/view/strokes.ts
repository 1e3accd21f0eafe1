// strokes.ts - lines with a width in pixels, which WebGL itself does not have: each segment is a
// quad that the vertex shader makes as wide as it should be.
import * as THREE from "three";

/**
 * Segments from the 1st point to the 2nd, from the 3rd to the 4th, and so on.
 * @param points three numbers for each point
 * @param pale one number for each point: from 0, as strong as the material says, to 1, invisible
 */
export function strokeGeometry(
  points: ArrayLike<number>,
  pale?: ArrayLike<number>,
): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  const count = Math.floor(points.length / 6);
  const ends = new Float32Array(12 * count);
  const others = new Float32Array(12 * count);
  const sides = new Float32Array(4 * count);
  const pales = new Float32Array(4 * count);
  const index: number[] = [];
  for (let segment = 0; segment < count; segment++) {
    for (let corner = 0; corner < 4; corner++) {
      const [end, other] = corner < 2 ? [0, 3] : [3, 0];
      for (let i = 0; i < 3; i++) {
        ends[12 * segment + 3 * corner + i] = points[6 * segment + end + i];
        others[12 * segment + 3 * corner + i] = points[6 * segment + other + i];
      }
      if (pale) pales[4 * segment + corner] = pale[2 * segment + (corner < 2 ? 0 : 1)];
      sides[4 * segment + corner] = corner === 0 || corner === 3 ? 1 : -1;
    }
    index.push(...[0, 1, 2, 2, 1, 3].map((corner) => 4 * segment + corner));
  }
  geometry.setAttribute("position", new THREE.BufferAttribute(ends, 3));
  geometry.setAttribute("other", new THREE.BufferAttribute(others, 3));
  geometry.setAttribute("side", new THREE.BufferAttribute(sides, 1));
  geometry.setAttribute("pale", new THREE.BufferAttribute(pales, 1));
  geometry.setIndex(index);
  return geometry;
}

const vertexShader = `
  attribute vec3 other;
  attribute float side;
  attribute float pale;
  uniform vec2 viewport;
  uniform float width;
  varying vec4 ink;

  // A segment that begins behind the eye is cut shortly before it.
  vec4 seen(vec4 a, vec4 b) {
    float nearest = 1e-4 * max(abs(a.w), abs(b.w));
    return a.w >= nearest ? a : mix(b, a, (b.w - nearest) / (b.w - a.w));
  }

  void main() {
    #ifdef USE_INSTANCING
      mat4 placed = modelViewMatrix * instanceMatrix;
    #else
      mat4 placed = modelViewMatrix;
    #endif
    #ifdef USE_INSTANCING_COLOR
      ink = vec4(instanceColor, 1.0 - pale);
    #else
      ink = vec4(1.0, 1.0, 1.0, 1.0 - pale);
    #endif
    vec4 a = projectionMatrix * placed * vec4(position, 1.0);
    vec4 b = projectionMatrix * placed * vec4(other, 1.0);
    vec4 end = seen(a, b);
    vec4 far = seen(b, a);
    vec2 along = (far.xy / far.w - end.xy / end.w) * viewport;
    vec2 across = dot(along, along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0.0);
    end.xy += across * side * (width / viewport) * end.w;
    gl_Position = a.w > 0.0 || b.w > 0.0 ? end : vec4(0.0, 0.0, 2.0, 1.0);
  }`;

const fragmentShader = `
  uniform vec3 colour;
  uniform float opacity;
  varying vec4 ink;
  void main() {
    gl_FragColor = ink * vec4(colour, opacity);
    #include <colorspace_fragment>
  }`;

export class StrokeMaterial extends THREE.ShaderMaterial {
  /** @param width in CSS pixels */
  constructor(width: number, opacity = 1, parameters: THREE.ShaderMaterialParameters = {}) {
    super({
      uniforms: {
        viewport: { value: new THREE.Vector2(1, 1) },
        width: { value: width },
        colour: { value: new THREE.Color(1, 1, 1) },
        opacity: { value: opacity },
      },
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      ...parameters,
    });
  }

  get colour(): THREE.Color {
    return this.uniforms.colour.value;
  }

  /** Call this with the size of the view in CSS pixels before each picture. */
  setViewport(width: number, height: number): void {
    this.uniforms.viewport.value.set(width, height);
  }
}
