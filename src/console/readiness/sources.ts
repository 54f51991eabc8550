/** Where the rules come from: the acts and papers that they cite, with links. */
import { html } from 'ghtml'
import allSources from '../../../rules/sources.json' with { type: 'json' }
import { getRules } from '../../readiness/rules.ts'
import type { Words } from '../page/route.ts'

type Source = { title: string; url?: string }
const SOURCES = new Map<string, Source>(Object.entries(allSources))
/** The longest first: `FR 2025-957` before a shorter name that begins the same. */
const NAMES = [...SOURCES.keys()].sort((a, b) => b.length - a.length)

/** The Commission's list, whose licence asks for credit. */
const LIST = 'guidance'
const LICENCE = 'https://creativecommons.org/licenses/by/4.0/'

/** `BR VI A(9)` cites `BR`. */
const findSource = (citation: string): string | undefined =>
  NAMES.find(name => citation === name || citation.startsWith(`${name} `))

export function renderSources(
  { texts: { readiness: texts } }: Words,
  category: string,
  acts: readonly string[],
) {
  const shown = (getRules().acts.get(category) ?? []).filter(({ id }) => acts.includes(id))
  const cited = shown.flatMap(act => [...act.sources, ...act.rules.flatMap(rule => rule.source)])
  const names = [...new Set(cited.flatMap(one => findSource(one) ?? []))]
  if (names.length === 0) return ''
  const lines = names.map(name => html`<li>${name}: !${renderSource(SOURCES.get(name))}</li>`)
  const credit = names.includes(LIST)
    ? html`<p class="quiet">${texts.credit} <a href="${LICENCE}" rel="noreferrer">CC BY 4.0</a>.</p>`
    : ''
  return html`<section aria-labelledby="sources" class="sources"><h2 id="sources">${texts.sources}</h2><ul class="points quiet">!${lines}</ul>!${credit}</section>`
}

const renderSource = (source: Source | undefined): string =>
  source?.url === undefined
    ? html`${source?.title ?? ''}`
    : html`<a href="${source.url}" rel="noreferrer">${source.title}</a>`
