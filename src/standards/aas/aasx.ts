/** An environment of the Asset Administration Shell as a package: the file format AASX. */
import { zipSync } from 'fflate'
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

/** The bytes of the file. */
export function buildAasx(reading: UndatedReading, publisher: Publisher): Uint8Array {
  const parts: readonly (readonly [string, string])[] = [
    ['[Content_Types].xml', CONTENT_TYPES],
    ['_rels/.rels', relate(AASX.originRelationship, '/aasx/aasx-origin')],
    ['aasx/aasx-origin', 'Intentionally empty.'],
    ['aasx/_rels/aasx-origin.rels', relate(AASX.specRelationship, '/aasx/data.json')],
    ['aasx/data.json', renderAasEnvironment(reading, publisher)],
  ]
  const files = parts.map(([name, text]) => [name, Buffer.from(text)] as const)
  return zipSync(Object.fromEntries(files), { mtime: MODIFIED })
}
