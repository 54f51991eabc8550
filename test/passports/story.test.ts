/** Tests the check of the block “From the brand”: each wrong member is named, and good ones are kept. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { checkStory } from '../../src/passports/story/check-story.ts'

const MEDIA = 'a'.repeat(64)
const URL = 'https://shop.example/care'
const link = { url: URL, label: { en: 'Care' } }

const listFaults = (sent: unknown): string[] => {
  try {
    checkStory(sent)
  } catch (error) {
    assert.ok(error instanceof AppError)
    return (error.details ?? []).map(({ path, code }) => `${path.join('.')} ${code}`)
  }
  return []
}

describe('the block “From the brand”', () => {
  test('is kept with trimmed texts, one kind of line end and https addresses', () => {
    const sent = {
      text: { de: ' Hallo\r\n\r\nWelt ', en: 'Hello' },
      links: [{ url: ` ${URL} `, label: { en: ' Care ' } }],
      picture: { media: MEDIA, alt: { en: 'A loom' } },
    }
    assert.deepEqual(checkStory(sent), {
      text: { de: 'Hallo\n\nWelt', en: 'Hello' },
      links: [link],
      picture: { media: MEDIA, alt: { en: 'A loom' } },
    })
    assert.deepEqual(checkStory({ links: [link] }), { text: null, links: [link], picture: null })
    assert.deepEqual(listFaults({ text: { mt: 'x'.repeat(2_000) } }), [])
  })

  test('names everything that is wrong', () => {
    const wrong: [unknown, string[]][] = [
      [[], [' type']],
      [{}, ['text required']],
      [{ text: null, links: [], picture: null }, ['text required']],
      [{ text: 'Hello' }, ['text type']],
      [{ text: {} }, ['text length']],
      [{ text: { no: 'Hei', en: '' } }, ['text.no language_code', 'text.en length']],
      [{ text: { en: 7, de: 'x'.repeat(2_001) } }, ['text.en type', 'text.de length']],
      [{ text: { en: 'a\u202eb' } }, ['text.en format']],
      [{ text: { en: 'Hi' }, colour: 'red' }, ['colour unknown_field']],
      [{ links: {} }, ['links type']],
      [{ links: [link, link, link, link] }, ['links max']],
      [{ links: [{}] }, ['links.0.url required', 'links.0.label required']],
      [{ links: [link, { ...link, url: 'http://shop.example' }] }, ['links.1.url format']],
      [{ links: [{ ...link, url: 'https://a:b@shop.example' }] }, ['links.0.url format']],
      [{ links: [{ ...link, url: 'javascript:alert(1)' }] }, ['links.0.url format']],
      [{ links: [{ url: URL, label: { en: 'a\nb' } }] }, ['links.0.label.en format']],
      [{ picture: { media: 'x' } }, ['picture.media format', 'picture.alt required']],
      [{ picture: { media: MEDIA, alt: { en: 'x'.repeat(301) } } }, ['picture.alt.en length']],
    ]
    for (const [sent, faults] of wrong) assert.deepEqual(listFaults(sent), faults, JSON.stringify(sent))
  })
})
