/** Tests the documents of a page as they are rendered. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FULL, read, renderPage, rowOf } from './passport-views.ts'

const manual = 'a'.repeat(64)
const report = 'b'.repeat(64)
const row = rowOf(
  'textile',
  {
    ...FULL.textile,
    complianceDocuments: [
      {
        type: 'test_report',
        media: report,
        title: 'Pilling <test>',
        number: 'PT-7',
        issuedBy: 'Porto Lab',
        issuedOn: '2026-05-01',
        url: 'https://lab.example/pt-7',
      },
      { type: 'test_report', url: 'https://docs.example/report.pdf' },
    ],
    documents: [
      { title: { en: 'Manual', de: 'Anleitung' }, type: 'manual', language: 'de', media: manual },
      { title: { en: 'Risk file' }, media: report, access: 'restricted' },
    ],
  },
  { schema_version: 2 },
)
const show = (audience: 'public' | 'legitimate_interest', language: 'de' | 'fr') => {
  const view = { ...read(row, audience), documentBytes: new Map([[manual, 1_234_567]]) }
  const html = renderPage(view, language)
  return {
    html,
    items: [...html.matchAll(/<li>(<a href="[^"#]*".*?)<\/li>/gs)].map(([, item]) => item ?? ''),
  }
}
const find = (items: readonly string[], text: string) => items.find(item => item.includes(text)) ?? ''

describe('the documents of a page', () => {
  test('have title, language, size in the words of the reader, and digest, and are on our own site', () => {
    const item = find(show('public', 'de').items, 'Anleitung')
    assert.match(item, new RegExp(`^<a href="../d/${manual}"><bdi>Anleitung</bdi></a>`))
    assert.match(item, /Deutsch · PDF, 1,2\u00a0MB<\/small>/)
    assert.ok(item.includes(`SHA-256 <code title="${manual}">${manual}</code>`))
    const french = find(show('public', 'fr').items, 'Manual')
    assert.match(french, /<bdi lang="en">Manual<\/bdi>/)
    assert.match(french, /allemand · PDF, 1,2\u00a0Mo<\/small>/)
    const links = '<a href="?lang=en">anglais</a>, <a href="?lang=de">allemand</a>'
    assert.ok(french.includes(`</a><small class="from">Uniquement en : ${links}</small>`), french)
    assert.doesNotMatch(item, /class="from"/)
  })

  test('of compliance have number, issuer and date, and a second link to the address elsewhere', () => {
    const item = find(show('public', 'de').items, 'Pilling')
    assert.match(item, new RegExp(`href="../d/${report}"><bdi lang="en">Pilling &#60;test&#62;<`))
    assert.match(
      item,
      /Nummer: <bdi lang="en">PT-7<\/bdi> · [^:]+: <bdi lang="en">Porto Lab<\/bdi> · [^:]+: 1\. Mai 2026</,
    )
    assert.match(item, /href="https:\/\/lab.example\/pt-7" rel="noopener nofollow"/)
  })

  test('with type and address alone are one link', () => {
    const item = find(show('public', 'de').items, 'docs.example')
    assert.match(item, /^<a href="https:\/\/docs.example\/report.pdf" rel="noopener nofollow">.*<\/a>$/)
  })

  test('that not everyone may see say so in words to those who may', () => {
    assert.doesNotMatch(show('public', 'de').html, /Risk file/)
    assert.match(find(show('legitimate_interest', 'de').items, 'Risk file'), /<b>nicht öffentlich<\/b>/)
  })
})
