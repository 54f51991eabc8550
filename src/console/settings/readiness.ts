/** The settings of an account for its readiness: acts to opt in to, facts about the company, and the gate. */
import { isDeepStrictEqual } from 'node:util'
import { html } from 'ghtml'
import { storeReadinessSettings } from '../../accounts/account/readiness-settings.ts'
import { getReadinessSettings } from '../../passports/readiness/report-passport.ts'
import type { Act } from '../../readiness/act.ts'
import { getRules } from '../../readiness/rules.ts'
import {
  GATE_MODES,
  listActs,
  parseReadinessSettings,
  type ReadinessSettings,
} from '../../readiness/settings.ts'
import { listUsedParameters, type UsedParameter } from '../../readiness/used-parameters.ts'
import { isFine, type PostedForm, type Problems } from '../page/form.ts'
import {
  described,
  doneNotice,
  notes,
  pointList,
  renderTick,
  section,
  select,
  summary,
} from '../page/parts.ts'
import { type Outcome, READINESS, READINESS_SETTINGS, type Visit, type Words } from '../page/route.ts'
import { findText } from '../page/texts.ts'
import { getActTexts } from '../product-data/rule-texts.ts'
import { settingsHead } from './places.ts'

export async function showReadinessSettings(visit: Visit): Promise<Outcome> {
  return renderPage(visit, await getReadinessSettings(visit.ctx), {})
}

export async function submitReadinessSettings(visit: Visit): Promise<Outcome> {
  const { ctx, words, form } = visit
  const before = await getReadinessSettings(ctx)
  const settings = parseReadinessSettings(getRules(), readSettings(form, before))
  const { on, acts } = settings.gate
  if (on !== 'off' && acts.length === 0)
    return renderPage(visit, settings, { gate_acts: words.texts.readinessSettings.gateNeedsActs })
  if (!isDeepStrictEqual(settings, before)) await storeReadinessSettings(ctx, settings)
  return { to: `${READINESS_SETTINGS}?done=yes` }
}

/** Parameters that the page does not show stay as they are. Values that are no choice are ignored. */
function readSettings(form: PostedForm, { parameters }: ReadinessSettings): ReadinessSettings {
  const known = listActs(getRules()).map(({ id }) => id)
  const chosen = (name: string, of = known) => of.filter(id => form.all(name).includes(id))
  const said: Record<string, string | boolean> = { ...parameters }
  for (const { name, kind, usual } of listUsedParameters(getRules())) {
    const text = form.text(`p.${name}`)
    const value = kind === 'boolean' ? text === 'yes' : kind.find(one => one === text)
    if (value === undefined || value === (usual ?? false)) delete said[name]
    else said[name] = value
  }
  return {
    acts: chosen(
      'act',
      listOptional().map(({ id }) => id),
    ),
    parameters: said,
    gate: {
      acts: chosen('gate_act'),
      on: GATE_MODES.find(one => one === form.text('gate')) ?? 'off',
    },
  }
}

const listOptional = () => listActs(getRules()).filter(({ activation }) => activation === 'opt_in')

function renderPage({ words, query }: Visit, settings: ReadinessSettings, problems: Problems): Outcome {
  const texts = words.texts.readinessSettings
  const done = query.get('done') === 'yes' && isFine(problems) ? doneNotice(texts.done) : ''
  const always = listActs(getRules()).filter(({ activation }) => activation === 'auto')
  const names = always.map(act => getActTexts(words, act).title).join(', ')
  const body = html`!${settingsHead(words, texts)}!${done}!${summary(words.texts, problems, { gate_acts: texts.gateActs })}
<form method="post" action="${READINESS_SETTINGS}" class="data" novalidate>
!${section('acts', texts.acts, html`<p class="quiet">${texts.always({ acts: names })}</p>!${listOptional().map(act => renderOptIn(words, act, settings))}`)}
!${section(
    'company',
    texts.company,
    listUsedParameters(getRules()).map(one => renderParameter(words, one, settings)),
  )}
!${section('gate', texts.gate, renderGate(words, settings, problems))}
<div class="choices"><button>${texts.save}</button> <a class="button second" href="${READINESS}">${texts.see}</a></div></form>`
  return { title: texts.title, body, status: isFine(problems) ? 200 : 422 }
}

function renderOptIn(words: Words, act: Act, { acts }: ReadinessSettings): string {
  const { title, note } = getActTexts(words, act)
  const said = findText(words.texts.readinessSettings.actHints, act.id)
  const hint = [said ?? '', note ?? ''].filter(one => one !== '').join(' ')
  return renderTick(`act-${act.id}`, title, {
    name: 'act',
    value: act.id,
    isOn: acts.includes(act.id),
    ...(hint === '' ? {} : { hint }),
  })
}

function renderParameter(words: Words, one: UsedParameter, { parameters }: ReadinessSettings): string {
  const { name, kind, acts, usual } = one
  const texts = words.texts.readinessSettings
  const { label, hint } = findText(texts.parameters, name) ?? { label: name, hint: '' }
  const by = acts.map(act => getActTexts(words, act).title).join(', ')
  const value = parameters[name] ?? usual
  const about = [hint, texts.askedBy({ acts: by })].filter(text => text !== '').join(' ')
  if (kind === 'boolean')
    return renderTick(`p.${name}`, label, { value: 'yes', isOn: value === true, hint: about })
  const options = kind.map(choice => [choice, findText(texts.values, choice) ?? choice] as const)
  return select({ name: `p.${name}`, label, hint: about, value: String(value ?? ''), options }, {})
}

function renderGate(words: Words, { gate }: ReadinessSettings, problems: Problems): string {
  const texts = words.texts.readinessSettings
  const modes = GATE_MODES.map(mode => {
    const { label, hint } = texts.gateModes[mode]
    return renderTick(`gate-${mode}`, label, {
      type: 'radio' as const,
      name: 'gate',
      value: mode,
      isOn: gate.on === mode,
      ...(hint === '' ? {} : { hint }),
    })
  })
  const acts = listActs(getRules()).filter(({ status }) => status === 'in_force')
  const ticks = acts.map(act =>
    renderTick(`gate-act-${act.id}`, getActTexts(words, act).title, {
      name: 'gate_act',
      value: act.id,
      isOn: gate.acts.includes(act.id),
    }),
  )
  const field = { name: 'gate_acts', hint: texts.gateActsHint }
  return html`<p>${texts.gateLead}</p><fieldset><legend class="sight">${texts.gate}</legend>!${modes}</fieldset>
<fieldset id="gate_acts" tabindex="-1"!${described(field, problems)}><legend>${texts.gateActs}</legend>!${notes(field, problems)}!${ticks}</fieldset>!${pointList(texts.gatePoints)}`
}
