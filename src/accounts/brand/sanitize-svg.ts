/**
 * Security bound: rewrites an SVG with allowed elements and attributes only. Scripts, handlers, links,
 * external resources and animation cannot pass, in whatever way they are written.
 */

type SanitizedSvg = { text: string; width: number; height: number }

const wordSet = (words: string) => new Set(words.trim().split(/\s+/))

const ELEMENTS = wordSet(`
  svg g defs symbol use title desc style path rect circle ellipse line polyline polygon text tspan
  linearGradient radialGradient stop clipPath mask pattern`)

const ATTRIBUTES = wordSet(`
  id class style xmlns viewBox preserveAspectRatio width height transform d x y x1 y1 x2 y2 cx cy r rx ry
  fx fy dx dy points offset fill fill-opacity fill-rule clip-rule clip-path mask opacity color display
  stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset
  stroke-opacity stop-color stop-opacity gradientUnits spreadMethod gradientTransform clipPathUnits
  maskUnits maskContentUnits patternUnits patternTransform patternContentUnits font-family font-size
  font-weight font-style letter-spacing text-anchor dominant-baseline text-rendering shape-rendering
  visibility href`)

/** Elements whose text is kept. */
const WITH_TEXT = new Set(['title', 'desc', 'style', 'text', 'tspan'])

/**
 * `use` elements can be nested: with more of them, a drawing of 8 kB could keep a browser busy for minutes.
 */
const MAX_USES = 16

/** Matches one piece of XML: something to drop, an end tag, a start tag, or text. */
const PIECE =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE[^>[]*>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g

/** `style`: the text of the open style sheet so far. */
type State = {
  out: string
  open: string[]
  dropped: number
  uses: number
  style: string
  root: Map<string, string>
}

/** Undefined if the source is not a well-formed SVG. */
export function sanitizeSvg(source: string): SanitizedSvg | undefined {
  const state: State = { out: '', open: [], dropped: 0, uses: 0, style: '', root: new Map() }
  PIECE.lastIndex = 0
  const text = source.replace(/^\ufeff/, '').trim()
  while (PIECE.lastIndex < text.length) {
    const piece = PIECE.exec(text)
    if (piece === null || !take(state, piece)) return undefined
  }
  const size = findSize(state.root)
  if (state.open.length > 0 || size === undefined || state.uses > MAX_USES) return undefined
  return { text: state.out, ...size }
}

/** False if the source is not well-formed, or is no SVG. */
function take(state: State, piece: RegExpExecArray): boolean {
  const [, data, end, start, attributes = '', isEmpty, text] = piece
  if (start !== undefined) return begin(state, start, attributes, isEmpty === '/')
  if (end !== undefined) return finish(state, end)
  const words = data ?? (text === undefined ? '' : decodeEntities(text))
  if (words === undefined) return false
  const parent = state.open.at(-1)
  if (parent === undefined) return words.trim() === ''
  if (state.dropped > 0 || !WITH_TEXT.has(parent)) return true
  if (parent === 'style') state.style += words
  else state.out += encodeEntities(words)
  return true
}

function begin(state: State, name: string, source: string, isEmpty: boolean): boolean {
  if (state.open.length === 0 && (name !== 'svg' || state.out !== '')) return false
  const attributes = parseAttributes(source)
  if (attributes === undefined) return false
  if (state.open.length === 0) state.root = attributes
  if (!isEmpty) state.open.push(name)
  if (state.dropped > 0 || !ELEMENTS.has(name)) {
    if (!isEmpty) state.dropped++
    return true
  }
  if (name === 'use') state.uses++
  const isRoot = state.out === ''
  if (isRoot) attributes.set('xmlns', 'http://www.w3.org/2000/svg')
  const kept = Array.from(attributes).filter(([key]) => key !== 'xmlns' || isRoot)
  state.out += `<${name}${kept.map(([key, value]) => ` ${key}="${encodeEntities(value)}"`).join('')}${isEmpty ? '/' : ''}>`
  return true
}

function finish(state: State, name: string): boolean {
  if (state.open.pop() !== name) return false
  if (state.dropped > 0) {
    state.dropped--
    return true
  }
  if (name === 'style' && isHarmless(state.style, true)) state.out += encodeEntities(state.style)
  if (name === 'style') state.style = ''
  state.out += `</${name}>`
  return true
}

/** The allowed attributes with harmless values; undefined for an unknown entity. */
function parseAttributes(source: string): Map<string, string> | undefined {
  const found = new Map<string, string>()
  for (const [, written = '', double, single] of source.matchAll(ATTRIBUTE)) {
    const name = written === 'xlink:href' ? 'href' : written
    const value = decodeEntities(double ?? single ?? '')
    if (value === undefined) return undefined
    if (!ATTRIBUTES.has(name)) continue
    const isGood = name === 'href' ? /^#[\w.-]+$/.test(value) : isHarmless(value, name === 'style')
    if (isGood) found.set(name, value)
  }
  return found
}

/**
 * Functions that attributes and styles may call. None of them loads anything, unlike `image-set` and `src`.
 */
const FUNCTIONS = wordSet(`
  rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix var calc min max clamp matrix translate
  translatex translatey scale scalex scaley rotate skew skewx skewy inset circle ellipse polygon path not
  is where has nth-child nth-of-type nth-last-child nth-last-of-type`)
const OWN_PART = /url\(\s*(?:"#[\w.-]+"|'#[\w.-]+'|#[\w.-]+)\s*\)/gi
/** The name before a bracket. Attributes such as `transform` allow a space between them. */
const FUNCTION_NAME = /([^\s,;:(){}[\]"'!+*/>~.#]*)\s*\(/g

/**
 * True if a value loads nothing: `url()` only for parts of the drawing, known functions, no escapes, no
 * at-rules.
 */
function isHarmless(value: string, isStyle: boolean): boolean {
  // A comment could split a name, and an escape could disguise it.
  if (/\\|\/\*|javascript\s*:|data\s*:/i.test(value)) return false
  if (isStyle && /@|expression|behaviou?r|-moz-binding/i.test(value)) return false
  const rest = value.replace(OWN_PART, '')
  return Array.from(rest.matchAll(FUNCTION_NAME), ([, name = '']) => name.toLowerCase()).every(
    name => name === '' || FUNCTIONS.has(name),
  )
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Undefined for an entity that XML does not define. */
function decodeEntities(text: string): string | undefined {
  let isKnown = true
  const result = text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));|&/gi, (_, decimal, hex, name) => {
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    const letter = name === undefined ? codePoint(code) : NAMED[name]
    if (letter === undefined) isKnown = false
    return letter ?? ''
  })
  return isKnown ? result : undefined
}

const codePoint = (code: number) =>
  code >= 32 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const encodeEntities = (text: string) => text.replace(/[&<>"]/g, letter => ENTITIES[letter] ?? '')

/** From the view box, or else from width and height. */
function findSize(root: ReadonlyMap<string, string>): { width: number; height: number } | undefined {
  const box = root
    .get('viewBox')
    ?.trim()
    .split(/[\s,]+/)
    .map(Number)
  const plain = (name: string) => Number(/^([\d.]+)(?:px)?$/.exec(root.get(name) ?? '')?.[1])
  const [width = Number.NaN, height = Number.NaN] =
    box?.length === 4 ? box.slice(2) : [plain('width'), plain('height')]
  return width > 0 && height > 0 && Number.isFinite(width / height) ? { width, height } : undefined
}
