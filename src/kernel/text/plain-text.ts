/**
 * Turns the HTML that editors of shops write into plain text: paragraphs and line breaks become lines, list
 * entries get a sign, and entities become characters. Tags that HTML does not know stay: `<30` is text.
 */
import { decode } from 'html-entities'

/** Tags that end a line, and those that also leave an empty one. */
const LINES = new Set('br div tr dt dd li section article header footer figure figcaption hr'.split(' '))
const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre'.split(' '))
const INLINE = new Set(
  'a abbr b big body center cite code col colgroup del em font head html i img ins kbd label link main mark meta nav o:p q s samp small span strike strong sub sup tbody td tfoot th thead time title tt u var wbr'.split(
    ' ',
  ),
)
/** Their content is not text: each with its end. */
const HIDDEN = new Map(
  ['script', 'style', 'template', 'noscript', 'iframe'].map(name => [name, new RegExp(`</${name}`, 'gi')]),
)

const isTag = (name: string) =>
  LINES.has(name) || PARAGRAPHS.has(name) || INLINE.has(name) || HIDDEN.has(name)

/** Security bound: longer attributes end no tag, so that each `<` is looked at within this length. */
const TAG = /<(\/?)([a-z][a-z0-9:]{0,15})(?:\s[^<>]{0,2000})?\/?>/giy

export function toPlainText(html: string): string {
  const text = convert(html)
  // HTML in feeds is often encoded twice: `&lt;p&gt;Wool&lt;/p&gt;`.
  return hasTags(html) || !hasTags(text) ? text : convert(text)
}

const hasTags = (text: string) => splitTags(text).parts.length > 1

/** Marks of a new line and of a new paragraph, of which several together count once. */
const [LINE, PARAGRAPH] = ['\u0001', '\u0002']

function convert(html: string): string {
  const { parts, hasLines } = splitTags(html)
  // Beside tags that make lines, line breaks of the source are white space.
  const lines = parts
    .map(part => (hasLines && part.isText ? part.text.replaceAll(/\s+/g, ' ') : part.text))
    .join('')
  return decode(lines, { level: 'html5', scope: 'strict' })
    .replaceAll(/\r\n/g, '\n')
    .replaceAll(/[\t \u00a0]+/g, ' ')
    .replaceAll(/\u0001(• |\d+\. )[\s\u0001\u0002]+/g, `${LINE}$1`)
    .replaceAll(/[ \n\u0001\u0002]*[\n\u0001\u0002][ \n\u0001\u0002]*/g, joinBreaks)
    .trim()
}

/** At most one empty line. */
function joinBreaks(run: string): string {
  if (run.includes(PARAGRAPH)) return '\n\n'
  return '\n'.repeat(Math.min(2, Math.max(1, run.split('\n').length - 1)))
}

type Part = { text: string; isText: boolean }

function splitTags(html: string): { parts: Part[]; hasLines: boolean } {
  const parts: Part[] = []
  const lists = trackLists()
  let hasLines = false
  for (const { text, name, isEnd } of listTags(html)) {
    parts.push({ text, isText: true })
    if (name === undefined) continue
    hasLines ||= LINES.has(name) || PARAGRAPHS.has(name)
    parts.push({ text: lists.add(name, isEnd) ?? getBreak(name), isText: false })
  }
  return { parts, hasLines }
}

function getBreak(name: string): string {
  if (name === 'br') return '\n'
  if (PARAGRAPHS.has(name)) return PARAGRAPH
  if (LINES.has(name)) return LINE
  return name === 'td' || name === 'th' ? ' ' : ''
}

/** Writes the signs of entries. A list within a list is no paragraph. */
function trackLists() {
  const open: { isNumbered: boolean; count: number }[] = []
  return {
    add(name: string, isEnd: boolean): string | undefined {
      const list = open.at(-1)
      if (name === 'li' && !isEnd) return `${LINE}${list?.isNumbered ? `${++list.count}.` : '•'} `
      if (name !== 'ul' && name !== 'ol') return undefined
      const isInner = open.length > (isEnd ? 1 : 0)
      if (isEnd) open.pop()
      else open.push({ isNumbered: name === 'ol', count: 0 })
      return isInner ? LINE : undefined
    },
  }
}

/** Each text with the tag after it; comments have the name ''. The last text has none. */
function* listTags(html: string): Generator<{ text: string; name: string | undefined; isEnd: boolean }> {
  let from = 0
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const { end, name = '', isEnd = false } = readTag(html, at)
    if (end === at) {
      at++
      continue
    }
    yield { text: html.slice(from, at), name, isEnd }
    from = end
    at = end
  }
  yield { text: html.slice(from), name: undefined, isEnd: false }
}

/** The tag or comment at this `<`, with the content of hidden ones; `end` is `at` for none. */
function readTag(html: string, at: number): { end: number; name?: string; isEnd?: boolean } {
  if (html.startsWith('<!--', at)) return { end: findEnd(html, '-->', at) }
  TAG.lastIndex = at
  const [whole = '', slash, sent = ''] = TAG.exec(html) ?? []
  const name = sent.toLowerCase()
  if (!isTag(name)) return { end: at }
  const isEnd = slash === '/'
  const close = HIDDEN.get(name)
  if (close === undefined || isEnd) return { end: at + whole.length, name, isEnd }
  close.lastIndex = at
  const found = close.exec(html)
  return { end: found === null ? html.length : findEnd(html, '>', found.index), name }
}

function findEnd(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found < 0 ? html.length : found + mark.length
}
