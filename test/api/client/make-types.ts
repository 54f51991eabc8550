/** `npm run client`: generates the types of a client from the OpenAPI document, for the API's tests. */
import { writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'
import { buildApiDocument } from '../../../src/api/endpoints.ts'

export const CLIENT_TYPES = new URL('./schema.d.ts', import.meta.url)

/** Texts without effect on types. Without them the types change only when the interface does. */
const WORDS = new Set(['description', 'summary', 'example', 'examples'])

function withoutWords(node: unknown, isNamed = false): unknown {
  if (Array.isArray(node)) return node.map(inner => withoutWords(inner))
  if (typeof node !== 'object' || node === null) return node
  const kept = Object.entries(node).filter(([name]) => isNamed || !WORDS.has(name))
  return Object.fromEntries(
    // Below `properties` every key is a field name, even if it equals one of these words.
    kept.map(([name, inner]) => [name, withoutWords(inner, !isNamed && name === 'properties')]),
  )
}

/** The source text of the types, from this version's document. */
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
