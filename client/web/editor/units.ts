// units.ts - the units that people may type, and how large they are: in metres, in radians, as a factor. No unit means metres, degrees, the factor itself.

export type Quantity = "length" | "angle" | "factor";

export const UNITS: Record<Quantity, Record<string, number>> = {
  length: { "": 1, m: 1, dm: 0.1, cm: 1e-2, mm: 1e-3, um: 1e-6, µm: 1e-6, km: 1e3, in: 0.0254, '"': 0.0254, ft: 0.3048, "'": 0.3048 },
  angle: { "": Math.PI / 180, "°": Math.PI / 180, deg: Math.PI / 180, rad: 1, turn: 2 * Math.PI },
  factor: { "": 1, x: 1, "%": 1e-2 },
};
