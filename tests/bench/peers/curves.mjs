// curves.mjs - curves as SVG: both axes logarithmic, a line for each series with its name at its
// end. Readable on white and on black.

const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 70;
const RIGHT = 560; // behind it stand the names
const TOP = 40;
const BOTTOM = 350;
const LINE = 15;

const COLOURS = ["#d1495b", "#8a8f98", "#2e86ab", "#c98a00", "#3a9d5d", "#9b5fc0", "#b0643c"];

const STYLE = "text{font:12px sans-serif;fill:#777}.g{stroke:#8885}";

const text = (x, y, what, more = "") => `<text x="${x}" y="${y}" ${more}>${what}</text>`;

/** Where a value stands between two ends, on a logarithmic axis from the first tick to the last. */
function axis(ticks, from, to) {
  const low = Math.log10(ticks[0]);
  const high = Math.log10(ticks[ticks.length - 1]);
  const place = (value) => from + ((Math.log10(value) - low) / (high - low || 1)) * (to - from);
  return { place, ticks };
}

const sorted = (values) => [...new Set(values)].sort((a, b) => a - b);

/** Powers of ten around the values. */
function decades(values) {
  const low = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  return Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
}

const number = (value) =>
  value >= 1 ? value.toLocaleString("en") : String(Number(value.toPrecision(1)));

function frame({ title, x, y }, across, up) {
  const of = [];
  for (const tick of up.ticks) {
    const at = up.place(tick);
    of.push(`<path class="g" d="M${LEFT} ${at}H${RIGHT}"/>`);
    of.push(text(LEFT - 8, at + 4, number(tick), 'text-anchor="end"'));
  }
  for (const tick of across.ticks) {
    const at = across.place(tick);
    of.push(`<path class="g" d="M${at} ${TOP}V${BOTTOM}"/>`);
    of.push(text(at, BOTTOM + 18, number(tick), 'text-anchor="middle"'));
  }
  of.push(text(LEFT, 20, `${title}, ${y}`, 'font-weight="bold"'));
  of.push(text((LEFT + RIGHT) / 2, BOTTOM + 38, x, 'text-anchor="middle"'));
  return of;
}

/** The heights of the names, from the top down, so that none covers another. */
function spread(ends) {
  let last = -Infinity;
  ends.sort((a, b) => a.y - b.y);
  for (const end of ends) last = end.y = Math.max(end.y, last + LINE);
  return ends;
}

/**
 * @param {{ title: string, x: string, y: string,
 *   series: { name: string, points: [number, number][] }[] }} what values above 0
 */
export function curves(what) {
  const shown = what.series
    .map((one, i) => ({ ...one, colour: COLOURS[i % COLOURS.length] }))
    .filter(({ points }) => points.length > 0);
  const all = shown.flatMap(({ points }) => points);
  if (all.length === 0) return undefined;
  const across = axis(sorted(all.map(([x]) => x)), LEFT, RIGHT);
  const up = axis(decades(all.map(([, y]) => y)), BOTTOM, TOP);
  const of = frame(what, across, up);
  for (const { points, colour } of shown) {
    const places = points.map(([x, y]) => [across.place(x).toFixed(1), up.place(y).toFixed(1)]);
    const d = `M${places.map((place) => place.join(" ")).join("L")}`;
    of.push(`<path d="${d}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    for (const [x, y] of places) of.push(`<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`);
  }
  const ends = shown.map(({ name, colour, points }) => {
    const [x, y] = points[points.length - 1];
    return { name, colour, x: across.place(x), y: up.place(y) };
  });
  for (const { name, colour, y } of spread(ends))
    of.push(text(RIGHT + 10, y + 4, name, `style="fill:${colour}"`));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}"
 width="${WIDTH}" height="${HEIGHT}" role="img"><style>${STYLE}</style>
${of.join("\n")}
</svg>
`;
}
