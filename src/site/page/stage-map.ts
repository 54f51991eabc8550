/** A small map of the countries of a supply chain, drawn from the outlines of `scripts/world-map.ts`. */
import { readFileSync } from 'node:fs'
import { html } from 'ghtml'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'

type World = {
  /** Outlines by ISO 3166-1 code. */
  shapes: Readonly<Record<string, string>>
  /** Positions of small countries. */
  dots: Readonly<Record<string, readonly [x: number, y: number]>>
}
type Point = readonly [x: number, y: number]
/** The largest outline of a country and the middle of it; a small country has no outline. */
type Place = { outline: readonly Point[]; at: Point }

const WORLD: World = JSON.parse(readFileSync(new URL('../../../assets/world.json', import.meta.url), 'utf8'))

/** Fewer are clear without a map. */
const MIN_COUNTRIES = 3
/** Coarse, so that a map of three countries is under 300 bytes compressed. */
const GRID_WIDTH = 56
const MARGIN = 3
const MIN_ASPECT = 2
/** 1.4 kB compressed. With more, only the dots are drawn. */
const MAX_OUTLINES_LENGTH = 3_000

/**
 * The stages as a line from country to country. Empty for fewer than three countries with a known place.
 * `label` names the countries for readers who do not see the map.
 */
export function renderStageMap(countries: readonly string[], label: string): string {
  const route = countries.filter((code, i) => code !== countries[i - 1])
  const places = new Map(
    route.flatMap(code => {
      const place = findPlace(code)
      return place === undefined ? [] : [[code, place] as const]
    }),
  )
  if (places.size < MIN_COUNTRIES) return ''
  const all = [...places.values()]
  const { box, scale } = frame(all.flatMap(({ outline, at }) => [at, ...outline]))
  const drawn = all.map(({ outline }) => drawOutline(outline.map(scale))).join('')
  const outlines = drawn.length > MAX_OUTLINES_LENGTH ? '' : drawn
  const stops = route.flatMap(code => {
    const place = places.get(code)
    return place === undefined ? [] : [scale(place.at).join(' ')]
  })
  const dots = [...new Set(stops)].map(stop => `M${stop}h0`).join('')
  return html`<svg class="map" viewBox="${box}" role="img" aria-label="${label}"><path d="${outlines}"/><path d="M${stops.join('L')}"/><path d="${dots}"/></svg>`
}

const known = new BoundedMap<string, Place | undefined>(500)

const findPlace = (code: string): Place | undefined => known.getOrMake(code, () => readPlace(code))

function readPlace(code: string): Place | undefined {
  const dot = WORLD.dots[code]
  if (dot !== undefined) return { outline: [], at: dot }
  const shape = WORLD.shapes[code]
  if (shape === undefined) return undefined
  const [largest = []] = readOutlines(shape).sort((a, b) => getArea(b) - getArea(a))
  return { outline: largest, at: findMiddle(largest) }
}

/** Outlines have only the commands `M`, `l`, `h`, `v` and `z`, each `M` with the numbers of one point. */
function readOutlines(shape: string): Point[][] {
  return shape
    .split('M')
    .slice(1)
    .map(text => {
      let [x, y] = [0, 0]
      const points: Point[] = []
      for (const [, command = 'M', numbers = ''] of `M${text}`.matchAll(/([Mlhv])([^Mlhvz]*)/g)) {
        const steps = Array.from(numbers.matchAll(/-?\d+/g), Number)
        const size = command === 'h' || command === 'v' ? 1 : 2
        for (let i = 0; i < steps.length; i += size) {
          const [first = 0, second = 0] = steps.slice(i, i + size)
          x += command === 'v' ? 0 : first
          y += command === 'v' ? first : second
          points.push([x, y])
        }
      }
      return points
    })
}

const cross = ([ax, ay]: Point, [bx, by]: Point) => ax * by - bx * ay

/** Twice the area. */
const getArea = (points: readonly Point[]) =>
  Math.abs(points.reduce((sum, point, i) => sum + cross(points.at(i - 1) ?? point, point), 0))

const findMiddle = (points: readonly Point[]): Point => {
  const middle = (axis: 0 | 1) =>
    Math.round(points.reduce((sum, point) => sum + point[axis], 0) / points.length)
  return [middle(0), middle(1)]
}

/** `scale` puts a point of the map on the grid of the drawing. */
function frame(points: readonly Point[]): { box: string; scale: (point: Point) => Point } {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top]
  const unit = Math.max(width, MIN_ASPECT * height) / GRID_WIDTH
  const scale = ([x, y]: Point): Point => [Math.round((x - left) / unit), Math.round((y - top) / unit)]
  const box = [-MARGIN, -MARGIN, Math.ceil(width / unit) + 2 * MARGIN, Math.ceil(height / unit) + 2 * MARGIN]
  return { box: box.join(' '), scale }
}

/** Points that fall together on the grid are drawn once. */
function drawOutline([first, ...rest]: readonly Point[]): string {
  if (first === undefined) return ''
  let from = first
  const steps: number[] = []
  for (const point of rest) {
    const [dx, dy] = [point[0] - from[0], point[1] - from[1]]
    if (dx !== 0 || dy !== 0) steps.push(dx, dy)
    from = point
  }
  return `M${first.join(' ')}l${steps.join(' ').replaceAll(' -', '-')}z`
}
