/** Escapes and unescapes texts in the XML of XLSX (ECMA-376 part 1, 18.4 and 22.9.2.19). */

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function entity(whole: string, name: string): string {
  const named = NAMED[name]
  if (named !== undefined) return named
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return Number.isInteger(code) && code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
}

/** Unescapes XML entities, and sequences such as `_x000D_` for characters that XML cannot contain. */
export function unescapeXml(xml: string): string {
  const text = xml.includes('&')
    ? xml.replaceAll(/&(amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});/g, entity)
    : xml
  if (!text.includes('_x')) return text
  return text.replaceAll(/_x([\da-fA-F]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '_x000D_',
}

/** Escapes the text of an element. `xml:space` preserves outer tabs and newlines. */
export const escapeXml = (text: string): string =>
  text.replaceAll(/_(?=x[\da-fA-F]{4}_)/g, '_x005F_').replaceAll(/[&<>"\r]/g, one => SPECIAL[one] ?? one)

/** Joins the texts of all `<t>` in an element, except phonetic readings (`<rPh>`). */
export function getTexts(xml: string): string {
  let text = ''
  const plain = xml.includes('<rPh')
    ? xml.replaceAll(/<rPh\b[^<>]*>(?:<t\b[^<>]*>[^<]*<\/t>)?<\/rPh>/g, '')
    : xml
  for (let at = plain.indexOf('<t'); at >= 0; at = plain.indexOf('<t', at + 2)) {
    const next = plain[at + 2]
    if (next !== '>' && next !== ' ') continue
    const begin = plain.indexOf('>', at) + 1
    const end = plain.indexOf('</t>', begin)
    if (begin === 0 || end < 0) break
    text += plain.slice(begin, end)
    at = end
  }
  return unescapeXml(text)
}

const attributePatterns = new Map<string, RegExp>()

export function findAttribute(tag: string, name: string): string | undefined {
  const pattern = attributePatterns.get(name) ?? new RegExp(`\\s${name}="([^"]*)"`)
  attributePatterns.set(name, pattern)
  const value = pattern.exec(tag)?.[1]
  return value === undefined ? undefined : unescapeXml(value)
}
