/** Spreadsheets as other programs write them, for tests of reading. */
import { deflateRawSync } from 'node:zlib'
import { openSpreadsheet } from '../../src/transfer/spreadsheets/columns/read-spreadsheet.ts'
import type { Cell } from '../../src/transfer/spreadsheets/files/cell.ts'

export async function readAll(
  bytes: Buffer,
): Promise<{ header: string[]; rows: Cell[][]; numbers: number[] }> {
  const { header, rows } = await openSpreadsheet(bytes)
  const all: Cell[][] = []
  const numbers: number[] = []
  for await (const { no, cells } of rows) {
    all.push(cells)
    numbers.push(no)
  }
  return { header, rows: all, numbers }
}

export async function joined(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const REL = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A minimal XLSX file with the given sheet XML. */
export function xlsx(sheetData: string, parts: Record<string, string | Uint8Array> = {}): Buffer {
  const files: Record<string, string | Uint8Array> = {
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${REL}"><sheets><sheet name="A" sheetId="1" r:id="rId7"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId7" Target="worksheets/one.xml"/></Relationships>',
    'xl/worksheets/one.xml': `<worksheet xmlns="${MAIN}"><sheetData>${sheetData}</sheetData></worksheet>`,
    ...parts,
  }
  return zip(files)
}

/** Compressed by zlib, which is fast for zip bombs. */
function zip(files: Record<string, string | Uint8Array>): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let at = 0
  for (const [name, part] of Object.entries(files)) {
    const packed = deflateRawSync(part, { level: 1 })
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(8, 4)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(Buffer.byteLength(part), 18)
    head.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), head, Buffer.from(name), packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(at, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), head, tail, Buffer.from(name)]))
    locals.push(local)
    at += local.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(central.length, 8)
  end.writeUInt16LE(central.length, 10)
  end.writeUInt32LE(Buffer.concat(central).length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, ...central, end])
}
