/** The block “From the brand”: what the account says in its own words, set apart from the passport's data. */
import { html } from 'ghtml'
import { fillPlaceholders } from '../../i18n/catalogue.ts'
import type { PageStory } from '../../passports/story/read-story.ts'
import { asText, getOperatorName, type PageContext, renderOpenSection } from './page-context.ts'
import { LAZY, renderPagePicture, renderPictureRule } from './pictures.ts'
import {
  findLink,
  findLocalizedText,
  type PageLocale,
  renderAccountText,
  renderExternalLink,
  renderLangAndDirection,
  renderLanguageNote,
  renderSmallLanguageNote,
} from './values.ts'

const ANCHOR = 'from-brand'
const COLOR_CLASS = 'cb'
/** As wide as the text; phones with three pixels for one get 640. */
const SIZES = '(min-resolution: 2.5x) 13rem, (max-width: 40rem) 90vw, 35rem'

/**
 * Empty without a block. Its texts follow the language of the page alone: readers of one page share one
 * response, whatever other languages they read.
 */
export function renderStory(page: PageContext, story: PageStory | undefined): string {
  if (story === undefined) return ''
  const locale = { ...page, preferredLanguages: [page.language] }
  const { ui } = page.labels
  const note = fillPlaceholders(ui['story.note'], { brand: getAuthor(page) })
  const body = renderText(locale, story) + renderStoryPicture(locale, story) + renderLinks(locale, story)
  return renderOpenSection(ANCHOR, ui['story.title'], html`<p class="from"><bdi>${note}</bdi></p>!${body}`)
}

/** The rule of its picture; empty without a picture. */
export const renderStoryRule = (story: PageStory | undefined): string =>
  story?.file === undefined ? '' : renderPictureRule(COLOR_CLASS, story.file)

const getAuthor = ({ brand, view }: PageContext): string =>
  brand.name ?? (asText(view.data.brandName) || getOperatorName(view))

/** An empty line separates paragraphs; other line ends stay. */
function renderText(locale: PageLocale, { text }: PageStory): string {
  const localized = findLocalizedText(locale, text)
  if (localized === undefined) return ''
  const paragraphs = localized.text.split(/\n\s*\n/).map(paragraph => {
    const lines = html`${paragraph}`.replaceAll('\n', '<br>')
    return html`<p!${renderLangAndDirection({ ...localized, text: paragraph })}>!${lines}</p>`
  })
  return renderLanguageNote(locale, localized) + paragraphs.join('')
}

function renderStoryPicture(locale: PageLocale, { picture, file }: PageStory): string {
  if (picture === null || file === undefined) return ''
  const entry = { alt: picture.alt }
  const place = { className: COLOR_CLASS, sizes: SIZES, loading: LAZY }
  return renderPagePicture(locale, { entry, id: picture.media, file }, place)
}

function renderLinks(locale: PageLocale, { links }: PageStory): string {
  const items = links.flatMap(({ url, label }) => {
    const link = findLink(locale, url)
    const name = findLocalizedText(locale, label)
    if (link === undefined || name === undefined) return []
    const note = renderSmallLanguageNote(locale, name)
    return html`<li>!${renderExternalLink(locale, link, renderAccountText(name))}!${note}</li>`
  })
  return items.length === 0 ? '' : html`<ul class="plain">!${items}</ul>`
}
