/** Tests that a missing label is shown in English, marked as English, and counted by the check. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCategory } from '../../src/categories/catalogue.ts'

test('a missing label is shown in English and marked as English', async () => {
  const { default: german } = await import('../../locales/de.json', { with: { type: 'json' } })
  const fields: Record<string, string> = german.fields
  const values: Record<string, string> = german.values
  delete fields.packaging
  delete values['packaging.recyclable']
  const { getLabels, listMissingLabels } = await import('../../src/i18n/catalogue.ts')
  const { renderBlocks: blocksOf, renderPair: pair } = await import('../../src/site/page/blocks.ts')
  const missing = listMissingLabels().find(({ language }) => language === 'de')?.keys ?? []
  for (const key of ['fields.packaging', 'values.packaging.recyclable']) assert.ok(missing.includes(key), key)
  const locale = {
    language: 'de',
    labels: getLabels('de'),
    preferredLanguages: ['de'],
    primaryLanguage: 'de',
    keptQuery: '',
  } as const
  const blocksFor = (name: string, value: unknown) => {
    const field = findCategory('furniture')?.fields.find(one => one.name === name)
    assert.ok(field)
    return blocksOf(locale, field, { [name]: value })
  }
  const [block] = blocksFor('packaging', 'recyclable')
  assert.ok(block)
  const { title, titleLanguage, body } = block
  assert.deepEqual([title, titleLanguage], [getLabels('en').fields.packaging, 'en'])
  assert.match(body, /<span lang="en">/)
  assert.match(pair(title, body, '', false, titleLanguage), /<dt lang="en">/)
  assert.equal(blocksFor('flameRetardants', 'absent')[0]?.titleLanguage, undefined)
})
