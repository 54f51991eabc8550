/** The section “Life of this product”: the newest events of a unit that the reader may see. */
import { html } from 'ghtml'
import { getInUseTable } from '../../categories/in-use/table.ts'
import { fillPlaceholders, findLabel } from '../../i18n/catalogue.ts'
import { formatCountry, formatDate } from '../../i18n/format.ts'
import type { EventPart } from '../../passports/life/event.ts'
import type { ReaderEvent } from '../../passports/life/reader-events.ts'
import { type PageContext, renderCollapsible, renderPreviewQuery } from './page-context.ts'
import { findLink, renderExternalLink, renderLabelled, renderName, renderProse } from './values.ts'

/** The anchor is printed and linked to: never change it. */
const ANCHOR = 'life'

/** Empty without an event that the reader may see. */
export function renderLife(page: PageContext): string {
  const { view, labels } = page
  const { life } = view
  if (life === null) return ''
  const { ui } = labels
  const state =
    life.state === 'new'
      ? ''
      : html`<p class="state">!${renderLabelled(page, html`${ui['life.state']}`, html`<b>${getStateLabel(page, life.state)}</b>`)}</p>`
  const entries = life.events.map(event => html`<li>!${renderEvent(page, event)}</li>`)
  const more = life.hasMore
    ? html`<p><a href="${view.url}/events?!${renderPreviewQuery(page.access)}limit=100">${ui['life.all']}</a></p>`
    : ''
  return renderCollapsible(
    ANCHOR,
    ui['section.life'],
    html`!${state}<ol class="chain">!${entries}</ol>!${more}`,
    {
      isOpen: view.audience !== 'public',
    },
  )
}

/** The table of an operator has labels for its own kinds. */
function getKindLabel({ view, language, labels }: PageContext, kind: string): string {
  const own = getInUseTable(view.category.id).events.get(kind)?.label
  return (
    findLabel(labels, 'values', `event.${kind}`) ?? own?.[language] ?? own?.en ?? kind.replaceAll('_', ' ')
  )
}

function getStateLabel(page: PageContext, state: string): string {
  const { ui } = page.labels
  if (state === 'in_use') return ui['life.in_use']
  return state === 'succeeded' ? ui['life.succeeded'] : getKindLabel(page, state)
}

function renderEvent(page: PageContext, event: ReaderEvent): string {
  const { kind, at, corrected } = event
  const head = html`<strong>${getKindLabel(page, kind)}</strong> <small class="from"><time datetime="${at}">${formatDate(page.language, at)}</time></small>`
  const body =
    head + renderProse(page, event.note) + renderParts(page, event.parts) + renderAuthor(page, event)
  if (corrected === null) return body
  const date = formatDate(page.language, corrected.at.toISOString())
  const reason = renderProse(page, corrected.note)
  return html`<del>!${body}</del><p class="from">${fillPlaceholders(page.labels.ui['life.corrected'], { date })}</p>!${reason}`
}

function renderParts(page: PageContext, parts: readonly EventPart[] = []): string {
  if (parts.length === 0) return ''
  const names = parts.map(({ name, partNumber, serial, passportUrl }) => {
    const numbers = [partNumber, serial].filter(one => one !== undefined)
    const text = renderName(numbers.length === 0 ? name : `${name} (${numbers.join(', ')})`)
    const link = passportUrl === undefined ? undefined : findLink(page, passportUrl)
    return link === undefined ? text : renderExternalLink(page, link, text)
  })
  return html`<p>!${renderLabelled(page, html`${page.labels.ui['life.parts']}`, names.join(' · '))}</p>`
}

function renderAuthor(page: PageContext, { by }: ReaderEvent): string {
  if (by === undefined) return ''
  const country = by.country === undefined ? '' : html`, ${formatCountry(page.language, by.country)}`
  return html`<p>!${renderLabelled(page, html`${page.labels.ui['life.doneBy']}`, renderName(by.name) + country)}</p>`
}
