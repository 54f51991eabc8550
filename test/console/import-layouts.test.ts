/** Tests that spreadsheets of shops and product databases become products with the columns page alone. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { effectiveData, getState } from '../../src/passports/core/state.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { findBySku } from '../../src/passports/write/find-matches.ts'
import { newProduct } from '../harness.ts'
import { LAYOUTS, type Layout, layoutFile } from '../transfer/layouts.ts'
import { bring, check, counts, formIn, run, sendColumns } from './import-form.ts'
import { type Stand, startStand } from './stand.ts'

let stand: Stand
before(async () => {
  stand = await startStand()
})
after(() => stand.close())

/** Values that a company types once. */
const SAME: Record<string, string> = {
  'k.brandName': 'Testmarke',
  'k.economicOperator.role': 'manufacturer',
  'k.economicOperator.legalName': 'Testmarke GmbH',
  'k.economicOperator.address': 'Werkstraße 1',
  'k.economicOperator.country': 'DE',
  'k.economicOperator.contactEmail': 'pass@testmarke.example',
  'k.languages': 'de',
  'k.fiberComposition': '100 % Baumwolle',
  'k.materialComposition': '100 % wood',
  'k.countryOfManufacture': 'PT',
  'k.careInstructions': 'Bei 30 °C waschen',
  'k.repair.repairable': 'true',
  'k.repair.sparePartsAvailable': 'false',
  'k.endOfLife.recyclingInstructions': 'Sammelstelle',
  'k.endOfLife.disposalInstructions': 'Nicht in den Hausmüll',
  'k.batteryCategory': 'industrial',
  'k.cellChemistry': 'lfp',
  'k.manufacturingDate': '2026',
  'k.ratedCapacity': '100',
  'k.weightKg': '10',
  k_language: 'de',
}

/** The path and unit as a mapping names them. */
const columnOf = (form: Record<string, string>, place: number) => {
  const [name, unit] = [form[`c.${place}`] ?? '', form[`u.${place}`]]
  return { name, unit }
}

for (const layout of LAYOUTS) {
  test(`${layout.source}: columns are mapped or asked about, and ${layout.product ? 'products are created' : 'nothing is created'}`, async () => {
    const account = await stand.account({ plan: 'enterprise' })
    const editor = await stand.signedIn(account, 'editor')
    const name = `sheet.${layout.file === 'xlsx' ? 'xlsx' : 'csv'}`
    const at = await bring(stand, editor, await layoutFile(layout), { name, category: layout.category })
    const page = await editor.get(at)
    const form = formIn(page)
    for (const [place, title] of layout.header.entries()) {
      const [wanted = '', unit] = (layout.guessed[title] ?? '').split('|')
      const found = columnOf(form, place)
      assert.equal(found.name, wanted, title)
      if (unit !== undefined) assert.equal(found.unit, unit === '?' ? '' : unit, title)
    }
    if (layout.product === undefined) {
      const refused = await sendColumns(editor, at)
      assert.equal(refused.status, 422)
      assert.match(
        refused.text,
        /No column is mapped to Article number \(SKU\), which identifies the product/,
      )
      return
    }
    const units = unitAnswers(layout)
    if (Object.keys(units).length > 0) assert.equal((await sendColumns(editor, at, SAME)).status, 422)
    const at0 = layout.header.findIndex(title => layout.guessed[title] === 'pictures')
    // Nothing answers at the addresses of these files.
    if (at0 >= 0) units[`c.${at0}`] = ''
    const same = Object.fromEntries(Object.entries(SAME).filter(([key]) => key in form))
    const checked = await check(stand, editor, at, { ...same, ...units })
    assert.deepEqual(counts(checked), [layout.rows.length, 0, 0, 0], checked.text.slice(-3_000))
    await run(stand, editor, at)
    const ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 0 }
    const sku = String(
      layout.product.sku ?? layout.rows[0]?.[layout.header.findIndex(one => layout.guessed[one] === 'sku')],
    )
    const [id] = (await findBySku(ctx, [sku])).get(sku)?.ids ?? []
    assert.ok(id)
    const made = effectiveData(await getState(ctx, id))
    for (const [field, value] of Object.entries(layout.product)) assert.deepEqual(made[field], value, field)
    assert.equal(made.substancesOfConcern ?? made.hazardousSubstances ?? made.complianceDocuments, undefined)
  })
}

test('texts stay in the language of the products, whatever region it names', async () => {
  const account = await stand.account({ plan: 'enterprise' })
  const editor = await stand.signedIn(account, 'editor')
  const texts = (text: string) => ({ 'en-US': text })
  const body = newProduct({
    languages: ['en-US'],
    careInstructions: texts('Wash cold.'),
    endOfLife: { recyclingInstructions: texts('Bring back.'), disposalInstructions: texts('Bin.') },
  })
  const ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 0 }
  await createPassport(ctx, { ...body, strict: false })
  const file = Buffer.from('sku,productName\nR-1,Shirt\n')
  const at = await bring(stand, editor, file, { name: 'sheet.csv', category: 'textile' })
  assert.equal(formIn(await editor.get(at)).k_language, 'en-US')
})

const unitAnswers = ({ header, units = {} }: Layout): Record<string, string> =>
  Object.fromEntries(Object.entries(units).map(([title, unit]) => [`u.${header.indexOf(title)}`, unit]))
