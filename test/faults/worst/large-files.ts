/** Files as large as they may be, and small ones that become large when they are read. */
import { makePdf, makePhotograph, makePng } from '../../media/sample-files.ts'

export type LargeFile = { name: string; type: string; make: () => Promise<Buffer> | Buffer }

const MAX_BYTES = 20 * 1024 * 1024
let turn = 0

/** Each time another picture: a known one would not be prepared. */
export const makeLargeFiles = (): LargeFile[] => [
  { name: 'photograph', type: 'image/jpeg', make: async () => addTail(await PHOTOGRAPH.get()) },
  { name: 'flat PNG', type: 'image/png', make: () => makePng({ width: 9_000, height: 5_000 + ++turn }) },
  { name: 'PDF of 20 MB', type: 'application/pdf', make: async () => pad(await makePdf(`${++turn}`)) },
  { name: 'brackets as PDF', type: 'application/pdf', make: () => fillPdf('[') },
  { name: 'names as PDF', type: 'application/pdf', make: () => fillPdf('/A#41 ') },
  { name: 'objects as PDF', type: 'application/pdf', make: () => fillPdf('1 0 obj<<>>endobj ') },
  { name: 'zeros', type: 'application/octet-stream', make: () => Buffer.alloc(MAX_BYTES) },
  { name: 'XML', type: 'image/svg+xml', make: () => Buffer.from(`<svg>${'<g>'.repeat(6_000_000)}`) },
]

const PHOTOGRAPH = {
  made: undefined as Promise<Buffer> | undefined,
  get: () => (PHOTOGRAPH.made ??= makePhotograph({ width: 6_000, height: 4_000 })),
}

/** Bytes after the end of a JPEG, which readers skip. */
const addTail = (bytes: Buffer) => Buffer.concat([bytes, Buffer.from(`${++turn}`)])

const pad = (pdf: Buffer) => Buffer.concat([pdf, Buffer.alloc(MAX_BYTES - pdf.length, '%\n')])

const fillPdf = (part: string) =>
  Buffer.concat([
    Buffer.from(`%PDF-1.7\n%${++turn}\n`),
    Buffer.alloc(MAX_BYTES - 1_000, part),
    Buffer.from('\n%%EOF'),
  ])

const BOUNDARY = 'carnet-worst'

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** A form with fields and files. */
export function buildForm(
  fields: Readonly<Record<string, string>>,
  files: readonly { field: string; name: string; bytes: Buffer }[],
): Buffer {
  const head = (text: string) =>
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${text}\r\n\r\n`)
  return Buffer.concat([
    ...Object.entries(fields).flatMap(([name, value]) => [
      head(`name="${name}"`),
      Buffer.from(`${value}\r\n`),
    ]),
    ...files.flatMap(({ field, name, bytes }) => [
      head(`name="${field}"; filename="${name}"`),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])
}

/** Bodies that make a parser of forms work: many parts, and a boundary that nearly comes again and again. */
export const FORM_FILES: readonly { name: string; build: () => Buffer }[] = [
  {
    name: 'many parts',
    build: () =>
      Buffer.alloc(4_000_000, `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n`),
  },
  { name: 'nearly boundaries', build: () => Buffer.alloc(8_000_000, `\r\n--${BOUNDARY.slice(0, -1)}`) },
  { name: 'line ends', build: () => Buffer.alloc(8_000_000, '\r\n') },
]

export const SHEETS: readonly { name: string; file: string; build: () => Buffer }[] = [
  { name: 'commas', file: 'a.csv', build: () => Buffer.alloc(24_000_000, ',') },
  {
    name: 'rows',
    file: 'a.csv',
    build: () => Buffer.alloc(24_000_000, 'productName,sku,brandName\nOak table,T-1,Nordlicht\n'),
  },
  { name: 'quotes', file: 'a.csv', build: () => Buffer.alloc(24_000_000, '"a""b",') },
  { name: 'empty lines', file: 'a.csv', build: () => Buffer.alloc(24_000_000, '\n') },
]
