/** Tests the console's scan pages on the whole server: which of the recorded scans they show, and to whom. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { allCategories } from '../../src/categories/catalogue.ts'
import { buildBars, chooseScaleTop } from '../../src/console/scans/trend.ts'
import { buildShadeLimits } from '../../src/console/scans/world-map.ts'
import { idFromUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { comparePeriods } from '../../src/scans/compare-periods.ts'
import { listPassportMilestones } from '../../src/scans/list-milestones.ts'
import { listMostScanned } from '../../src/scans/most-scanned.ts'
import { getScanSettings, setScanSettings } from '../../src/scans/settings.ts'
import { ADDRESSES, newProduct, type TestAccount } from '../harness.ts'
import { anotherAddress, CRAWLER, type Look, type ScanStand, startScanStand } from '../scans/scan-stand.ts'

const TODAY = '2026-11-21'
const PROXY = '10.0.0.1'
const TABLET =
  'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari/604.1'

const TITLES = allCategories().map(({ title }) => title)

let stand: ScanStand
let owner: string

before(async () => {
  stand = await startScanStand({ trustedProxies: [PROXY], countryHeader: 'x-country' })
  owner = await stand.signIn(stand.account.id, 'owner')
})
after(() => stand.t.close())

/** Sessions use the real time, so a page is requested at the sign-in time or soon after. */
const at = (time: string) => stand.t.clock.set(time)

async function page(path: string, cookie = owner, language = 'en'): Promise<string> {
  const answer = await stand.t.ask('GET', path, { headers: { cookie, 'accept-language': language } })
  assert.equal(answer.status, 200, answer.text)
  return answer.text.replaceAll('&#61;', '=')
}

const post = (path: string, cookie: string, fields: [string, string][]) =>
  stand.t.ask('POST', path, {
    text: new URLSearchParams(fields).toString(),
    headers: {
      cookie,
      origin: ADDRESSES.publicUrl,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    },
  })

/** A reader in a country, behind the proxy: a new one each time unless `as` is given. */
const from = (
  country: string,
  { agent, as = anotherAddress() }: { agent?: string; as?: string } = {},
): Look => ({
  from: PROXY,
  headers: { 'x-forwarded-for': as, 'x-country': country },
  ...(agent === undefined ? {} : { agent }),
})

const look = async (id: string, all: readonly Look[]) => {
  for (const one of all) assert.equal(await stand.look(id, one), 200)
  await stand.t.scans.flush()
}

const plain = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The rows of the table with this label, as texts. */
function rowsOf(html: string, label: string): string[] {
  const table =
    new RegExp(`<table class="numbers shares" aria-label="${label}">(.*?)</table>`, 's').exec(html)?.[1] ?? ''
  return Array.from(table.matchAll(/<tr>(.*?)<\/tr>/gs), ([, row]) => plain(row ?? '')).slice(1)
}

/** The number under a term in the summary. */
const figure = (html: string, term: string) =>
  new RegExp(`<dt>${term}</dt><dd class="large">([^<]*)</dd>`).exec(html)?.[1]

/** A model of another account, and a person who may change it. */
async function another(
  plan = 'enterprise',
): Promise<{ account: TestAccount; model: string; editor: string }> {
  const account = await stand.t.account({ plan })
  const answer = await stand.t.ask('POST', '/api/v1/products', {
    key: account.key,
    body: newProduct({ productName: 'Elsewhere coat' }),
  })
  return { account, model: answer.json.data.id, editor: await stand.signIn(account.id, 'editor') }
}

describe('the trend chart', () => {
  const days = (count: number, first = '2025-11-22') =>
    Array.from({ length: count }, (_, i) => ({
      date: new Date(Date.parse(first) + i * 86_400_000).toISOString().slice(0, 10),
      total: i + 1,
      unique: i,
    }))

  test('has a bar per day up to 90 days', () => {
    for (const count of [7, 30, 90]) assert.equal(buildBars(days(count)).length, count)
    assert.deepEqual(buildBars(days(7))[2], { from: '2025-11-24', total: 3, unique: 2 })
  })

  test('has a bar per week for a year, starting on Monday, and loses nothing', () => {
    const year = days(365)
    const bars = buildBars(year)
    assert.equal(bars.length, 53)
    assert.deepEqual(
      bars.slice(0, 3).map(bar => bar.from),
      ['2025-11-22', '2025-11-24', '2025-12-01'],
    )
    for (const { from } of bars.slice(1)) assert.equal(new Date(from).getUTCDay(), 1, from)
    const sum = (all: readonly { total: number; unique: number }[]) => [
      all.reduce((n, { total }) => n + total, 0),
      all.reduce((n, { unique }) => n + unique, 0),
    ]
    assert.deepEqual(sum(bars), sum(year))
    assert.deepEqual(bars[1], { from: '2025-11-24', total: 42, unique: 35 })
  })

  test('has a scale with a whole number in the middle, and no bar above its top', () => {
    for (let most = 0; most < 3_000; most++) {
      const top = chooseScaleTop(most)
      assert.ok(top >= most && Number.isInteger(top / 2), `${most}: ${top}`)
      assert.ok(top <= Math.max(2, most * 2), `${most}: ${top}`)
    }
  })

  test('the shades get stronger and end at the highest count', () => {
    for (const most of [1, 2, 3, 5, 10, 99, 1_000_000]) {
      const ends = buildShadeLimits(most)
      assert.equal(ends.at(-1), most)
      assert.ok(
        ends.every((end, i) => i === 0 || end > (ends[i - 1] ?? 0)),
        ends.join(),
      )
    }
  })
})

describe('GET /console/scans', () => {
  test('before the first scan explains how to make one, with the code of a product', async () => {
    const { model, account, editor } = await another()
    const html = await page('/console/scans', editor)
    assert.match(html, /No scans yet/)
    assert.match(html, new RegExp(`<img src="/p/${model}/qr.svg"[^>]*alt="QR code of Elsewhere coat"`))
    assert.doesNotMatch(html, /class="trend"/)
    const none = await stand.signIn((await stand.t.account()).id)
    assert.match(await page('/console/scans', none), /Create a product first/)
    await look(model, [from('DE')])
    assert.doesNotMatch(await page('/console/scans', editor), /No scans yet/)
    assert.equal((await comparePeriods(account.ctx, { days: 30 })).is, 'too_new')
  })

  test('shows what was scanned, by whom and from where, up to the latest scan', async () => {
    const { model, editor } = await another()
    const same = anotherAddress()
    await look(model, [
      from('DE', { as: same }),
      from('DE', { as: same }),
      from('DE'),
      from('AT', { agent: TABLET }),
      from('MT'),
      from('XX'),
      from('DE', { agent: CRAWLER }),
    ])
    const html = await page('/console/scans', editor)
    assert.equal(figure(html, 'Scans'), '6')
    assert.equal(figure(html, 'Readers per day, added up'), '5')
    assert.equal(figure(html, 'Search engines and previews, counted apart'), '1')
    const [germany, ...others] = rowsOf(html, 'Countries')
    assert.equal(germany, 'Germany 3 50%')
    assert.deepEqual(others.sort(), ['Austria 1 17%', 'Malta 1 17%', 'Unknown 1 17%'])
    assert.deepEqual(rowsOf(html, 'Device'), ['Phone 5 83%', 'Tablet 1 17%', 'Computer 0 0%', 'Other 0 0%'])
    const unread = TITLES.filter(title => title !== 'Textile').map(title => `${title} 0 0%`)
    assert.deepEqual(rowsOf(html, 'Category'), ['Textile 6 100%', ...unread])
    assert.deepEqual(rowsOf(html, 'Level'), ['Model 6 100%', 'Batch 0 0%', 'Item 0 0%'])
    assert.deepEqual(rowsOf(html, 'Scanned most'), ['Elsewhere coat 6 100%'])
    assert.match(html, new RegExp(`href="/console/products/${model}#scans">Elsewhere coat`))
  })

  test('has an outline for a large country and a dot for a small one, each with its count', async () => {
    const { model, editor } = await another()
    await look(model, [from('DE'), from('DE'), from('SG'), from('LU'), from('MT')])
    const html = await page('/console/scans', editor)
    assert.match(html, /<g class="s5"><path d="M[^"]+"><title>Germany: 2<\/title>/)
    for (const small of ['Singapore', 'Luxembourg', 'Malta'])
      assert.match(
        html,
        new RegExp(
          `<g class="s[1-5]">(<circle[^>]*><title>[^<]*</title></circle>)*<circle[^>]*><title>${small}: 1</title>`,
        ),
      )
    assert.doesNotMatch(html, /<circle[^>]*><title>Germany/)
    assert.match(html, /aria-label="Map of the world: scans from 4 countries, the most from Germany\./)
  })

  test('is available in German', async () => {
    const { model, editor } = await another()
    await look(model, [from('AT'), from('AT')])
    const html = await page('/console/scans', editor, 'de')
    assert.deepEqual(rowsOf(html, 'Länder'), ['Österreich 2 100 %'])
    assert.match(html, /<title>Österreich: 2<\/title>/)
    assert.match(html, /Wie gezählt wird/)
  })

  test('shows nothing of another account', async () => {
    const one = await another()
    const other = await another()
    await look(one.model, [from('DE'), from('JP')])
    await look(other.model, [from('FR')])
    const html = await page('/console/scans?days=365', other.editor)
    assert.equal(figure(html, 'Scans'), '1')
    assert.deepEqual(rowsOf(html, 'Countries'), ['France 1 100%'])
    assert.doesNotMatch(html, new RegExp(one.model))
    const path = `/console/products/${one.model}?include=units`
    const answer = await stand.t.ask('GET', path, { headers: { cookie: other.editor } })
    assert.equal(answer.status, 404)
  })

  test('takes the range from the query; an invalid one is 30 days', async () => {
    const { model, account, editor } = await another()
    const now = stand.t.clock.now()
    for (const back of [0, 6, 7, 29, 30, 89, 90, 364, 365]) {
      await stand.t.sql`
        insert into scan_account_span (account_id, days, first_day, scans, uniques, crawlers, counts)
        select ${account.id}, l, date '1970-01-01' + d / l * l, 1, 1, 0, '{"country:DE":1}'
        from (select (${now}::timestamptz at time zone 'UTC')::date - date '1970-01-01' - ${back}::int as d) x, unnest(array[1, 8, 64]) l
        on conflict (account_id, days, first_day) do update set scans = scan_account_span.scans + 1`
    }
    assert.ok(model)
    const totals: [string, string][] = [
      ['?days=7', '2'],
      ['', '4'],
      ['?days=90', '6'],
      ['?days=365', '8'],
      ['?days=8', '4'],
      ["?days=30'--", '4'],
    ]
    for (const [query, total] of totals)
      assert.equal(figure(await page(`/console/scans${query}`, editor), 'Scans'), total, query)
    const year = await page('/console/scans?days=365', editor)
    assert.match(year, /<h2 id="trend">Week by week/)
    assert.match(year, /<a href="\/console\/scans\?days=365" aria-current="true">1 year/)
    assert.match(year, /a year cannot be compared/)
    const weeks = Array.from(year.matchAll(/<path d="[^"]*"><title>Week from /g))
    assert.ok(weeks.length === 53 || weeks.length === 54, `${weeks.length} weeks`)
  })
})

describe('the comparison with the previous period', () => {
  const sums = async (accountId: number, rows: readonly [back: number, scans: number][]) => {
    for (const [back, scans] of rows) {
      await stand.t.sql`
        insert into scan_account_span (account_id, days, first_day, scans, uniques, crawlers, counts)
        values (${accountId}, 1, ${TODAY}::date - ${back}::int, ${scans}, 1, 0, '{}')`
    }
  }

  test('compares whole days and excludes today', async () => {
    const { account } = await another()
    at(`${TODAY}T12:00:00Z`)
    await sums(account.id, [
      [0, 1_000],
      [1, 60],
      [7, 6],
      [8, 40],
      [14, 10],
      [15, 5_000],
    ])
    assert.deepEqual(await comparePeriods(account.ctx, { days: 7 }), {
      is: 'compared',
      recent: { total: 66, unique: 2 },
      before: { total: 50, unique: 2 },
    })
    stand.t.clock.release()
  })

  test('is omitted if the period includes the first scan, a changed switch or deleted days', async () => {
    const { account } = await another()
    at(`${TODAY}T12:00:00Z`)
    assert.equal((await comparePeriods(account.ctx, { days: 7 })).is, 'no_scans')
    await sums(account.id, [[13, 1]])
    assert.deepEqual(await comparePeriods(account.ctx, { days: 7 }), { is: 'too_new', since: '2026-11-08' })
    await sums(account.id, [[14, 1]])
    assert.equal((await comparePeriods(account.ctx, { days: 7 })).is, 'compared')
    assert.equal((await comparePeriods(account.ctx, { days: 365 })).is, 'not_stored')
    await setScanSettings(account.ctx, { accountId: account.id, categories: { battery: false } })
    assert.deepEqual(await comparePeriods(account.ctx, { days: 7 }), { is: 'settings_changed', since: TODAY })
    stand.t.clock.release()
  })

  test('is in per cent if there are enough scans, else in numbers', async () => {
    const { account, editor } = await another()
    const back = Math.floor((Date.parse(TODAY) - stand.t.clock.now().getTime()) / 86_400_000) + 1
    await sums(account.id, [
      [back + 1, 30],
      [back + 8, 40],
      [back + 60, 1],
    ])
    const html = plain(await page('/console/scans?days=7', editor))
    assert.match(html, /25% less than before \(40\)/)
    assert.match(html, /Readers per day, added up 1 1, before that 1/)
  })
})

describe('the products scanned most', () => {
  test('are models with all their units, in the range only', async () => {
    const fresh = await stand.newModel()
    await look(stand.item, [from('DE'), from('DE'), from('DE')])
    await look(stand.batch, [from('DE')])
    await look(stand.model, [from('DE'), from('DE', { agent: CRAWLER })])
    await look(fresh, [from('DE'), from('DE')])
    const top = await listMostScanned(stand.account.ctx, { days: 7, limit: 10 })
    assert.deepEqual(top, {
      models: [
        { uuid: parseId(stand.model), scans: 5 },
        { uuid: parseId(fresh), scans: 2 },
      ],
      isSure: true,
    })
    const later = { now: () => new Date(stand.t.clock.now().getTime() + 7 * 86_400_000) }
    const week = await listMostScanned({ ...stand.account.ctx, clock: later }, { days: 7, limit: 10 })
    assert.deepEqual(week.models, [])
    const month = await listMostScanned({ ...stand.account.ctx, clock: later }, { days: 30, limit: 10 })
    assert.deepEqual(month.models, top.models)
  })

  test('are correct among many, and are marked as uncertain if many are alike', async () => {
    const { account } = await another()
    at(`${TODAY}T12:00:00Z`)
    const fill = (scans: string, some: string) =>
      stand.t.sql.unsafe(`
      insert into scan_model_span (account_id, days, first_day, model_id, scans, magnitude)
      select ${account.id}, l, date '1970-01-01' + (date '${TODAY}' - date '1970-01-01' - d) / l * l, id, sum(n), carnet_bits(sum(n)::bigint)
      from (select ('00000000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid as id, d, (${scans})::bigint as n
        from generate_series(1, 500) i, generate_series(0, 99) d where ${some}) x, unnest(array[1, 8, 64]) l
      group by l, 3, id
      on conflict (model_id, days, first_day, account_id) do update set scans = scan_model_span.scans + excluded.scans,
        magnitude = carnet_bits(scan_model_span.scans + excluded.scans)`)
    await fill('1', 'i % 7 = d % 7')
    const alike = await listMostScanned(account.ctx, { days: 90, limit: 10 })
    assert.equal(alike.models.length, 10)
    assert.equal(alike.isSure, false)
    await fill('300 + i * 10', 'i > 480 and d % 3 = 0')
    const [truth] = await stand.t.sql`
      select array_agg(model_id::text order by n desc, model_id) as ids from (
        select model_id, sum(scans) as n from scan_model_span
        where account_id = ${account.id} and days = 1 and first_day > ${TODAY}::date - 90 group by 1 order by 2 desc, 1 limit 10) t`
    const top = await listMostScanned(account.ctx, { days: 90, limit: 10 })
    assert.deepEqual(
      top.models.map(({ uuid }) => uuid),
      truth?.ids,
    )
    assert.equal(top.isSure, true)
    stand.t.clock.release()
  })
})

describe('a product’s own scans', () => {
  test('are on its page, with those of its units on request', async () => {
    const model = await stand.newModel()
    const made = await stand.t.ask('POST', `/api/v1/products/${model}/children`, {
      key: stand.account.key,
      body: { level: 'item', serial: 'OWN-1' },
    })
    const item = made.json.data.id
    await look(model, [from('DE'), from('DE'), from('IT', { agent: TABLET })])
    await look(item, [from('PT')])
    const own = await page(`/console/products/${model}`)
    assert.equal(figure(own, 'Scans'), '3')
    assert.deepEqual(rowsOf(own, 'Countries'), ['Germany 2 67%', 'Italy 1 33%'])
    assert.deepEqual(rowsOf(own, 'Device').slice(0, 2), ['Phone 2 67%', 'Tablet 1 33%'])
    const all = await page(`/console/products/${model}?include=units&days=7`)
    assert.equal(figure(all, 'Scans'), '4')
    assert.match(all, /\?days=7&#38;include=units#scans" aria-current="true">With all units/)
    const unit = await page(`/console/products/${item}`)
    assert.equal(figure(unit, 'Scans'), '1')
    assert.doesNotMatch(unit, /With all units/)
    assert.match(
      await page(`/console/products/${await stand.newModel()}`),
      /has not been scanned in this range/,
    )
  })

  test('milestones have the day they were reached, as long as it is stored', async () => {
    const { sql } = stand.t
    const model = await stand.newModel()
    const uuid = parseId(model) ?? ''
    const add = (day: string, scans: number) => sql`
      insert into scan_day (account_id, day, scans, uniques, crawlers, passport_id, "of", device, country)
      values (${stand.account.id}, ${day}::date, ${scans}, 1, 0, ${uuid}, 'o', 'm', 'DE')`
    await add('2026-10-01', 5)
    await add('2026-10-02', 90)
    await add('2026-10-03', 5)
    await sql`insert into scan_total (account_id, passport_id, scans) values (${stand.account.id}, ${uuid}, 100)`
    assert.deepEqual(await listPassportMilestones(stand.account.ctx, uuid), [
      { milestone: 100, day: '2026-10-03' },
      { milestone: 50, day: '2026-10-02' },
      { milestone: 10, day: '2026-10-02' },
    ])
    await sql`update scan_total set scans = 260 where passport_id = ${uuid}`
    assert.deepEqual(
      (await listPassportMilestones(stand.account.ctx, uuid)).map(
        ({ milestone, day }) => `${milestone} ${day}`,
      ),
      ['250 2026-10-02', '100 undefined', '50 undefined', '10 undefined'],
    )
    const html = plain(await page(`/console/products/${model}`))
    assert.match(html, /250 scans 2 Oct 2026 100 scans earlier than 400 days ago/)
  })
})

test('milestones and suspected copies are listed, with links to their products', async () => {
  const { account, model, editor } = await another()
  const made = await stand.t.ask('POST', `/api/v1/products/${model}/children`, {
    key: account.key,
    body: { level: 'item', serial: 'COPY-1' },
  })
  const item = made.json.data.id
  await look(
    model,
    Array.from({ length: 10 }, () => from('DE')),
  )
  assert.match(await page('/console/scans', editor), /No item’s code is suspected/)
  await look(
    item,
    ['DE', 'FR', 'PL', 'TR', 'CN'].map(country => from(country)),
  )
  const html = await page('/console/scans', editor)
  assert.match(html, new RegExp(`<a href="/console/products/${item}#scans">Elsewhere coat · COPY-1</a>`))
  assert.match(plain(html), /within a day: 5 scans, 5 countries, 5 devices/)
  assert.match(plain(html), /What to do Open the item/)
  assert.match(plain(html), /Milestones Round numbers [^.]+\. Elsewhere coat 10 scans/)
  assert.match(
    plain(await page(`/console/products/${item}`, editor)),
    /The code of this item may have been copied \([^)]+; within a day: 5 scans, 5 countries, 5 devices\)\./,
  )
  const mine = await page('/console/scans')
  assert.doesNotMatch(mine, /COPY-1/)
  // Events are deleted after 30 days, but the suspicion stays.
  await stand.t.sql`delete from event where account_id = ${account.id}`
  const later = await page('/console/scans', editor)
  assert.match(later, /COPY-1/)
  assert.doesNotMatch(plain(later), /within a day: 5 scans/)
})

describe('POST /console/scans/switches', () => {
  const ALL: [string, string][] = [
    ['counting', 'on'],
    ...allCategories().map(({ id }): [string, string] => ['category', id]),
    ['clones', 'on'],
  ]
  const without = (...gone: string[]) => ALL.filter(field => !gone.includes(field.join('=')))

  test('an editor can change them, with an audit entry, and the page says what is not counted', async () => {
    const { account, model, editor } = await another()
    await look(model, [from('DE')])
    const saved = await post('/console/scans/switches', editor, without('category=battery', 'clones=on'))
    assert.equal(saved.status, 303)
    const settings = await getScanSettings(stand.t, account.id)
    assert.deepEqual(settings, { on: true, off_categories: ['battery'], clone_rules: null })
    const html = plain(await page('/console/scans', editor))
    assert.match(html, /Not counted at the moment: Battery\./)
    assert.match(html, /Carnet does not watch for copied codes at the moment\./)
    const audit = plain(await page('/console/settings/audit', editor))
    assert.match(audit, /Changed which scans are counted battery=off, clones=off/)

    await post('/console/scans/switches', editor, without('counting=on'))
    stand.t.clock.advance(2_000)
    await look(model, [from('DE'), from('FR')])
    const off = await page('/console/scans', editor)
    assert.match(off, /Scans are not counted at the moment\./)
    assert.equal(figure(off, 'Scans'), '1')
    assert.match(await page(`/console/products/${model}`, editor), /Scans are not counted at the moment\./)
    stand.t.clock.release()
  })

  test('sending them unchanged writes no audit entry; custom suspicion limits stay', async () => {
    const { account, editor } = await another()
    await setScanSettings(stand.t, { accountId: account.id, cloneRules: { countries: 4 } })
    const entries = async () =>
      (
        await stand.t
          .sql`select 1 from audit_entry where account_id = ${account.id} and action = 'scans_switched'`
      ).length
    assert.equal(await entries(), 1)
    await post('/console/scans/switches', editor, ALL)
    assert.equal(await entries(), 1)
    assert.equal((await getScanSettings(stand.t, account.id)).clone_rules?.countries, 4)
    assert.match(await page('/console/scans', editor), /from 4 countries and 10 devices/)
  })

  test('a viewer sees them and cannot change them', async () => {
    const { account } = await another()
    const viewer = await stand.signIn(account.id, 'viewer')
    const html = await page('/console/scans', viewer)
    assert.doesNotMatch(html, /action="\/console\/scans\/switches"/)
    assert.match(
      plain(html),
      new RegExp(
        `Count scans on ${TITLES.map(title => `${title} on `).join('')}Watch for copied codes of items on`,
      ),
    )
    assert.equal((await post('/console/scans/switches', viewer, without('counting=on'))).status, 403)
    assert.equal((await getScanSettings(stand.t, account.id)).on, true)
  })
})

test('names that other people wrote are escaped', async () => {
  const account = await stand.t.account({ plan: 'enterprise' })
  const editor = await stand.signIn(account.id, 'editor')
  const answer = await stand.t.ask('POST', '/api/v1/products', {
    key: account.key,
    body: newProduct({ productName: '<b>"Coat"</b>' }),
  })
  const { id } = answer.json.data
  assert.doesNotMatch(await page('/console/scans', editor), /<b>/)
  await look(id, [from('DE')])
  const html = await page('/console/scans', editor)
  assert.doesNotMatch(html, /<b>/)
  assert.match(html, /&lt;b&gt;|&#60;b&#62;/)
  assert.equal(idFromUuid(parseId(id) ?? ''), id)
})
