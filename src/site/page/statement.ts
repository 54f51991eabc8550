/** Renders a sentence that the account states, with its source: an object of a `statement` figure. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { findLink, type PageLocale, renderExternalLink, renderProse, renderUntranslated } from './values.ts'

/** The members are a localized sentence, the name of its source, and the address of that. */
export function renderStatement(locale: PageLocale, members: readonly Field[], value: DataObject): string {
  const getText = (member: Field | undefined): string => {
    const text = member && value[member.name]
    return typeof text === 'string' ? text : ''
  }
  const sentence = members.find(({ localized }) => localized === true)
  const url = findLink(locale, getText(members.find(({ format }) => format === 'url')))
  const name = renderUntranslated(
    locale,
    getText(members.find(one => one !== sentence && one.format === undefined)),
  )
  const source = url === undefined ? name : renderExternalLink(locale, url, name)
  const [before = '', after = ''] = locale.labels.ui.statementSource.split('{source}')
  const prose = renderProse(locale, sentence && value[sentence.name])
  return html`!${prose}<p class="from">${before}!${source}${after}</p>`
}
