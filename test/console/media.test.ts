/** Tests what the console says about files that it refuses, and files of documents of conformity. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { chooseWords } from '../../src/console/page/words.ts'
import { buildDataForm } from '../../src/console/product-data/form-data.ts'
import { getFormCategory } from '../../src/console/product-data/form-fields.ts'
import { idFromUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { withdrawMedia } from '../../src/media/upkeep/withdraw-media.ts'
import { listWithdrawals } from '../../src/media/upkeep/withdrawal-requests.ts'
import { requireCategory } from '../../src/passports/core/check-data.ts'
import { effectiveData, getState } from '../../src/passports/core/state.ts'
import { changeDraft, createDraft, getDraft } from '../../src/passports/drafts/store-drafts.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { newProduct } from '../harness.ts'
import { makeHostileFiles, makeJpeg, makePdf, makePng } from '../media/sample-files.ts'
import { storeFileRows } from '../media/stored-files.ts'
import { type Browser, OWN, type Stand, startStand } from './stand.ts'

const LIBRARY = '/console/media'
const AS_MODULE = { headers: { ...OWN, accept: 'application/json' } }
const AS_FORM = { headers: { ...OWN, accept: 'text/html' } }
const MAX_BYTES = 20 * 1024 * 1024

let stand: Stand
let account: number
let editor: Browser

before(async () => {
  stand = await startStand()
  account = await stand.account({ plan: 'enterprise' })
  editor = await stand.signedIn(account, 'editor')
})
after(() => stand.close())

const formOf = (files: Readonly<Record<string, Uint8Array>>, fields: Record<string, string> = {}) => {
  const parts = new FormData()
  for (const [name, value] of Object.entries(fields)) parts.append(name, value)
  for (const [name, bytes] of Object.entries(files))
    parts.append('files', new Blob([new Uint8Array(bytes)]), name)
  return parts
}
const send = async (name: string, bytes: Uint8Array, who = editor) => {
  const { status, text } = await who.post(LIBRARY, { parts: formOf({ [name]: bytes }), ...AS_MODULE })
  const [file] = JSON.parse(text).files as [{ name: string; id?: string; problem?: string; isNew?: boolean }]
  assert.equal(file.name, name)
  return { status, ...file }
}

describe('a file that is refused', () => {
  test('has a reason that says what to do', async () => {
    const hostile = new Map((await makeHostileFiles()).map(({ name, bytes }) => [name, bytes]))
    const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')
    for (const [bytes, reason] of [
      [Buffer.alloc(0), /The file is empty\. If it is in a cloud folder/],
      [Buffer.alloc(MAX_BYTES + 1), /larger than 20 MB\. Save it smaller/],
      [heic, /HEIC photo from an iPhone.*export it as JPEG/],
      [hostile.get('an SVG'), /neither a picture .* nor a PDF\. Save or export/],
      [hostile.get('a picture of 12,001 by 1 pixels'), /at most 50 megapixels, and 12,000 pixels on a side/],
      [
        hostile.get('an encrypted PDF'),
        /a password, a script, a film or sound, or an attached file\. Print it/,
      ],
      [hostile.get('a PDF of nothing'), /The PDF cannot be read\. Open it, print it/],
      [(await makeJpeg({ width: 64, height: 64 })).subarray(0, 400), /The picture cannot be read.*as JPEG/],
    ] as const) {
      assert.ok(bytes)
      const { status, problem } = await send('x.jpg', bytes)
      assert.equal(status, 422)
      assert.match(String(problem), reason)
    }
  })

  test('because the plan has no more space, says so', async () => {
    const small = await stand.account({ name: 'Klein' })
    await stand.sql`update plan set media_file_quota = 1 where id = 'beta'`
    const owner = await stand.signedIn(small, 'owner')
    assert.equal((await send('1.png', await makePng({ width: 8, height: 8 }), owner)).status, 200)
    const { problem } = await send('2.png', await makePng({ width: 8, height: 9 }), owner)
    assert.match(String(problem), /no more space in your plan\. Delete files that no product uses/)
    assert.match((await owner.get(LIBRARY)).text, /1 of 1/)
    await stand.sql`update plan set media_file_quota = null where id = 'beta'`
  })

  test('does not hold up the others of its form, of which twenty are taken', async () => {
    const png = await makePng({ width: 8, height: 10 })
    const files = Object.fromEntries(
      Array.from({ length: 22 }, (_, i) => [`${i}.png`, i === 3 ? Buffer.from('x') : png]),
    )
    const { status, text } = await editor.post(LIBRARY, { parts: formOf(files), ...AS_FORM })
    assert.equal(status, 422)
    assert.match(
      text,
      /3 files were not added:.*<strong>3\.png<\/strong>: This is neither.*<strong>20\.png<\/strong>: At most 20 files/s,
    )
    assert.match(text, /The other 19 files were added\./)
  })

  test('the same file again is the same file', async () => {
    const bytes = await makePng({ width: 8, height: 11 })
    const first = await send('a.png', bytes)
    const again = await send('b.png', bytes)
    assert.deepEqual([first.isNew, again.isNew, again.id], [true, false, first.id])
  })
})

/** The hidden inputs of a form as a browser would send them. */
function fieldsOf(text: string): [string, string][] {
  const plain = (value: string) => value.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
  return Array.from(
    text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g),
    ([, name = '', value = '']): [string, string] => [plain(name), plain(value)],
  )
}

describe('the files of a draft', () => {
  const ctx = () => ({ ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 })
  const begin = async () => {
    const body = { ...newProduct({ sku: 'D-1' }, 'textile'), note: undefined }
    const { id } = await createDraft(ctx(), body)
    return { id, at: `/console/drafts/${idFromUuid(id)}` }
  }
  const attach = async (at: string) => {
    const picture = (await send('a.png', await makePng({ width: 9, height: 12 }))).id ?? ''
    const manual = { 'manual.pdf': await makePdf('draft') }
    const shown = await editor.get(`${at}/media`)
    const picked = new URLSearchParams([...fieldsOf(shown.text), ['picked', picture], ['add', 'picked']])
    const added = await editor.post(`${at}/media`, { form: picked.toString(), ...AS_FORM })
    const parts = formOf(manual, Object.fromEntries(fieldsOf(added.text)))
    const both = await editor.post(`${at}/media/upload`, { parts, ...AS_FORM })
    assert.match(both.text, /manual<\/textarea>/)
    const form = new URLSearchParams([
      ...fieldsOf(both.text),
      ['d.pictures.0.alt.en', 'A jumper'],
      ['d.documents.0.title.en', 'Manual'],
      ['d.documents.0.access', 'public'],
    ])
    const saved = await editor.post(`${at}/media`, { form: form.toString(), ...AS_FORM })
    assert.equal(saved.status, 303, saved.text)
    return picture
  }

  test('are chosen before publication, survive an edit of the form, and are published with it', async () => {
    const { id, at } = await begin()
    const picture = await attach(at)
    assert.match((await editor.get(at)).text, new RegExp(`src="/console/media/${picture}/320.webp"`))
    const { data } = await getDraft(ctx(), id)
    assert.deepEqual(data.pictures, [{ media: picture, alt: { en: 'A jumper' } }])
    const base = fieldsOf((await editor.get(`${at}/edit`)).text).filter(([name]) => name !== 'rules')
    const edit = new URLSearchParams([...base, ['d.productName', 'Blue jumper']])
    assert.equal((await editor.post(at, { form: edit.toString(), ...AS_FORM })).status, 303)
    const after = (await getDraft(ctx(), id)).data
    assert.deepEqual(
      [after.productName, after.pictures, after.documents],
      ['Blue jumper', data.pictures, data.documents],
    )
    await changeDraft(ctx(), id, { data, note: undefined, changeType: undefined })
    assert.equal((await editor.post(`${at}/publish`, { form: '', ...AS_FORM })).status, 303)
    assert.deepEqual(effectiveData(await getState(ctx(), id)).pictures, data.pictures)
  })

  test('cannot be deleted while the draft has them, and are unused once it is discarded', async () => {
    const { at } = await begin()
    const used = (await send('b.png', await makePng({ width: 9, height: 13 }))).id ?? ''
    const form = new URLSearchParams([
      ...fieldsOf((await editor.get(`${at}/media`)).text),
      ['d.pictures.0.@', 'new'],
      ['d.pictures.0.media', used],
      ['d.pictures.0.alt.en', 'A jumper'],
    ])
    assert.equal((await editor.post(`${at}/media`, { form: form.toString(), ...AS_FORM })).status, 303)
    const page = (await editor.get(`${LIBRARY}/${used}`)).text
    assert.match(page, new RegExp(`Used by drafts.*href="${at}"`, 's'))
    assert.match(page, /cannot be deleted because a draft uses it/)
    assert.match((await editor.get(LIBRARY)).text, /Used by a draft/)
    const refused = await editor.post(`${LIBRARY}/${used}/delete`, { form: '', ...AS_FORM })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /role="alert".*Remove it from the draft/s)
    await editor.post(`${at}/discard`, { form: '', ...AS_FORM })
    assert.doesNotMatch((await editor.get(`${LIBRARY}/${used}`)).text, /Used by drafts/)
    assert.equal((await editor.post(`${LIBRARY}/${used}/delete`, { form: '', ...AS_FORM })).status, 303)
  })

  test('stay in the form if somebody else saved the draft meanwhile', async () => {
    const { id, at } = await begin()
    const { text } = await editor.get(`${at}/media`)
    stand.clock.advance(1_000)
    await changeDraft(ctx(), id, { data: { sku: 'D-2' }, note: undefined, changeType: undefined })
    const form = new URLSearchParams([
      ...fieldsOf(text),
      ['d.documents.0.@', 'new'],
      ['d.documents.0.url', 'https://brand.example/a.pdf'],
    ])
    const answer = await editor.post(`${at}/media`, { form: form.toString(), ...AS_FORM })
    assert.equal(answer.status, 422)
    assert.match(answer.text, /Somebody else changed this draft.*https:\/\/brand\.example\/a\.pdf/s)
  })
})

describe('the files of a product', () => {
  const made = async (data: Record<string, unknown>) => {
    const ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
    const body = newProduct(data, 'textile')
    return `/console/products/${idFromUuid((await createPassport(ctx, { ...body, strict: false })).passport.id)}`
  }
  test('a PDF can be attached to a document of conformity, which keeps its other members', async () => {
    const entry = {
      type: 'declaration_of_conformity',
      url: 'https://brand.example/doc.pdf',
      issuedBy: 'TÜV',
      number: 'A 1',
    }
    const at = await made({ complianceDocuments: [entry] })
    const { id = '' } = await send('doc.pdf', await makePdf('attached'))
    const { text } = await editor.get(`${at}/media`)
    assert.match(text, /<label for="d\.complianceDocuments\.0\.media">Declaration of conformity<\/label>/)
    const german = { headers: { ...OWN, 'accept-language': 'de' } }
    assert.match((await editor.get(`${at}/media`, german)).text, /\.0\.media">Konformitätserklärung<\/label>/)
    assert.match((await editor.get(at, german)).text, /Art des Dokuments.{0,60}Konformitätserklärung/)
    const form = new URLSearchParams([...fieldsOf(text), ['d.complianceDocuments.0.media', id]])
    const saved = await editor.post(at, { form: form.toString(), ...AS_FORM })
    assert.equal(saved.status, 303, saved.text)
    const [row] = await stand.sql<{ data: { complianceDocuments: object[] } }[]>`
      select c.data from passport p join content c on c.id = p.content_id and c.account_id = p.account_id
      where p.account_id = ${account} order by p.id desc limit 1`
    assert.deepEqual(row?.data.complianceDocuments, [{ ...entry, media: id }])
  })

  test('the library and the pickers name a PDF as the newest product or a draft does', async () => {
    const ids: string[] = []
    for (const one of ['a', 'b', 'c', 'd'])
      ids.push((await send('x.pdf', await makePdf(`named ${one}`))).id ?? '')
    const [titled, kinded, drafted, unused] = ids
    const documents = (title: object) => ({ documents: [{ title, media: titled }] })
    await made(documents({ en: 'Old title' }))
    const complianceDocuments = [{ type: 'test_report', media: kinded }]
    const title = { de: 'Pflege', en: '<Care>' }
    const at = await made({ languages: ['en', 'de'], ...documents(title), complianceDocuments })
    const draft = newProduct({ documents: [{ title: { en: 'Notice' }, media: drafted }] }, 'textile')
    await createDraft(
      { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 },
      { ...draft, note: undefined },
    )
    const library = (await editor.get(`${LIBRARY}?kind=document`)).text
    const nameOf = (text: string, id = '') =>
      new RegExp(
        `"(?:/console/media/|pick-)${id}">.*?(?:PDF</span>)<span class="line[^"]*">(.*?)(?:</span>|, )`,
        's',
      ).exec(text)?.[1]
    assert.equal(nameOf(library, titled), '<span dir="auto" lang="en">&#60;Care&#62;')
    assert.equal(nameOf(library, kinded), 'Test report')
    assert.equal(nameOf(library, drafted), '<span dir="auto" lang="en">Notice')
    assert.equal(nameOf(library, unused), 'PDF')
    const picker = (await editor.get(`${at}/media`)).text
    assert.equal(nameOf(picker, titled), '<span dir="auto" lang="en">&#60;Care&#62;')
    assert.match(picker, new RegExp(`<option value="${titled}" lang="en">&#60;Care&#62;, `))
    assert.match(picker, new RegExp(`<option value="${kinded}" selected>Test report, `))
  })

  test('older files can be chosen, too; the page keeps what was typed, ticked and selected', async () => {
    const own = await stand.account({ plan: 'enterprise', name: 'Many files' })
    const owner = await stand.signedIn(own, 'owner')
    const ctx = { ...stand.ctx, sql: stand.sql, accountId: own, actorId: 1 }
    const nameFile = (kind: string, n: number) => kind.repeat(60) + String(n).padStart(4, '0')
    const pictures = Array.from({ length: 30 }, (_, n) => nameFile('f', n))
    const pdfs = Array.from({ length: 101 }, (_, n) => nameFile('a', n))
    await storeFileRows(ctx, { kind: 'picture', ids: pictures })
    await storeFileRows(ctx, { kind: 'document', ids: pdfs })
    const body = newProduct({ complianceDocuments: [{ type: 'certificate', media: pdfs[50] }] }, 'textile')
    const { passport } = await createPassport(ctx, { ...body, strict: false })
    const at = `/console/products/${idFromUuid(passport.id)}`
    const first = await owner.get(`${at}/media`)
    const findButton = (text: string, name: string) =>
      new RegExp(`name="show" value="([^"]+)"[^>]*>${name}<`).exec(text)?.[1] ?? ''
    const offered = (text: string) => Array.from(text.matchAll(/name="picked" value="(\w+)"( checked)?>/g))
    assert.equal(offered(first.text).length, 24)
    assert.ok(!first.text.includes(`value="${pictures[0]}"`))
    const press = async (text: string, more: [string, string][]) =>
      (
        await owner.post(at, {
          form: new URLSearchParams([...fieldsOf(text), ...more]).toString(),
          ...AS_FORM,
        })
      ).text
    const next = await press(first.text, [
      ['show', findButton(first.text, 'Older files')],
      ['picked', pictures[29] ?? ''],
      ['note', 'New photos'],
    ])
    assert.match(next, /<details class="fold" id="library" open>/)
    assert.match(next, /name="note" value="New photos"/)
    assert.match(next, new RegExp(`<input type="hidden" name="picked" value="${pictures[29]}">`))
    assert.match(next, new RegExp(`type="checkbox"[^>]*value="${pictures[0]}"`))
    const back = await press(next, [
      ['show', findButton(next, 'Newest')],
      ['picked', pictures[0] ?? ''],
    ])
    assert.match(back, new RegExp(`value="${pictures[29]}" checked>`))
    const added = await press(back, [
      ['picked', pictures[29] ?? ''],
      ['add', 'picked'],
    ])
    for (const id of [pictures[0], pictures[29]])
      assert.match(added, new RegExp(`name="d\\.pictures\\.\\d\\.media" value="${id}"`))

    assert.ok(!first.text.includes(`<option value="${pdfs[0]}"`))
    const cursor = /name="show" value="(documents\.[^"]+)"/.exec(first.text)?.[1] ?? ''
    const chosen = ['d.complianceDocuments.0.media', pdfs[50] ?? ''] as [string, string]
    const older = await press(first.text, [['show', cursor], chosen])
    assert.match(older, new RegExp(`<option value="${pdfs[0]}">PDF`))
    assert.match(older, new RegExp(`<option value="${pdfs[50]}" selected>Certificate, `))
    assert.match(older, /name="show" value="documents\.newest"/)
  })

  test('files that a form without a script sends are added to it with what was typed', async () => {
    const at = await made({})
    const { text } = await editor.get(`${at}/media`)
    const fields = Object.fromEntries([...fieldsOf(text), ['note', 'New manual']])
    const sent = {
      'manual_2026.pdf': await makePdf('manual'),
      'front.png': await makePng({ width: 9, height: 9 }),
    }
    const answer = await editor.post(`${at}/media`, { parts: formOf(sent, fields), ...AS_FORM })
    assert.equal(answer.status, 200)
    assert.match(answer.text, /name="note" value="New manual"/)
    assert.match(answer.text, /manual 2026<\/textarea>/)
    assert.match(answer.text, /name="d\.pictures\.0\.media" value="[0-9a-f]{64}"/)
  })

  test('stay as they are when the form of the product is edited', async () => {
    const pictures = [
      { media: (await send('k.png', await makePng({ width: 9, height: 15 }))).id, alt: { en: 'A' } },
    ]
    const documents = [{ title: { en: 'Care' }, url: 'https://brand.example/care.pdf' }]
    const { data } = newProduct({ pictures, documents }, 'textile')
    const at = await made({ pictures, documents })
    const { fields } = getFormCategory(requireCategory('textile'))
    const typed = buildDataForm(chooseWords('en'), fields, { ...Object(data), productName: 'Renamed' })
    const base = fieldsOf((await editor.get(`${at}/edit`)).text).filter(([name]) => name === 'base')
    const form = new URLSearchParams([...base, ...typed.entries()].map(([name, value]) => [name, value]))
    const saved = await editor.post(at, { form: form.toString(), ...AS_FORM })
    assert.equal(saved.status, 303, saved.text)
    const ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
    const after = effectiveData(await getState(ctx, parseId(at.split('/').at(-1) ?? '') ?? ''))
    assert.deepEqual([after.productName, after.pictures, after.documents], ['Renamed', pictures, documents])
  })

  test('of a unit are the inherited ones until it has its own, and again once these are removed', async () => {
    const picture = (await send('u.png', await makePng({ width: 9, height: 14 }))).id ?? ''
    const model = await made({
      languages: ['en', 'de'],
      pictures: [{ media: picture, alt: { en: 'Front' } }],
    })
    await editor.post(`${model}/units`, { form: { level: 'item', names: 'P-1' }, ...AS_FORM })
    const [unit] = await stand.sql<{ id: string }[]>`
      select id from passport where account_id = ${account} and level = 'i' order by id desc limit 1`
    const at = `/console/products/${idFromUuid(unit?.id ?? '')}`
    const ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
    const readOwn = async () => (await getState(ctx, unit?.id ?? '')).own?.pictures
    const inheriting = (await editor.get(`${at}/media`)).text
    assert.match(inheriting, /This unit shows what it inherits:.*value="inherited\.pictures"/s)
    const copy = new URLSearchParams([...fieldsOf(inheriting), ['add', 'inherited.pictures']])
    const copied = (await editor.post(at, { form: copy.toString(), ...AS_FORM })).text
    assert.match(copied, /has entries of its own\. To show what it inherits again, remove all entries/)
    assert.match(copied, /in 1 of 2 languages\. Missing: German\./)
    const own = new URLSearchParams([...fieldsOf(copied), ['d.pictures.0.alt.en', 'Back']])
    assert.equal((await editor.post(at, { form: own.toString(), ...AS_FORM })).status, 303)
    assert.deepEqual(await readOwn(), [{ media: picture, alt: { en: 'Back' } }])
    const kept = fieldsOf((await editor.get(`${at}/media`)).text)
    const none = new URLSearchParams(kept.filter(([name]) => !name.startsWith('d.pictures.0')))
    assert.equal((await editor.post(at, { form: none.toString(), ...AS_FORM })).status, 303)
    assert.equal(await readOwn(), undefined)
  })

  test('an id of another account adds nothing', async () => {
    const other = await stand.account({ name: 'Fremd' })
    const { id = '' } = await send(
      'x.png',
      await makePng({ width: 9, height: 10 }),
      await stand.signedIn(other, 'owner'),
    )
    const at = await made({})
    const fields = fieldsOf((await editor.get(`${at}/media`)).text)
    const form = new URLSearchParams([...fields, ['picked', id], ['add', 'picked']])
    const { text } = await editor.post(at, { form: form.toString(), ...AS_FORM })
    assert.doesNotMatch(text, new RegExp(id))
  })
})

describe('asking for the withdrawal of a file', () => {
  test('is for owners, at a file that is used, with a reason; the operator sees it', async () => {
    const owner = await stand.signedIn(account, 'owner')
    const { id = '' } = await send('secret.png', await makePng({ width: 8, height: 14 }))
    const at = `${LIBRARY}/${id}`
    assert.doesNotMatch((await owner.get(at)).text, /Ask for withdrawal/)
    const ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
    await createPassport(ctx, {
      ...newProduct({ pictures: [{ media: id, alt: { en: 'A', de: 'A' } }] }),
      strict: false,
    })
    assert.match((await owner.get(at)).text, /Ask for withdrawal/)
    assert.doesNotMatch((await editor.get(at)).text, /Ask for withdrawal/)
    assert.equal((await editor.get(`${at}/withdrawal`)).status, 403)
    assert.match((await owner.get(`${at}/withdrawal`)).text, /deleted for good/)
    for (const reason of ['', 'x'.repeat(501)]) {
      const wrong = await owner.post(`${at}/withdrawal`, { form: { reason } })
      assert.equal(wrong.status, 422)
    }
    const sent = await owner.post(`${at}/withdrawal`, { form: { reason: 'It names <a person>.' } })
    assert.equal(sent.status, 303)
    assert.match(
      (await owner.get(at)).text,
      /You asked the operator on .*It names &(lt|#60);a person&(gt|#62);\./,
    )
    const [asked] = await listWithdrawals(stand.sql, account)
    assert.deepEqual([asked?.id, asked?.reason, asked?.withdrawnAt], [id, 'It names <a person>.', null])
    const rows = await stand.sql`
      select 1 from audit_entry where account_id = ${account} and action = 'withdrawal_asked'`
    assert.equal(rows.length, 1)
    await withdrawMedia({ ...ctx, ...stand.media }, { id, reason: 'It names a person.' })
    const gone = await owner.get(at)
    assert.equal(gone.status, 410)
    assert.match(gone.text, /has withdrawn this file/)
    const { problem } = await send('secret.png', await makePng({ width: 8, height: 14 }))
    assert.match(String(problem), /cannot be stored again/)
    assert.deepEqual(
      (await listWithdrawals(stand.sql, account)).map(one => [one.id, one.withdrawnAt === null]),
      [[id, false]],
    )
  })
})
