/** `npm run client`: types of a client, made from the OpenAPI document; the tests of the API are driven through them. */
import { writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'
import { buildApiDocument } from '../../../src/api/endpoints.ts'

export const CLIENT_TYPES = new URL('./schema.d.ts', import.meta.url)

/** Words for people, which no type depends on: without them the types change only when the interface does. */
const WORDS = new Set(['description', 'summary', 'example', 'examples'])

function withoutWords(node: unknown, isNamed = false): unknown {
  if (Array.isArray(node)) return node.map(inner => withoutWords(inner))
  if (typeof node !== 'object' || node === null) return node
  const kept = Object.entries(node).filter(([name]) => isNamed || !WORDS.has(name))
  return Object.fromEntries(
    // What stands under `properties` is a name, also when it is one of the words.
    kept.map(([name, inner]) => [name, withoutWords(inner, !isNamed && name === 'properties')]),
  )
}

/** The text of the types, for the document of this source. */
export async function clientTypes(): Promise<string> {
  const apiUrl = 'https://carnet.example/api/v1'
  const document = buildApiDocument({
    addresses: { publicUrl: 'https://carnet.example', apiUrl },
    version: '1',
  })
  const plain = withoutWords(JSON.parse(JSON.stringify(document))) as Parameters<typeof openapiTS>[0]
  return `/* Made by npm run client; not to be edited. */\n${astToString(await openapiTS(plain))}`
}

if (process.argv[1] === import.meta.filename) writeFileSync(CLIENT_TYPES, await clientTypes())
