/**
 * `npm run client`, and each check: makes the types of a client from the OpenAPI document. They are not stored,
 * so a new field, category or endpoint does not touch them.
 */
import { writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'
import { buildApiDocument } from '../../../src/api/endpoints.ts'

const CLIENT_TYPES = new URL('./schema.d.ts', import.meta.url)

/** For the document of this source. */
export async function writeClientTypes(): Promise<void> {
  const apiUrl = 'https://carnet.example/api/v1'
  const document = buildApiDocument({
    addresses: { publicUrl: 'https://carnet.example', apiUrl },
    version: '1',
  })
  const types = astToString(await openapiTS(JSON.stringify(document)))
  writeFileSync(CLIENT_TYPES, `/* Made by npm run client; not to be edited. */\n${types}`)
}

if (process.argv[1] === import.meta.filename) await writeClientTypes()
