/** Tests the settings of readiness in the console: acts to opt in to, facts about the company, and the gate. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  readReadinessSettings,
  storeReadinessSettings,
} from '../../src/accounts/account/readiness-settings.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

const AT = '/console/settings/readiness'
const BATTERY = 'eu.battery.passport'

let stand: Stand
let ctx: Parameters<typeof storeReadinessSettings>[0]
let owner: Browser

before(async () => {
  stand = await startStand()
  const account = await stand.account()
  ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
  owner = await stand.signedIn(account, 'owner')
})
after(() => stand.close())

const save = (form: Record<string, string> | string) => owner.post(AT, { form })
const countEntries = async () => {
  const [row] = await stand.sql<{ n: number }[]>`
    select count(*)::int as n from audit_entry where account_id = ${ctx.accountId} and action = 'readiness_changed'`
  return row?.n
}
const getBox = (html: string, id: string) => new RegExp(`<input[^>]* id="${id}"[^>]*>`).exec(html)?.[0] ?? ''

describe('the page', () => {
  test('is for owners, who find it in the settings', async () => {
    assert.match((await owner.get('/console/settings')).text, /href="\/console\/settings\/readiness"/)
    const editor = await stand.signedIn(ctx.accountId, 'editor')
    assert.equal((await editor.get(AT)).status, 403)
    assert.equal((await editor.post(AT, { form: {} })).status, 403)
    assert.doesNotMatch((await editor.get('/console/settings')).text, /settings\/readiness/)
  })

  test('shows the defaults: no act, an operator, no gate; and says what a gate refuses', async () => {
    const { text } = await owner.get(AT)
    assert.doesNotMatch(getBox(text, 'act-fr.agec.textile'), /checked/)
    assert.match(getBox(text, 'gate-off'), /checked/)
    assert.match(text, /<option value="operator" selected>/)
    assert.match(text, /refuses to publish a new product as long as it lacks something/)
    assert.match(text, /Changes of published products, batches and items are never held up/)
    assert.doesNotMatch(text, /jrc-draft"/, 'drafts are no acts for a gate')
    assert.doesNotMatch(text, /name="p\.sells_in_france"/, 'no rule asks for it')
    const german = await owner.get(AT, { headers: { 'accept-language': 'de' } })
    assert.match(german.text, /Ihre Rolle bei Holzprodukten/)
  })
})

describe('saving', () => {
  test('without a change stores nothing', async () => {
    const answer = await save({ gate: 'off', 'p.eudr_role': 'operator' })
    assert.equal(answer.headers.location, `${AT}?done=yes`)
    assert.equal(await readReadinessSettings(ctx), null)
    assert.equal(await countEntries(), 0)
  })

  test('stores what is chosen, with an entry in the audit log, and shows it again', async () => {
    const form = new URLSearchParams({ act: 'fr.agec.textile', 'p.eudr_role': 'later', gate: 'drafts' })
    form.append('p.small_undertaking', 'yes')
    form.append('gate_act', BATTERY)
    form.append('gate_act', 'eu.unknown')
    await save(form.toString())
    assert.deepEqual(await readReadinessSettings(ctx), {
      acts: ['fr.agec.textile'],
      parameters: { eudr_role: 'later', small_undertaking: true },
      gate: { acts: [BATTERY], on: 'drafts' },
    })
    assert.equal(await countEntries(), 1)
    const { text } = await owner.get(`${AT}?done=yes`)
    assert.match(text, /The settings are saved/)
    for (const id of ['act-fr.agec.textile', 'gate-drafts', `gate-act-${BATTERY}`, 'p.small_undertaking'])
      assert.match(getBox(text, id), /checked/, id)
    assert.match(text, /<option value="later" selected>/)
  })

  test('keeps facts that the page does not show', async () => {
    const parameters = { turnover_above_10m_and_10000_units: true }
    await storeReadinessSettings(ctx, { acts: [], parameters, gate: { acts: [], on: 'off' } })
    await save({ act: 'eu.registry', gate: 'off', 'p.eudr_role': 'odd' })
    const stored = await readReadinessSettings(ctx)
    assert.deepEqual(stored, { acts: ['eu.registry'], parameters, gate: { acts: [], on: 'off' } })
  })

  test('a gate without an act is refused, and the choice is shown again', async () => {
    const before = await readReadinessSettings(ctx)
    const { status, text } = await save({ gate: 'everything' })
    assert.equal(status, 422)
    assert.match(text, /href="#gate_acts"/)
    assert.match(text, /Choose at least one act, or switch the gate off/)
    assert.match(getBox(text, 'gate-everything'), /checked/)
    assert.deepEqual(await readReadinessSettings(ctx), before)
  })
})
