/** Renders the brand page. */

import { html } from 'ghtml'
import {
  buildAccent,
  getContrast,
  MIN_CONTRAST,
  PAGE_BACKGROUND,
  parseColour,
} from '../../accounts/brand/accent.ts'
import type { Brand, BrandLogo } from '../../accounts/brand/brand.ts'
import { MAX_LOGO_BYTES, MAX_LOGO_SIDE_PIXELS } from '../../accounts/brand/logo.ts'
import type { BrandStory } from '../../accounts/brand/story.ts'
import { MAX_BRAND_NAME_LENGTH } from '../../accounts/brand/update-brand.ts'
import { isFine, type Problems } from '../page/form.ts'
import {
  defaultButton,
  described,
  doneNotice,
  facts,
  input,
  notes,
  renderTick,
  section,
  summary,
} from '../page/parts.ts'
import { BRAND, type ConsolePage, type Words } from '../page/route.ts'
import { backToSettings } from '../settings/places.ts'
import { renderStorySummary } from './story.ts'

/** The picker's value if there is no colour, because a colour input cannot be empty. */
const PICKER_START = '#1a5f4b'

export const pickerOf = (accent: string) => parseColour(accent) ?? PICKER_START

/** The values as typed; frames one per line. */
export type Look = { name: string; accent: string; frames: string }

type Shown = {
  brand: Brand
  look: Look
  /** Typed but not saved. */
  isTried: boolean
  problems: Problems
  story: BrandStory | undefined
  mayChange: boolean
  isSaved: boolean
  preview: string | undefined
}

export function brandPage(words: Words, shown: Shown): ConsolePage {
  const { brand, look, problems, mayChange, preview } = shown
  const texts = words.texts.brand
  const labels = {
    name: texts.name,
    accent: texts.accent,
    frames: texts.frames,
    logo: texts.logo,
    logo_dark: texts.logoDark,
  }
  const open =
    preview === undefined
      ? html`<p class="quiet">${texts.previewNone}</p>`
      : html`<p class="choices"><a class="button second" href="${preview}" target="_blank" rel="noopener">${texts.preview}</a></p>`
  const body = html`!${backToSettings(words)}<h1>${texts.title}</h1><p class="lead">${texts.lead}!${mayChange ? '' : html` ${texts.viewersOnly}`}</p>
!${shown.isSaved ? doneNotice(texts.saved) : ''}!${summary(words.texts, problems, labels)}!${open}
!${mayChange ? lookForm(words, shown) : html`!${lookFacts(words, brand)}!${adjusted(words, look.accent, false)}`}
!${section('logos', texts.logos, mayChange ? logoForm(words, brand, problems) : logoPictures(words, brand))}
!${renderStorySummary(words, shown.story, mayChange)}`
  return {
    title: texts.title,
    body,
    styles: ['pictures'],
    scripts: mayChange ? ['colour'] : [],
    status: isFine(problems) ? 200 : 422,
  }
}

function lookForm(words: Words, { look, problems, isTried }: Shown): string {
  const texts = words.texts.brand
  const name = {
    name: 'name',
    label: texts.name,
    hint: texts.nameHint,
    value: look.name,
    autocomplete: 'organization',
    maxLength: MAX_BRAND_NAME_LENGTH,
    isOptional: true,
  }
  const frames = { name: 'frames', hint: texts.framesHint }
  const content = html`
<form method="post" action="${BRAND}" novalidate class="data">!${defaultButton(texts.save)}!${input(name, problems)}!${accentField(words, look, problems)}!${adjusted(words, look.accent, isTried)}
<div class="field"><label for="frames">${texts.frames}</label>!${notes(frames, problems)}
<textarea id="frames" name="frames" rows="3" spellcheck="false" autocapitalize="none" autocomplete="off"!${described(frames, problems)}>
${look.frames}</textarea></div>
<button>${texts.save}</button></form>`
  return section('look', texts.look, content)
}

function accentField(words: Words, { accent }: Look, problems: Problems): string {
  const texts = words.texts.brand
  const field = { name: 'accent', hint: texts.accentHint }
  return html`<div class="field"><label for="accent">${texts.accent}</label>!${notes(field, problems)}
<div class="colour"><input type="color" name="accent_picker" value="${pickerOf(accent)}" aria-label="${texts.picker}"><input id="accent" name="accent" value="${accent}" maxlength="20" autocomplete="off" autocapitalize="none" spellcheck="false"!${described(field, problems)}>
<button class="second" formmethod="get" formaction="${BRAND}#adjusted">${texts.tryIt}</button></div><input type="hidden" name="accent_shown" value="${accent}"></div>`
}

/** The colour on light and on dark pages, as an SVG, because the policy allows no inline style. */
function adjusted(words: Words, typed: string, isTried: boolean): string {
  const texts = words.texts.brand
  const colour = parseColour(typed)
  if (colour === undefined) return ''
  const shades = buildAccent(colour)
  const one = (scheme: 'light' | 'dark', label: string) => {
    const shade = shades[scheme]
    const ratio = words.number(Math.floor(getContrast(shade, PAGE_BACKGROUND[scheme]) * 10) / 10)
    return html`<div class="shade"><svg width="96" height="64" viewBox="0 0 96 64" role="img" aria-label="${label}: ${shade}"><rect x=".5" y=".5" width="95" height="63" rx="4" fill="${PAGE_BACKGROUND[scheme]}" stroke="#85857d"/><text x="14" y="42" font-size="28" font-weight="600" fill="${shade}">${texts.sample}</text><circle cx="74" cy="32" r="11" fill="${shade}"/></svg>
<p>${label}<span class="quiet line"><code>${shade}</code> ${shade === colour ? texts.asGiven : texts.adjustedFrom}, ${texts.contrast({ ratio })}</span></p></div>`
  }
  return html`<div class="field" id="adjusted" role="group" aria-label="${texts.adjusted}">
<div class="shades">!${one('light', texts.onLight)}!${one('dark', texts.onDark)}</div>
<p class="quiet">!${isTried ? html`<strong>${texts.trying}</strong> ` : ''}${texts.adjustedLead({ least: MIN_CONTRAST })}</p></div>`
}

function lookFacts(words: Words, { name, accent, frameAncestors }: Brand): string {
  const texts = words.texts.brand
  return facts([
    [texts.name, name ?? texts.none],
    [texts.accent, accent ?? texts.none],
    [texts.frames, frameAncestors.length === 0 ? texts.none : frameAncestors.join(', ')],
  ])
}

function logoForm(words: Words, brand: Brand, problems: Problems): string {
  const texts = words.texts.brand
  const one = (name: 'logo' | 'logo_dark', label: string, logo: BrandLogo | null) => {
    const field = name === 'logo' ? { name } : { name, hint: texts.logoDarkHint }
    const remove = name === 'logo' ? texts.remove : texts.removeDark
    const box = renderTick(`remove_${name}`, remove, { value: 'yes' })
    return html`<div class="field"><label for="${name}">${label}</label>!${notes(field, problems)}!${picture(words, name, logo)}
<input type="file" id="${name}" name="${name}" accept=".svg,.png,.jpg,.jpeg,.webp,image/svg+xml,image/png,image/jpeg,image/webp"!${described(field, problems)}>!${logo === null ? '' : box}</div>`
  }
  return html`<p class="quiet">${texts.logosLead({ bytes: MAX_LOGO_BYTES, side: MAX_LOGO_SIDE_PIXELS })}</p>
<form method="post" action="${BRAND}/logos" enctype="multipart/form-data" novalidate class="data">
!${one('logo', texts.logo, brand.logo)}!${one('logo_dark', texts.logoDark, brand.logoDark)}<button>${texts.upload}</button></form>`
}

function logoPictures(words: Words, brand: Brand): string {
  const texts = words.texts.brand
  const one = (name: 'logo' | 'logo_dark', label: string, logo: BrandLogo | null) =>
    html`<dt>${label}</dt><dd>!${logo === null ? texts.none : picture(words, name, logo)}</dd>`
  return html`<dl class="pairs">!${one('logo', texts.logo, brand.logo)}!${one('logo_dark', texts.logoDark, brand.logoDark)}</dl>`
}

/** The logo on the background that it is meant for. */
function picture(words: Words, name: 'logo' | 'logo_dark', logo: BrandLogo | null): string {
  if (logo === null) return ''
  const texts = words.texts.brand
  const label = name === 'logo' ? texts.logo : texts.logoDark
  const size = texts.size({ width: logo.width, height: logo.height })
  return html`<p class="logo-now!${name === 'logo' ? '' : ' dark'}"><img src="/brand/${logo.file}" alt="${label}, ${size}" width="${logo.width}" height="${logo.height}"></p>`
}
