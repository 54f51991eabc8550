/** The settings of scan counting: laws differ between accounts. */

import { html } from 'ghtml'
import { allCategories } from '../../categories/catalogue.ts'
import {
  DEFAULT_CLONE_RULES,
  getScanSettings,
  type ScanSettings,
  setScanSettings,
} from '../../scans/settings.ts'
import { renderTick, section } from '../page/parts.ts'
import { type Outcome, SCANS, type Visit, type Words } from '../page/route.ts'
import { getCategoryName } from '../product-data/labels.ts'
import { SWITCHES } from './key-figures.ts'

/** A notice at the top of a page that says what its numbers leave out. */
export function renderUncountedNotice(words: Words, { on, off_categories: off }: ScanSettings): string {
  const texts = words.texts.scans
  if (!on) return html`<p class="reach">${texts.isOff} <a href="${SCANS}#switches">${texts.switches}</a></p>`
  if (off.length === 0) return ''
  const names = off.map(category => getCategoryName(words, category)).join(', ')
  return html`<p class="reach">${texts.isOffFor({ categories: names })} <a href="${SCANS}#switches">${texts.switches}</a></p>`
}

export function renderSwitches({ words, session }: Visit, settings: ScanSettings): string {
  const texts = words.texts.scans
  const body =
    session.role === 'viewer'
      ? html`!${renderReadOnlySwitches(words, settings)}<p class="quiet">${texts.viewersOnly}</p>`
      : renderSwitchesForm(words, settings)
  return section('switches', texts.switches, html`<p>${texts.switchesLead}</p>!${body}`)
}

function renderReadOnlySwitches(words: Words, settings: ScanSettings): string {
  const texts = words.texts.scans
  const word = (isOn: boolean) => (isOn ? texts.on : texts.off)
  const lines = [
    [texts.switchAll, word(settings.on)],
    ...allCategories().map(({ id }) => [getCategoryName(words, id), word(isCategoryOn(settings, id))]),
    [texts.switchClones, word(settings.clone_rules !== null)],
  ]
  return html`<dl class="pairs">!${lines.map(([name, state]) => html`<dt>${name}</dt><dd>${state}</dd>`)}</dl>`
}

const isCategoryOn = ({ off_categories: off }: ScanSettings, category: string) => !off.includes(category)

function renderSwitchesForm(words: Words, settings: ScanSettings): string {
  const texts = words.texts.scans
  const rules = { ...DEFAULT_CLONE_RULES, ...settings.clone_rules }
  const clonesHint = texts.switchClonesHint({
    countries: rules.countries,
    devices: rules.devices,
    many: rules.many_countries,
    scans: rules.scans,
    scanDevices: rules.scan_devices,
  })
  const categories = allCategories().map(({ id }) =>
    renderTick(`category-${id}`, getCategoryName(words, id), {
      name: 'category',
      value: id,
      isOn: isCategoryOn(settings, id),
    }),
  )
  return html`<form method="post" action="${SWITCHES}" class="narrow switches">
!${renderTick('counting', texts.switchAll, { isOn: settings.on, hint: texts.switchAllHint })}
<fieldset><legend>${texts.switchCategories}</legend>!${categories}</fieldset>
!${renderTick('watch-clones', texts.switchClones, { name: 'clones', isOn: settings.clone_rules !== null, hint: clonesHint })}
<button>${texts.save}</button></form>`
}

/** A box that is not ticked is off. The thresholds of suspicion stay unless that check is switched. */
export async function submitSwitches({ ctx, form: sent }: Visit): Promise<Outcome> {
  const settings = await getScanSettings(ctx, ctx.accountId)
  const ticked = sent.all('category')
  const isWatched = settings.clone_rules !== null
  const wantsWatch = sent.text('clones') === 'on'
  await setScanSettings(ctx, {
    accountId: ctx.accountId,
    on: sent.text('counting') === 'on',
    categories: Object.fromEntries(allCategories().map(({ id }) => [id, ticked.includes(id)])),
    ...(isWatched === wantsWatch ? {} : { cloneRules: wantsWatch ? {} : null }),
  })
  return { to: `${SCANS}?saved=1#switches` }
}
