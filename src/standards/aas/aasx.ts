/** An environment of the Asset Administration Shell as a package: the file format AASX. */
import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'
import { Zip, type ZipInputFile } from 'fflate'
import type { Publisher, UndatedReading } from '../reading.ts'
import { renderAasEnvironment } from './environment.ts'
import { AASX } from './names.ts'

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
/** The same passport gives the same bytes: no clock, and the oldest date that a ZIP file can hold. */
const MODIFIED = '1980-01-01T00:00:00'

const relate = (type: string, target: string): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${type}" Target="${target}"/></Relationships>`

const CONTENT_TYPES = `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="json" ContentType="application/json"/><Override PartName="/aasx/aasx-origin" ContentType="text/plain"/></Types>`

const DEFLATED = 8
const deflate = promisify(deflateRaw)

/** The bytes of the file. Other threads compress it: on the only thread, that took up to 40 ms. */
export async function buildAasx(reading: UndatedReading, publisher: Publisher): Promise<Buffer> {
  const parts: readonly (readonly [string, string])[] = [
    ['[Content_Types].xml', CONTENT_TYPES],
    ['_rels/.rels', relate(AASX.originRelationship, '/aasx/aasx-origin')],
    ['aasx/aasx-origin', 'Intentionally empty.'],
    ['aasx/_rels/aasx-origin.rels', relate(AASX.specRelationship, '/aasx/data.json')],
    ['aasx/data.json', renderAasEnvironment(reading, publisher)],
  ]
  const chunks: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error
    chunks.push(chunk)
  })
  for (const [name, text] of parts) await addFile(zip, name, text)
  zip.end()
  return Buffer.concat(chunks)
}

async function addFile(zip: Zip, filename: string, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  const file: ZipInputFile = {
    filename,
    size: bytes.length,
    crc: crc32(bytes),
    compression: DEFLATED,
    mtime: MODIFIED,
  }
  const deflated = await deflate(bytes)
  zip.add(file)
  file.ondata?.(null, deflated, true)
}
