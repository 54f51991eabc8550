/** Tests that every document of a passport names its pictures by an address with the largest picture. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { ADDRESSES, type Harness, newProduct, startHarness } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'
import { expand } from '../site/strict-json-ld.ts'
import { createStrictProcessor } from '../standards/expand.ts'

let t: Harness
let key: string
let product: string
let media: string
let small: string
const addressOf = (id: string, width: number) => `${ADDRESSES.publicUrl}/m/${id}/${width}.jpg`

async function upload(size: { width: number; height: number }): Promise<string> {
  const headers = { 'content-type': 'image/png' }
  return (await t.ask('POST', '/api/v1/media', { key, headers, text: await makePng(size) })).json.data.id
}

before(async () => {
  t = await startHarness()
  const account = await t.account()
  key = account.key
  await setSigning({ ...account.ctx, secretCipher: t.setup.secretCipher }, true)
  media = await upload({ width: 900, height: 60 })
  small = await upload({ width: 30, height: 20 })
  const { category, data } = newProduct()
  const facility = { name: 'Mill', facilityId: '4012345000009', country: 'PT' }
  const pictures = [
    { media, alt: { en: 'The front', de: 'Die Vorderseite' }, caption: { en: 'In red' } },
    { media: small, alt: { en: 'The seam' } },
  ]
  const body = { category, data: { ...data, manufacturingFacility: facility, pictures } }
  const { status, json, text } = await t.ask('POST', '/api/v1/products', { key, body })
  assert.equal(status, 201, text)
  product = json.data.id
})
after(() => t.close())

async function readDocument(format: string) {
  const { status, json, text } = await t.ask('GET', `/p/${product}?format=${format}`)
  assert.equal(status, 200, text)
  return json
}

describe('pictures', () => {
  test('are images of the product in JSON-LD, with a caption in each language', async () => {
    const document = await readDocument('jsonld')
    await expand(document)
    assert.deepEqual(document.image, [
      {
        '@type': 'ImageObject',
        contentUrl: { '@id': addressOf(media, 1280) },
        caption: [{ '@value': 'In red', '@language': 'en' }],
        'dpp:media': media,
        'dpp:alt': { en: 'The front', de: 'Die Vorderseite' },
      },
      {
        '@type': 'ImageObject',
        contentUrl: { '@id': addressOf(small, 320) },
        caption: [{ '@value': 'The seam', '@language': 'en' }],
        'dpp:media': small,
        'dpp:alt': { en: 'The seam' },
      },
    ])
  })

  test('are on the page, whose policy allows its style', async () => {
    const { headers, text } = await t.ask('GET', `/p/${product}`, { headers: { accept: 'text/html' } })
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
    assert.match(text, new RegExp(`src="../m/${media}/\\d+\\.jpg"`))
    assert.ok(headers['content-security-policy']?.includes(`'sha256-${hash('sha256', style, 'base64')}'`))
  })

  test('are related resources in documents of EN 18223', async () => {
    const document = await readDocument('en')
    await createStrictProcessor(`${ADDRESSES.publicUrl}/ns/dpp`).expand(document)
    const { alt: _, caption: __, ...resource } = document.pictures[0]
    const members = {
      contentType: 'image/jpeg',
      url: addressOf(media, 1280),
      resourceTitle: 'The front',
      media,
    }
    assert.deepEqual(resource, members)
    const { elements } = await readDocument('en-full')
    const list = elements.find((one: { elementId: string }) => one.elementId === 'pictures')
    const [{ objectType, url }] = list.elements
    assert.deepEqual([objectType, url], ['RelatedResource', addressOf(media, 1280)])
  })

  test('are sent back to the API of EN 18222 without their addresses', async () => {
    const { pictures } = await readDocument('en')
    const headers = { 'content-type': 'application/merge-patch+json' }
    const path = `/dpp/v1/dpps/${encodeURIComponent(`${ADDRESSES.publicUrl}/p/${product}`)}`
    const body = { pictures: pictures.toReversed() }
    const answer = await t.ask('PATCH', path, { key, headers, text: JSON.stringify(body) })
    assert.equal(answer.status, 200, answer.text)
    const { data } = (await t.ask('GET', `/api/v1/products/${product}`, { key })).json.data
    assert.deepEqual(
      data.pictures.map((one: { media: string }) => one.media),
      [small, media],
    )
    assert.ok(!('url' in data.pictures[0]))
    await t.ask('PATCH', path, { key, headers, text: JSON.stringify({ pictures }) })
  })

  test('are the image of the product in a UNTP credential, and files in the AAS', async () => {
    const { credentialSubject } = await readDocument('vc')
    assert.equal(credentialSubject.productImage.linkURL, addressOf(media, 1280))
    assert.deepEqual(
      credentialSubject.relatedDocument.map((one: { linkURL: string }) => one.linkURL).slice(-1),
      [addressOf(small, 320)],
    )
    const text = JSON.stringify(await readDocument('aas'))
    assert.match(text, new RegExp(`"contentType":"image/jpeg","value":"${addressOf(media, 1280)}"`))
  })
})
