/** How the public pages look: read by everyone of the account, changed by its editors and owners. */
import { findColour } from '../../accounts/brand/accent.ts'
import { type Brand, getBrand } from '../../accounts/brand/brand.ts'
import {
  ANCESTORS_MAX,
  BRAND_NAME_LENGTH_MAX,
  type BrandChange,
  findOrigin,
  setBrand,
} from '../../accounts/brand/set-brand.ts'
import { contextOf } from '../../accounts/people/sessions.ts'
import { isLongerThan, isOneLine } from '../../kernel/characters.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { listPassports } from '../../passports/read/list.ts'
import { isFine, type Problems, problemsOf } from '../form.ts'
import type { Outcome, SignedInVisit } from '../route.ts'
import { wordsOf } from '../texts.ts'
import { readLogos } from './logos.ts'
import { brandPage, type Look, pickerOf } from './page.ts'
import { BRAND } from './place.ts'
import { BRAND_TEXTS } from './texts.ts'

const NEWEST_MODEL = { levels: ['m'] } as const
const SAVED = `${BRAND}?saved=1`

export async function showBrand(visit: SignedInVisit): Promise<Outcome> {
  const brand = await getBrand(contextOf(visit.setup, visit.session))
  const tried = visit.query.has('accent') ? typedIn(name => visit.query.get(name) ?? '') : undefined
  return page(visit, brand, { look: tried, problems: tried === undefined ? {} : problemsWith(visit, tried) })
}

type Shown = { look?: Look | undefined; problems: Problems; isSaved?: boolean }

async function page(visit: SignedInVisit, brand: Brand, { look, problems }: Shown): Promise<Outcome> {
  const { setup, session, words, query } = visit
  const newest = await listPassports(contextOf(setup, session), NEWEST_MODEL, { limit: 1, page: 1 })
  const model = newest.rows[0]
  return brandPage(words, {
    brand,
    look: look ?? lookOf(brand),
    isTried: look !== undefined,
    problems,
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

/** A form has the colour twice, as text and as a picker: the one that was touched counts, the text before the picker. */
function typedIn(text: (name: string) => string): Look {
  const shown = text('accent_shown')
  const accent = text('accent').trim()
  const picked = text('accent_picker')
  const isPicked = accent === shown && picked !== '' && picked !== pickerOf(shown)
  return { name: text('name').trim(), accent: isPicked ? picked : accent, frames: text('frames') }
}

const originsIn = (frames: string) => frames.split(/[\s,]+/).filter(one => one !== '')

function problemsWith({ words }: SignedInVisit, { name, accent, frames }: Look): Problems {
  const { errors } = wordsOf(words, BRAND_TEXTS)
  const wrong = originsIn(frames).filter(one => findOrigin(one) === undefined)
  const isMany = new Set(originsIn(frames).map(findOrigin)).size > ANCESTORS_MAX
  const nameFormat = isOneLine(name) ? undefined : errors.nameFormat
  const framesProblem = isMany ? errors.framesMax(ANCESTORS_MAX) : undefined
  return problemsOf({
    name: isLongerThan(name, BRAND_NAME_LENGTH_MAX) ? errors.nameLength(BRAND_NAME_LENGTH_MAX) : nameFormat,
    accent: accent === '' || findColour(accent) !== undefined ? undefined : errors.accent,
    frames: wrong.length > 0 ? errors.frames(wrong.slice(0, 3).join(', ')) : framesProblem,
  })
}

export async function submitLook(visit: SignedInVisit): Promise<Outcome> {
  const ctx = contextOf(visit.setup, visit.session)
  const brand = await getBrand(ctx)
  const look = typedIn(visit.form.raw)
  const problems = problemsWith(visit, look)
  if (!isFine(problems)) return page(visit, brand, { look, problems })
  const change = changeOf(brand, look)
  if (Object.keys(change).length > 0) await setBrand(ctx, change)
  return { to: SAVED }
}

/** Only what is different, because the audit log says what was changed. */
function changeOf(brand: Brand, { name, accent, frames }: Look): BrandChange {
  const colour = accent === '' ? null : (findColour(accent) ?? null)
  const origins = originsIn(frames).map(one => findOrigin(one) ?? one)
  const was = lookOf(brand)
  return {
    ...(name === was.name ? {} : { name: name === '' ? null : name }),
    ...(colour === brand.accent ? {} : { accent: colour }),
    ...(origins.join('\n') === was.frames ? {} : { frameAncestors: origins }),
  }
}

export async function submitLogos(visit: SignedInVisit): Promise<Outcome> {
  const ctx = contextOf(visit.setup, visit.session)
  const { change, problems } = readLogos(visit)
  if (!isFine(problems)) return page(visit, await getBrand(ctx), { problems })
  if (Object.keys(change).length > 0) await setBrand(ctx, change)
  return { to: SAVED }
}
