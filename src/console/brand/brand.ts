/** The brand of the public pages: all members see it, editors and owners change it. */
import { parseColour } from '../../accounts/brand/accent.ts'
import { type Brand, getBrand } from '../../accounts/brand/brand.ts'
import { MAX_LOGO_BYTES, MAX_LOGO_SIDE_PIXELS, parseLogo } from '../../accounts/brand/logo.ts'
import { findStory } from '../../accounts/brand/story.ts'
import {
  type BrandChange,
  MAX_BRAND_NAME_LENGTH,
  MAX_FRAME_ANCESTORS,
  parseFrameAncestor,
  updateBrand,
} from '../../accounts/brand/update-brand.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import { findNewestModel } from '../../passports/read/find.ts'
import { isFine, type Problems, problemsOf } from '../page/form.ts'
import { BRAND, type Outcome, type Visit, type Words } from '../page/route.ts'
import type { Upload } from '../page/upload.ts'
import { brandPage, type Look, pickerOf } from './page.ts'

const SAVED = `${BRAND}?saved=1`

export async function showBrand(visit: Visit): Promise<Outcome> {
  const brand = await getBrand(visit.ctx)
  const tried = visit.query.has('accent') ? typedIn(name => visit.query.get(name) ?? '') : undefined
  return page(visit, brand, { look: tried, problems: tried === undefined ? {} : problemsWith(visit, tried) })
}

type Shown = { look?: Look | undefined; problems: Problems }

async function page(visit: Visit, brand: Brand, { look, problems }: Shown): Promise<Outcome> {
  const { ctx, session, words, query } = visit
  const [model, story] = await Promise.all([findNewestModel(ctx), findStory(ctx)])
  return brandPage(words, {
    brand,
    look: look ?? lookOf(brand),
    isTried: look !== undefined,
    problems,
    story,
    mayChange: session.role !== 'viewer',
    isSaved: query.has('saved'),
    preview: model === undefined ? undefined : `/p/${idFromUuid(model.id)}`,
  })
}

const lookOf = ({ name, accent, frameAncestors }: Brand): Look => ({
  name: name ?? '',
  accent: accent ?? '',
  frames: frameAncestors.join('\n'),
})

/**
 * The form has the colour as text and as a picker: the one that was changed counts, and the text if both
 * were.
 */
function typedIn(text: (name: string) => string): Look {
  const shown = text('accent_shown')
  const accent = text('accent').trim()
  const picked = text('accent_picker')
  const isPicked = accent === shown && picked !== '' && picked !== pickerOf(shown)
  return { name: text('name').trim(), accent: isPicked ? picked : accent, frames: text('frames') }
}

const originsIn = (frames: string) => frames.split(/[\s,]+/).filter(one => one !== '')

function problemsWith({ words }: Visit, { name, accent, frames }: Look): Problems {
  const { errors } = words.texts.brand
  const wrong = originsIn(frames).filter(one => parseFrameAncestor(one) === undefined)
  const isMany = new Set(originsIn(frames).map(parseFrameAncestor)).size > MAX_FRAME_ANCESTORS
  const nameFormat = isOneLine(name) ? undefined : errors.nameFormat
  const framesProblem = isMany ? errors.framesMax({ most: MAX_FRAME_ANCESTORS }) : undefined
  return problemsOf({
    name: isLongerThan(name, MAX_BRAND_NAME_LENGTH)
      ? errors.nameLength({ most: MAX_BRAND_NAME_LENGTH })
      : nameFormat,
    accent: accent === '' || parseColour(accent) !== undefined ? undefined : errors.accent,
    frames: wrong.length > 0 ? errors.frames({ wrong: wrong.slice(0, 3).join(', ') }) : framesProblem,
  })
}

export async function submitLook(visit: Visit): Promise<Outcome> {
  const { ctx } = visit
  const brand = await getBrand(ctx)
  const look = typedIn(visit.form.raw)
  const problems = problemsWith(visit, look)
  if (!isFine(problems)) return page(visit, brand, { look, problems })
  const change = changeOf(brand, look)
  if (Object.keys(change).length > 0) await updateBrand(ctx, change)
  return { to: SAVED }
}

/** Only the members that differ, because the audit log names what was changed. */
function changeOf(brand: Brand, { name, accent, frames }: Look): BrandChange {
  const colour = accent === '' ? null : (parseColour(accent) ?? null)
  const origins = originsIn(frames).map(one => parseFrameAncestor(one) ?? one)
  const was = lookOf(brand)
  return {
    ...(name === was.name ? {} : { name: name === '' ? null : name }),
    ...(colour === brand.accent ? {} : { accent: colour }),
    ...(origins.join('\n') === was.frames ? {} : { frameAncestors: origins }),
  }
}

export async function submitLogos(visit: Visit): Promise<Outcome> {
  const { ctx } = visit
  const { change, problems } = readLogos(visit)
  if (!isFine(problems)) return page(visit, await getBrand(ctx), { problems })
  if (Object.keys(change).length > 0) await updateBrand(ctx, change)
  return { to: SAVED }
}

export function readLogos(visit: Visit): {
  change: Pick<BrandChange, 'logo' | 'logoDark'>
  problems: Problems
} {
  const logo = readLogo(visit, 'logo')
  const logoDark = readLogo(visit, 'logo_dark')
  return {
    change: {
      ...(logo.change === undefined ? {} : { logo: logo.change }),
      ...(logoDark.change === undefined ? {} : { logoDark: logoDark.change }),
    },
    problems: problemsOf({ logo: logo.problem, logo_dark: logoDark.problem }),
  }
}

function readLogo({ uploads, form, words }: Visit, name: string) {
  const upload = uploads.get(name)
  const isRemoved = form.text(`remove_${name}`) === 'yes'
  if (upload === undefined) return { change: isRemoved ? null : undefined, problem: undefined }
  if (isRemoved) return { change: undefined, problem: words.texts.brand.errors.logoBoth }
  return { change: upload.bytes, problem: problemOf(words, upload) }
}

function problemOf(words: Words, { bytes, size }: Upload): string | undefined {
  const { errors } = words.texts.brand
  const most = words.number(MAX_LOGO_BYTES)
  if (size > bytes.length) return errors.logoBytes({ size, most })
  const checked = parseLogo(bytes, 'logo')
  if ('bytes' in checked) return undefined
  if (checked.code !== 'max') return errors.logoFormat
  // Pixel images are stored unchanged. A drawing may be too large only after it is cleaned.
  if (/^\s*(?:\ufeff)?\s*</.test(bytes.toString('utf8', 0, 64))) return errors.logoDrawing({ most })
  return size > MAX_LOGO_BYTES
    ? errors.logoBytes({ size, most })
    : errors.logoSide({ most: MAX_LOGO_SIDE_PIXELS })
}
