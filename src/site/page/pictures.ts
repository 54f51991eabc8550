/** Pictures of the product: the first beside its name, the others in a row that scrolls without a script. */
import { html } from 'ghtml'
import { getContrast } from '../../accounts/brand/accent.ts'
import { asObject, type DataObject } from '../../kernel/values/data-object.ts'
import { listWidths } from '../../media/files/prepared-file.ts'
import type { PictureFile } from '../../passports/read/picture-files.ts'
import { renderDigest, renderWithdrawal } from './documents.ts'
import { type PageContext, renderOpenSection } from './page-context.ts'
import type { PassportView } from './passport-view.ts'
import { findLocalizedText, type PageLocale, renderAccountText, renderSmallLanguageNote } from './values.ts'

export type Picture = { entry: DataObject; id: string; file: PictureFile }

/** `className`: has its own colour. `sizes`: as in HTML. `loading`: an attribute, as ready HTML. */
type PicturePlace = { className: string; sizes: string; loading: string }

/** Most phones have three pixels for one: 640 look sharp there, and are a third of the bytes of 1,280. */
const FIRST_SIZES = '(min-resolution: 2.5x) 13rem, (max-width: 36rem) 90vw, 16rem'
/** Chromium loads them long before they are seen. */
const OTHER_SIZES = '(min-resolution: 2.5x) 6rem, 13rem'
export const LAZY = 'loading="lazy"'
const TYPES = [
  ['avif', 'image/avif'],
  ['webp', 'image/webp'],
] as const

/** In the order of the account; a file that is missing is left out. */
export function listPictures({ data, pictures }: Pick<PassportView, 'data' | 'pictures'>): Picture[] {
  const entries = Array.isArray(data.pictures) ? data.pictures : []
  return entries.map(asObject).flatMap(entry => {
    const id = String(entry.media)
    const file = pictures.get(id)
    return file === undefined ? [] : [{ entry, id, file }]
  })
}

/** Empty without pictures. */
export function renderFirstPicture(page: PageContext): string {
  const [first] = listPictures(page.view)
  const place = { className: 'c0', sizes: FIRST_SIZES, loading: 'fetchpriority="high"' }
  return first === undefined ? '' : renderPagePicture(page, first, place)
}

/**
 * The entry of a `Link` header that lets a browser ask for the first picture before the page has arrived; one
 * that does not know AVIF, or these widths, passes over it. Undefined without pictures.
 */
export function buildPicturePreload(view: PassportView): string | undefined {
  const [first] = listPictures(view)
  if (first === undefined) return undefined
  const [[extension, type]] = TYPES
  const [smallest, width = smallest] = listWidths(first.file.width)
  return `<../m/${first.id}/${width}.${extension}>; rel="preload"; as="image"; type="${type}"; imagesrcset="${listSources(first, extension)}"; imagesizes="${FIRST_SIZES}"; fetchpriority="high"`
}

/** All pictures but the first, and what is left of withdrawn ones; empty without. */
export function renderGallery(page: PageContext): string {
  const [, ...others] = listPictures(page.view)
  const withdrawn = renderWithdrawnPictures(page)
  const title = page.labels.ui.pictures
  if (others.length === 0) return withdrawn && renderOpenSection('pictures', title, withdrawn)
  const items = others.map((picture, i) => {
    const place = { className: `c${i + 1}`, sizes: OTHER_SIZES, loading: LAZY }
    return html`<li>!${renderPagePicture(page, picture, place)}</li>`
  })
  return renderOpenSection(
    'pictures',
    title,
    html`<ul class="row" tabindex="0" aria-label="${title}">!${items}</ul>!${withdrawn}`,
  )
}

/** The text of a withdrawn picture, with its digest. */
function renderWithdrawnPictures(page: PageContext): string {
  const entries = Array.isArray(page.view.data.pictures) ? page.view.data.pictures : []
  const items = entries.map(asObject).flatMap(({ media, alt }) => {
    const withdrawal = renderWithdrawal(page, media)
    if (withdrawal === '') return []
    const text = findLocalizedText(page, alt)
    return html`<li>!${text === undefined ? '' : renderAccountText(text)}!${withdrawal}!${renderDigest(media)}</li>`
  })
  return items.length === 0 ? '' : html`<ul class="plain">!${items}</ul>`
}

export const renderPictureRules = (view: PassportView): string =>
  listPictures(view)
    .map(({ file }, i) => renderPictureRule(`c${i}`, file))
    .join('')

/**
 * The shape of a picture, its colour until it has loaded, and that of its alternative text: pages allow no
 * inline style.
 */
export function renderPictureRule(className: string, { color, width, height }: PictureFile): string {
  const colors = /^#[0-9a-f]{6}$/.test(color) ? `;background:${color};color:${findTextColor(color)}` : ''
  return `.${className}{--r:${Number((width / height).toFixed(3))}${colors}}`
}

const findTextColor = (background: string): string =>
  getContrast(background, '#000000') > getContrast(background, '#ffffff') ? '#000' : '#fff'

/** Addresses are relative, because a proxy may put everything below a path. */
const listSources = ({ id, file }: Picture, extension: string): string =>
  listWidths(file.width)
    .map(width => `../m/${id}/${width}.${extension} ${Math.min(width, file.width)}w`)
    .join(',')

export function renderPagePicture(
  locale: PageLocale,
  picture: Picture,
  { className, sizes, loading }: PicturePlace,
): string {
  const { entry, id, file } = picture
  const alt = findLocalizedText(locale, entry.alt)
  const caption = findLocalizedText(locale, entry.caption)
  const widths = listWidths(file.width)
  const sources = TYPES.map(
    ([extension, type]) =>
      html`<source type="${type}" srcset="${listSources(picture, extension)}" sizes="${sizes}">`,
  )
  const language = alt?.language === undefined ? '' : html` lang="${alt.language}"`
  const img = html`<img src="../m/${id}/${widths.at(-1)}.jpg" srcset="${listSources(picture, 'jpg')}" sizes="${sizes}" class="${className}" alt="${alt?.text ?? ''}"!${language} width="${file.width}" height="${file.height}" !${loading}>`
  const text =
    caption === undefined
      ? ''
      : html`<figcaption>!${renderAccountText(caption)}!${renderSmallLanguageNote(locale, caption)}</figcaption>`
  return html`<figure class="pic"><picture>!${sources}!${img}</picture>!${text}</figure>`
}
