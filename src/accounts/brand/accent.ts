/** Makes an accent colour readable: keeps the hue, changes lightness to the contrast of WCAG 2.2 AA. */

/** Equal to the colours in the public page's style sheet; a test compares them. */
export const PAGE_BACKGROUND = { light: '#fdfcfa', dark: '#171614' } as const

/** WCAG 2.2, success criterion 1.4.3. */
export const MIN_CONTRAST = 4.5

export type Accent = { light: string; dark: string }

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/

/** `#rrggbb` in lower case for `#RGB` and `#RRGGBB`; undefined for anything else. */
export function parseColour(text: string): string | undefined {
  const hex = text.trim().toLowerCase()
  if (!HEX.test(hex)) return undefined
  return hex.length === 7 ? hex : `#${Array.from(hex.slice(1), digit => digit + digit).join('')}`
}

/** The colour for light and dark pages; unchanged if its contrast suffices. `colour` is `#rrggbb`. */
export function buildAccent(colour: string): Accent {
  return {
    light: readable(colour, PAGE_BACKGROUND.light, 0),
    dark: readable(colour, PAGE_BACKGROUND.dark, 1),
  }
}

/** Ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function getContrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** The nearest colour, towards the lightness `end` (0 black, 1 white), that is readable on `paper`. */
function readable(colour: string, paper: string, end: 0 | 1): string {
  if (getContrast(colour, paper) >= MIN_CONTRAST) return colour
  const [lightness, a, b] = toOklab(channels(colour))
  let [near, far]: [number, number] = [lightness, end]
  for (let step = 0; step < 16; step++) {
    const middle = (near + far) / 2
    if (getContrast(fromOklab([middle, a, b]), paper) >= MIN_CONTRAST) far = middle
    else near = middle
  }
  const found = fromOklab([far, a, b])
  if (getContrast(found, paper) >= MIN_CONTRAST) return found
  return end === 0 ? '#000000' : '#ffffff'
}

type Triple = readonly [number, number, number]

const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const gamma = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055)

/** Linear red, green and blue, 0 to 1. */
function channels(hex: string): Triple {
  const at = (start: number) => linear(Number.parseInt(hex.slice(start, start + 2), 16) / 255)
  return [at(1), at(3), at(5)]
}

function luminance(hex: string): number {
  const [r, g, b] = channels(hex)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** OKLab (Björn Ottosson, 2020), in which a change of lightness keeps the hue. */
function toOklab([r, g, b]: Triple): Triple {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

/** Clips to sRGB. */
function fromOklab([lightness, a, b]: Triple): string {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const hex = (value: number) =>
    Math.round(255 * gamma(Math.min(1, Math.max(0, value))))
      .toString(16)
      .padStart(2, '0')
  const red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s
  const green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s
  const blue = -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s
  return `#${hex(red)}${hex(green)}${hex(blue)}`
}
