/**
 * Draws `assets/world.json`, the map of the scan pages, from Natural Earth (public domain, packed by
 * `world-atlas`): Equal Earth projection, simplified, with the countries of ISO 3166-1.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const WIDTH = 800
/** Points closer than this to a line are left out, in map units. */
const TOLERANCE = 0.8
/** Smaller islands are not drawn, unless a country has nothing else. */
const LEAST_ISLAND = 2.5
/** Smaller countries also get a dot. */
const LEAST_COUNTRY = 14
const SOUTH = -56
/** The central meridian: the map's edge is then in the Bering Strait, where it divides no country. */
const MIDDLE = 11.5

type Point = readonly [number, number]
type Topology = {
  transform: { scale: Point; translate: Point }
  arcs: Point[][]
  objects: {
    countries: {
      geometries: {
        id?: string
        type: 'Polygon' | 'MultiPolygon'
        arcs: number[][] | number[][][]
        properties: { name: string }
      }[]
    }
  }
}

/**
 * Natural Earth draws areas by who governs them and gives these no number. Networks are listed under these
 * codes.
 */
const NAMED: Readonly<Record<string, string>> = { 'N. Cyprus': 'CY', Somaliland: 'SO', Kosovo: 'XK' }

/**
 * Areas with their own code, and Crimea, which belongs to Ukraine (UN General Assembly, resolution 68/262):
 * west, south, east, north.
 */
const PARTS: readonly { of: string; to: string; box: readonly [number, number, number, number] }[] = [
  { of: 'RU', to: 'UA', box: [32, 44, 37, 46.5] },
  { of: 'FR', to: 'GF', box: [-55, 2, -51, 6] },
  { of: 'NO', to: 'SJ', box: [10, 76, 34, 81] },
]

/** Places with a code but without their own outline: longitude, latitude. */
const PLACES: Readonly<Record<string, Point>> = {
  RE: [55.5, -21.1],
  GP: [-61.6, 16.2],
  MQ: [-61, 14.7],
  YT: [45.2, -12.8],
  BQ: [-68.3, 12.2],
  TK: [-171.8, -9.2],
  CC: [96.8, -12.2],
  CX: [105.6, -10.5],
  SJ: [16, 78.5],
}

const read = (name: string): Topology =>
  JSON.parse(readFileSync(new URL(`../node_modules/world-atlas/${name}.json`, import.meta.url), 'utf8'))

/** Equal Earth (Šavrič, Patterson, Jenny 2018), in units of the map's width. */
function project([longitude, latitude]: Point): Point {
  const [a, b, c, d] = [1.340264, -0.081106, 0.000893, 0.003796]
  const half = Math.sqrt(3) / 2
  const t = Math.asin(half * Math.sin((latitude * Math.PI) / 180))
  const t2 = t * t
  const t6 = t2 ** 3
  const east = ((longitude - MIDDLE + 540) % 360) - 180
  const x = ((east * Math.PI) / 180) * (Math.cos(t) / (half * (a + 3 * b * t2 + t6 * (7 * c + 9 * d * t2))))
  const y = t * (a + b * t2 + t6 * (c + d * t2))
  const unit = WIDTH / 2 / 2.7066
  return [WIDTH / 2 + x * unit, -y * unit]
}

/** The country's code from its number; CLDR has the numbers as aliases of the codes. */
function codeOf(id: string | undefined, name: string): string | undefined {
  if (id === undefined) return NAMED[name]
  const region = new Intl.Locale(`und-${id}`).region
  return region !== undefined && /^[A-Z]{2}$/.test(region) ? region : undefined
}

/** Douglas-Peucker: drops points that are close to the line between its ends. */
function simplify(line: readonly Point[]): Point[] {
  const first = line[0]
  const last = line.at(-1)
  if (first === undefined || last === undefined || line.length < 3) return [...line]
  let far = 0
  let at = 0
  for (const [i, point] of line.entries()) {
    const off = distance(point, first, last)
    if (off > far) [far, at] = [off, i]
  }
  if (far <= TOLERANCE) return [first, last]
  return [...simplify(line.slice(0, at + 1)).slice(0, -1), ...simplify(line.slice(at))]
}

function distance([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay]
  const length = dx * dx + dy * dy
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length))
  return Math.hypot(x - ax - along * dx, y - ay - along * dy)
}

const areaOf = (ring: readonly Point[]) =>
  Math.abs(
    ring.reduce((sum, [x, y], i) => {
      const [nx, ny] = ring[(i + 1) % ring.length] ?? [0, 0]
      return sum + x * ny - nx * y
    }, 0) / 2,
  )

/**
 * Outer rings by country, in degrees and on the map. Borders are simplified once, so that neighbours still
 * share them.
 */
function ringsOf({
  transform,
  arcs,
  objects,
}: Topology): Map<string, { degrees: Point[]; drawn: Point[] }[]> {
  const { scale, translate } = transform
  const degrees = arcs.map(arc => {
    let [x, y] = [0, 0]
    return arc.map(([dx, dy]): Point => {
      ;[x, y] = [x + dx, y + dy]
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]]
    })
  })
  const drawn = degrees.map(arc => simplify(arc.map(project)))
  const join = (lines: readonly (readonly Point[])[], ids: readonly number[]) =>
    ids.flatMap(id => {
      const line = (id < 0 ? lines[~id]?.toReversed() : lines[id]) ?? []
      return line.slice(0, -1)
    })
  const rings = new Map<string, { degrees: Point[]; drawn: Point[] }[]>()
  for (const { id, type, arcs: parts, properties } of objects.countries.geometries) {
    const code = codeOf(id, properties.name)
    if (code === undefined || code === 'AQ') continue
    const polygons = (type === 'Polygon' ? [parts] : parts) as number[][][]
    for (const [outer = []] of polygons) {
      const ring = { degrees: join(degrees, outer), drawn: join(drawn, outer) }
      const to = partOf(code, ring.degrees) ?? code
      rings.set(to, [...(rings.get(to) ?? []), ring])
    }
  }
  return rings
}

const partOf = (of: string, ring: readonly Point[]) =>
  PARTS.find(
    ({ of: whole, box: [west, south, east, north] }) =>
      whole === of && ring.every(([x, y]) => x > west && x < east && y > south && y < north),
  )?.to

/** Builds a path: `M` with the first point, then the shortest relative steps, with straight runs merged. */
function pathOf(ring: readonly Point[], top: number): string {
  const points = ring
    .map(([x, y]): Point => [Math.round(x), Math.round(y - top)])
    .filter(([x, y], i, all) => x !== all.at(i - 1)?.[0] || y !== all.at(i - 1)?.[1])
  const [first, ...others] = points
  if (first === undefined || others.length < 2) return ''
  let [x, y] = first
  const steps: Point[] = []
  for (const [nx, ny] of others) {
    const step: Point = [nx - x, ny - y]
    const last = steps.at(-1)
    if (last !== undefined && isStraightOn(last, step)) {
      steps[steps.length - 1] = [last[0] + step[0], last[1] + step[1]]
    } else steps.push(step)
    ;[x, y] = [nx, ny]
  }
  return `M${numbers(first)}${shortest(steps)}z`
}

const isStraightOn = ([ax, ay]: Point, [bx, by]: Point) => ax * by === ay * bx && ax * bx + ay * by > 0

const numbers = (all: readonly number[]) => all.join(' ').replaceAll(' -', '-')

/**
 * The shortest text of the steps: `l` takes any step, `h` and `v` those along an axis. A letter is written
 * only when it changes.
 */
function shortest(steps: readonly Point[]): string {
  let texts = new Map([['', '']])
  for (const step of steps) {
    const next = new Map<string, string>()
    for (const [letter, text] of lettersFor(step)) {
      const ways = [...texts].map(([before, all]) => {
        const between = letter !== before ? letter : text.startsWith('-') ? '' : ' '
        return all + between + text
      })
      next.set(letter, shortestOf(ways))
    }
    texts = next
  }
  return shortestOf([...texts.values()])
}

const lettersFor = ([dx, dy]: Point): [letter: string, numbers: string][] => [
  ['l', numbers([dx, dy])],
  ...(dy === 0 ? [['h', `${dx}`] satisfies [string, string]] : []),
  ...(dx === 0 ? [['v', `${dy}`] satisfies [string, string]] : []),
]

const shortestOf = (texts: readonly string[]) => texts.reduce((a, b) => (b.length < a.length ? b : a))

function middleOf(rings: readonly { degrees: Point[] }[]): Point {
  const [largest] = rings.toSorted((a, b) => areaOf(b.degrees) - areaOf(a.degrees))
  const ring = largest?.degrees ?? []
  const sum = ring.reduce(([sx, sy], [x, y]): [number, number] => [sx + x, sy + y], [0, 0])
  return [sum[0] / ring.length, sum[1] / ring.length]
}

const coarse = ringsOf(read('countries-110m'))
const top =
  Math.floor(Math.min(...[...coarse.values()].flat().flatMap(({ drawn }) => drawn.map(([, y]) => y)))) - 2
const shapes: Record<string, string> = {}
const dots: Record<string, Point> = {}
const dotAt = (point: Point): Point => {
  const [x, y] = project(point)
  return [Math.round(x), Math.round(y - top)]
}

for (const [code, rings] of [...coarse].sort()) {
  const large = rings.toSorted((a, b) => areaOf(b.drawn) - areaOf(a.drawn))
  const paths = large
    .filter(({ drawn }, i) => i === 0 || areaOf(drawn) >= LEAST_ISLAND)
    .map(({ drawn }) => pathOf(drawn, top))
    .join('')
  if (paths !== '') shapes[code] = paths
  if (large.reduce((sum, { drawn }) => sum + areaOf(drawn), 0) < LEAST_COUNTRY)
    dots[code] = dotAt(middleOf(rings))
}
for (const name of ['countries-50m', 'countries-10m']) {
  for (const [code, rings] of [...ringsOf(read(name))].sort()) {
    if (shapes[code] === undefined) dots[code] ??= dotAt(middleOf(rings))
  }
}
for (const [code, point] of Object.entries(PLACES))
  if (shapes[code] === undefined) dots[code] ??= dotAt(point)

const height = Math.ceil(project([0, SOUTH])[1] - top)
const sorted = Object.fromEntries(Object.entries(dots).sort(([a], [b]) => (a < b ? -1 : 1)))
const text = JSON.stringify({ width: WIDTH, height, shapes, dots: sorted }, undefined, 2)
  // Puts each dot on one line.
  .replaceAll(/\[\s+(-?\d+),\s+(-?\d+)\s+\]/g, '[$1, $2]')
writeFileSync(new URL('../assets/world.json', import.meta.url), `${text}\n`)
console.log(
  `assets/world.json: ${Object.keys(shapes).length} outlines, ${Object.keys(dots).length} dots, ${text.length} bytes`,
)
