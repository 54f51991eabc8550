/** Bodies at a limit of bytes: JSON and forms whose work for the server is out of proportion to their size. */

/** Fewer than the limit, because the value stands inside of a body. */
const LEGAL_DEPTH = 26

export type Shape = { name: string; build: (bytes: number) => string }

const fillWith = (part: string, bytes: number) => part.repeat(Math.max(1, Math.floor(bytes / part.length)))

/** `piece(n)` until the text has `bytes`, joined by commas. */
function joinPieces(bytes: number, piece: (n: number) => string): string {
  const pieces: string[] = []
  for (let size = 0, n = 0; ; n++) {
    const next = piece(n)
    size += next.length + 1
    if (size > bytes) return pieces.join()
    pieces.push(next)
  }
}

/** JSON values. Some are legal up to the server's limits of depth and count, most are beyond them. */
export const JSON_SHAPES: readonly Shape[] = [
  {
    name: 'deep brackets',
    build: bytes => {
      const depth = Math.floor(bytes / 2) - 1
      return '['.repeat(depth) + ']'.repeat(depth)
    },
  },
  { name: 'flat objects', build: bytes => `[${joinPieces(bytes - 2, () => '{}')}]` },
  { name: 'many keys', build: bytes => `{${joinPieces(bytes - 2, n => `"k${n}":0`)}}` },
  { name: 'short strings', build: bytes => `[${joinPieces(bytes - 2, () => '"a"')}]` },
  { name: 'long numbers', build: bytes => `[${joinPieces(bytes - 2, () => '1.234567890123456e-30')}]` },
  // One character outside of Latin-1 doubles the text's size in memory.
  { name: 'long string', build: bytes => `"€${'n'.repeat(Math.max(0, bytes - 8))}"` },
  {
    name: 'many rows',
    build: bytes => `[${joinPieces(bytes - 2, n => `{"sku":"R-${n}","serial":"${n}","data":{"note":"x"}}`)}]`,
  },
  { name: 'escapes', build: bytes => `"${fillWith('\\u0001\\"\\\\', bytes - 2)}"` },
]

/** Within all limits of JSON: as deep and as many as may be. */
export const LEGAL_JSON: readonly Shape[] = [
  { name: 'legal text', build: bytes => JSON.stringify(`€${'n'.repeat(Math.max(0, bytes - 8))}`) },
  { name: 'legal escapes', build: bytes => `"${fillWith('\\t\\"\\\\', bytes - 2)}"` },
  {
    name: 'legal lists',
    build: bytes => {
      const row = `[${Array(900).fill('"abcdefghijklmnop"').join()}]`
      return `[${joinPieces(Math.min(bytes - 2, row.length * 19), () => row)}]`
    },
  },
  {
    name: 'legal depth',
    build: bytes => {
      const depth = LEGAL_DEPTH
      const deep = '['.repeat(depth) + ']'.repeat(depth)
      return `[${joinPieces(Math.min(bytes - 2, 600 * (deep.length + 1)), () => deep)}]`
    },
  },
]

/** `application/x-www-form-urlencoded`. */
export const FORM_SHAPES: readonly Shape[] = [
  { name: 'deep names', build: bytes => `${'a.'.repeat(Math.floor((bytes - 3) / 2))}a=1` },
  { name: 'dots', build: bytes => `d.${'.'.repeat(bytes - 5)}=1` },
  { name: 'many names', build: bytes => joinPieces(bytes, n => `d.n${n}=1`).replaceAll(',', '&') },
  { name: 'many pairs', build: bytes => fillWith('a=&', bytes) },
  { name: 'separators', build: bytes => '&'.repeat(bytes) },
  { name: 'long value', build: bytes => `d.note=${'n'.repeat(bytes - 7)}` },
  { name: 'escapes', build: bytes => `d.note=${fillWith('%26%E2%82%AC', bytes - 7)}` },
  {
    name: 'rows',
    build: bytes => joinPieces(bytes, n => `d.fiberComposition.${n}.fiber=wool`).replaceAll(',', '&'),
  },
]
