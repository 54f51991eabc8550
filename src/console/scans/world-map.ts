/** A world map of scans by country, from the outlines of `scripts/world-map.ts`; small countries are dots. */
import { readFileSync } from 'node:fs'
import { html } from 'ghtml'
import type { ScanCounts } from '../../scans/summary.ts'
import type { Words } from '../page/route.ts'
import { getCountryName } from './shares.ts'

type World = {
  width: number
  height: number
  /** Outlines by ISO 3166-1 code. */
  shapes: Readonly<Record<string, string>>
  /** Positions of countries that are too small to see. */
  dots: Readonly<Record<string, readonly [x: number, y: number]>>
}

const WORLD: World = JSON.parse(readFileSync(new URL('../../../assets/world.json', import.meta.url), 'utf8'))
const SHADES = 5
const DOT_RADIUS = 4.5
/** Outside this range are only Pacific islands; the map is cut to the range if none of them has scans. */
const LAND_RANGE = { left: 88, right: 746 }

/** The highest count of each shade, lightest first. Steps have equal ratios: scans are uneven. */
export function buildShadeLimits(most: number): number[] {
  return [...new Set(Array.from({ length: SHADES }, (_, i) => Math.round(most ** ((i + 1) / SHADES))))]
}

/** A class from `s1` to `s5`; the highest count always gets `s5`. */
const getShadeClass = (place: number, of: number) => `s${Math.round(((place + 1) * SHADES) / of)}`

export function renderWorldMap(words: Words, byCountry: ScanCounts): string {
  const texts = words.texts.scans
  const known = Object.entries(byCountry).filter(([code]) => words.country(code) !== undefined)
  const [first] = known
  if (first === undefined) return ''
  const ends = buildShadeLimits(Math.max(...known.map(([, count]) => count)))
  const shade = (count: number) =>
    getShadeClass(
      ends.findIndex(end => count <= end),
      ends.length,
    )
  const title = (code: string, count: number) =>
    html`<title>${getCountryName(words, code)}: ${words.number(count)}</title>`
  const counts = new Map(known)
  const quiet = Object.entries(WORLD.shapes)
    .filter(([code]) => !counts.has(code))
    .map(([, path]) => path)
  // One group per shade. Dots lie on top, and carry the title of their country.
  const shaded = (draw: (code: string, count: number) => string) => {
    const drawn = new Map<string, string>()
    for (const [code, count] of known) {
      drawn.set(shade(count), (drawn.get(shade(count)) ?? '') + draw(code, count))
    }
    return [...drawn].map(([name, all]) => (all === '' ? '' : html`<g class="${name}">!${all}</g>`))
  }
  const outlines = shaded((code, count) => {
    const path = WORLD.shapes[code]
    if (path === undefined) return ''
    return WORLD.dots[code] === undefined
      ? html`<path d="${path}">!${title(code, count)}</path>`
      : html`<path d="${path}"/>`
  })
  const dots = shaded((code, count) => {
    const dot = WORLD.dots[code]
    return dot === undefined
      ? ''
      : html`<circle cx="${dot[0]}" cy="${dot[1]}" r="${DOT_RADIUS}">!${title(code, count)}</circle>`
  })
  const isFar = known.some(([code]) => {
    const [x] = WORLD.dots[code] ?? [LAND_RANGE.left]
    return x < LAND_RANGE.left || x > LAND_RANGE.right
  })
  const [left, right] = isFar ? [0, WORLD.width] : [LAND_RANGE.left, LAND_RANGE.right]
  const says = texts.mapSays({ count: known.length, name: getCountryName(words, first[0]) })
  return html`<figure class="world"><svg role="img" aria-label="${says}" viewBox="${left} 0 ${right - left} ${WORLD.height}"><path class="land" d="${quiet.join('')}"/>!${outlines}!${dots}</svg>
<figcaption class="quiet">!${renderLegend(words, ends)}<span class="line">${texts.mapSource}</span></figcaption></figure>`
}

function renderLegend(words: Words, ends: readonly number[]): string {
  return ends
    .map((end, i) => {
      const from = (ends[i - 1] ?? 0) + 1
      const range = from === end ? words.number(end) : `${words.number(from)}–${words.number(end)}`
      return html`<span class="step"><svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect class="${getShadeClass(i, ends.length)}" width="1" height="1"/></svg> ${range}</span>`
    })
    .join(' ')
}
