/** Where the rules come from: the acts and papers that they cite, with links. */
import { html } from 'ghtml'
import allSources from '../../../rules/sources.json' with { type: 'json' }
import { getRules } from '../../readiness/rules.ts'
import type { Words } from '../page/route.ts'

/** `read`: the day on which somebody read it; `through`: what was read in its place. */
type Source = { title: string; url: string; read: string; through?: string }
const SOURCES = new Map<string, Source>(Object.entries(allSources))
/** The longest first: `FR 2025-957` before a shorter name that begins the same. */
const NAMES = [...SOURCES.keys()].sort((a, b) => b.length - a.length)

/** The Commission's list, whose licence asks for credit. */
const LIST = 'guidance '
const LICENCE = 'https://creativecommons.org/licenses/by/4.0/'

/** `BR VI A(9)` cites `BR`. */
const findSource = (citation: string): string | undefined =>
  NAMES.find(name => citation === name || citation.startsWith(`${name} `))

export function renderSources(words: Words, category: string, acts: readonly string[]) {
  const texts = words.texts.readiness
  const shown = (getRules().acts.get(category) ?? []).filter(({ id }) => acts.includes(id))
  const cited = shown.flatMap(act => [...act.sources, ...act.rules.flatMap(rule => rule.source)])
  const names = [...new Set(cited.flatMap(one => findSource(one) ?? []))]
  if (names.length === 0) return ''
  const lines = names.map(name => html`<li>${name}: !${renderSource(words, SOURCES.get(name))}</li>`)
  const credit = names.some(name => name.startsWith(LIST))
    ? html`<p class="quiet">${texts.credit} <a href="${LICENCE}" rel="noreferrer">CC BY 4.0</a>.</p>`
    : ''
  return html`<section aria-labelledby="sources" class="sources"><h2 id="sources">${texts.sources}</h2><ul class="points quiet">!${lines}</ul>!${credit}</section>`
}

function renderSource(words: Words, source: Source | undefined): string {
  if (source === undefined) return ''
  const { title, url, read, through } = source
  const texts = words.texts.readiness
  const date = words.date(read)
  const how = through === undefined ? texts.readOn({ date }) : texts.readThrough({ date, source: through })
  return html`<a href="${url}" rel="noreferrer">${title}</a>, ${how}`
}
