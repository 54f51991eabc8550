/**
 * Tests that every reader of the field table handles a new field and a new category. This test adds both in
 * one place.
 */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import english from '../../locales/en.json' with { type: 'json' }
import type { CompleteCategory } from '../../src/categories/catalogue.ts'
import type { FieldInFile } from '../../src/categories/category-file.ts'
import type { Category, Field } from '../../src/categories/field.ts'
import type { Browser, Stand } from '../console/stand.ts'
import type { Harness, TestAccount } from '../harness.ts'
import type { Folder } from '../transfer/stores.ts'

const FIELD: Field = {
  name: 'madeUpMark',
  type: 'name',
  description: 'A mark that only this test knows.',
  values: ['fern', 'moss'],
}
const LABEL = 'Made-up mark'
const VALUE_LABEL = 'Green fern'
const TOY: Category = { id: 'toy', title: 'Toy', schemaVersion: 1, fields: [FIELD] }

let harness: Harness
let account: TestAccount
let stand: Stand
let editor: Browser
let openPassport: ReturnType<typeof import('../transfer/stores.ts').passportsOf>
let folder: Folder
let bring: typeof import('../console/import-form.ts')
let data: Record<string, Record<string, unknown>>
let exportStaticSite: typeof import('../../src/transfer/static/export-static-site.ts').exportStaticSite

/** Each module reads the table when it loads, so the field, the category and their labels are added first. */
before(async () => {
  const labels: Record<'ui' | 'fields' | 'values', Record<string, string>> = english
  labels.fields[FIELD.name] = LABEL
  labels.values[`${FIELD.name}.fern`] = VALUE_LABEL
  labels.ui['category.toy'] = 'Toy with a label'
  const { BUNDLED } = await import('../../src/categories/bundled.ts')
  const [textile] = BUNDLED as unknown as [{ fields: readonly FieldInFile[] }]
  textile.fields = [...textile.fields, FIELD]
  const { allCategories, completeCategory } = await import('../../src/categories/catalogue.ts')
  const categories = allCategories() as CompleteCategory[]
  categories.push(completeCategory(TOY))

  const { CORES, startHarness } = await import('../harness.ts')
  const { SHARED_FIELDS } = await import('../../src/categories/category-file.ts')
  const isShared = (name: string) => SHARED_FIELDS.some(field => field.name === name)
  const shared = Object.fromEntries(Object.entries(CORES.textile).filter(([name]) => isShared(name)))
  data = {
    textile: { ...CORES.textile, [FIELD.name]: 'fern' },
    toy: { ...shared, sku: 'T-2', [FIELD.name]: 'fern' },
  }
  harness = await startHarness()
  account = await harness.account({ plan: 'enterprise' })
  const { startStand } = await import('../console/stand.ts')
  stand = await startStand()
  editor = await stand.signedIn(await stand.account({ plan: 'enterprise' }), 'editor')
  bring = await import('../console/import-form.ts')
  const { passportsOf, temporaryFolder } = await import('../transfer/stores.ts')
  openPassport = passportsOf(harness.setup)
  folder = await temporaryFolder()
  ;({ exportStaticSite } = await import('../../src/transfer/static/export-static-site.ts'))
})
after(async () => {
  await stand.close()
  await harness.close()
  await folder.remove()
})

const api = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) =>
  harness.ask(method, `/api/v1${path}`, { key: account.key, ...(body === undefined ? {} : { body }) })

async function create(category: string): Promise<{ id: string; passport_url: string }> {
  const answer = await api('POST', '/products', { category, data: data[category] })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.data
}

const includes = (text: string, ...parts: readonly string[]) => {
  for (const part of parts) assert.ok(text.includes(part), `${part} is not in ${text.slice(0, 2_000)}`)
}

for (const category of ['textile', 'toy']) {
  describe(`a made-up field in ${category} reaches`, () => {
    test('the API: it is created, read, changed and validated', async () => {
      const { id } = await create(category)
      assert.equal((await api('GET', `/products/${id}`)).json.data.data[FIELD.name], 'fern')
      const changed = await api('PATCH', `/products/${id}`, { data: { [FIELD.name]: 'moss' } })
      assert.equal(changed.json.data.data[FIELD.name], 'moss')
      const wrong = { category, data: { ...data[category], [FIELD.name]: 'oak' } }
      const { json, status } = await api('POST', '/products', wrong)
      assert.equal(status, 422, JSON.stringify(json))
      assert.equal(json.errors[0].pointer, `/data/${FIELD.name}`)
    })

    test('the schema, as a list of fields and as JSON Schema', async () => {
      const { fields } = (await api('GET', `/schema/${category}`)).json.data
      const described = fields.find((field: { name: string }) => field.name === FIELD.name)
      assert.deepEqual([described.description, described.enum], [FIELD.description, FIELD.values])
      const schema = (await api('GET', `/schema/${category}?format=json-schema`)).json
      assert.equal(schema.properties[FIELD.name].description, FIELD.description)
    })

    test('the OpenAPI document', async () => {
      const { schemas } = (await api('GET', '/openapi.json')).json.components
      const name = `${category.slice(0, 1).toUpperCase()}${category.slice(1)}Data`
      assert.equal(schemas[name].properties[FIELD.name].description, FIELD.description)
    })

    test('the public page, in English and with the English label in German', async () => {
      const { pathname } = new URL((await create(category)).passport_url)
      includes((await harness.ask('GET', `${pathname}?lang=en`)).text, LABEL, VALUE_LABEL)
      includes((await harness.ask('GET', `${pathname}?lang=de`)).text, `lang="en">${LABEL}<`)
    })

    test('JSON-LD, its context and the vocabulary', async () => {
      const { pathname } = new URL((await create(category)).passport_url)
      const headers = { accept: 'application/ld+json' }
      assert.equal((await harness.ask('GET', pathname, { headers })).json[`dpp:${FIELD.name}`], 'fern')
      assert.ok(`dpp:${FIELD.name}` in (await harness.ask('GET', '/ns/dpp', { headers })).json['@context'])
      const page = await harness.ask('GET', '/ns/dpp', { headers: { accept: 'text/html' } })
      includes(page.text, FIELD.description, `${category}: ${FIELD.name}`)
    })

    test('the form of the console', async () => {
      const form = await editor.get(`/console/products/new?category=${category}`)
      includes(form.text, `name="d.${FIELD.name}"`, LABEL, VALUE_LABEL)
    })

    test('the spreadsheet: template, import and export', async () => {
      const path = `/console/import/template?category=${category}&languages=en&format=csv`
      includes((await editor.get(path)).text, `# ${FIELD.name}: ${LABEL}`, FIELD.description)
      const flat = flatten(data[category] ?? {})
      const sheet = [Object.keys(flat), Object.values(flat)].map(row => row.map(quote).join()).join('\n')
      const at = await bring.bring(stand, editor, sheet, { category })
      await bring.check(stand, editor, at)
      assert.deepEqual(bring.counts(await bring.run(stand, editor, at)).slice(0, 1), [1])
      const exported = await editor.get(`/console/export/file?category=${category}&format=csv`)
      includes(exported.text, FIELD.name, 'fern')
    })

    test('the static export', async () => {
      const { id } = await create(category)
      const dir = folder.file(category)
      await exportStaticSite(
        {
          openPool: () => harness.setup.openPoolOfOne(),
          clock: harness.clock,
          publicUrl: harness.setup.addresses.publicUrl,
          namespace: 'ns/dpp',
          openPassport,
          async fetchPage(path, accept) {
            const { status, headers, text } = await harness.ask('GET', path, { headers: { accept } })
            return { status, type: String(headers['content-type']), body: Buffer.from(text) }
          },
        },
        { accountId: account.id, dir },
      )
      const files = (await readdir(dir, { recursive: true })).filter(file => file.includes(id))
      const texts = await Promise.all(
        files.filter(file => /\.(?:html|jsonld)$/.test(file)).map(file => readFile(join(dir, file), 'utf8')),
      )
      includes(texts.join('\n'), LABEL, VALUE_LABEL, `"dpp:${FIELD.name}": "fern"`)
    })
  })
}

const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`

/** The data as cells, under the column names of the template. */
function flatten(value: unknown, path = ''): Record<string, string> {
  if (Array.isArray(value) && typeof value[0] === 'string') return { [path]: value.join() }
  if (Array.isArray(value)) {
    return Object.assign({}, ...value.map((entry, i) => flatten(entry, `${path}[${i + 1}]`)))
  }
  if (typeof value !== 'object' || value === null) return { [path]: String(value) }
  const members = Object.entries(value)
  return Object.assign(
    {},
    ...members.map(([name, one]) => flatten(one, path === '' ? name : `${path}.${name}`)),
  )
}
