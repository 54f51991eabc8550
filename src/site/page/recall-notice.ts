/** The recall notices of a passport: the first thing on its page, for every reader. */
import { html } from 'ghtml'
import { fillPlaceholders } from '../../i18n/catalogue.ts'
import { formatDate } from '../../i18n/format.ts'
import type { PassportView } from './passport-view.ts'
import {
  findLink,
  type PageLocale,
  renderExternalLink,
  renderLabelled,
  renderName,
  renderProse,
} from './values.ts'

/** Empty without a recall. It stands before the head of the page. */
export function renderRecalls(locale: PageLocale, { recalls }: Pick<PassportView, 'recalls'>): string {
  if (recalls.length === 0) return ''
  const notices = recalls.map(recall => renderRecall(locale, recall))
  return html`<section class="recall" aria-labelledby="recall"><h2 id="recall">${locale.labels.ui['recall.title']}</h2>!${notices}</section>
`
}

function renderRecall(locale: PageLocale, { level, notice }: PassportView['recalls'][number]): string {
  const { language, labels } = locale
  const { ui } = labels
  const { hazard, action, url, contact, from } = notice
  const date = html`<time datetime="${from}">${formatDate(language, from)}</time>`
  const [before = '', after = ''] = ui['recall.since'].split('{date}')
  const link = url === null ? undefined : findLink(locale, url)
  const contactLine =
    contact === null
      ? ''
      : html`<p class="ask">!${renderLabelled(locale, html`${ui.contact}`, renderName(contact))}</p>`
  const more =
    link === undefined ? '' : html`<p>!${renderExternalLink(locale, link, html`${ui['recall.more']}`)}</p>`
  return html`<p class="scope">${ui[`recall.${level}`]} <span>${before}!${date}${after}</span></p>
<h3>${ui['recall.hazard']}</h3>!${renderProse(locale, hazard)}<h3>${ui['recall.action']}</h3>!${renderProse(locale, action)}!${contactLine}!${more}`
}

/** The title of the document says it, too: a list of tabs, or a screen reader, shows nothing else. */
export function getDocumentTitle(
  { labels: { ui } }: Pick<PageLocale, 'labels'>,
  name: string,
  { recalls }: Pick<PassportView, 'recalls'>,
): string {
  const title = fillPlaceholders(ui.documentTitle, { name })
  return recalls.length === 0
    ? title
    : fillPlaceholders(ui.labelled, { label: ui['recall.title'], value: title })
}
