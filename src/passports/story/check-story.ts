/** Checks the block “From the brand” that an account sends, and reports everything wrong at once. */
import type { BrandStory, StoryLink, StoryPicture, StoryTexts } from '../../accounts/brand/story.ts'
import { toEnglish } from '../../categories/problems.ts'
import { FORMAT_RULES } from '../../categories/schema/formats.ts'
import { isLanguage } from '../../i18n/catalogue.ts'
import { collectErrors } from '../../kernel/errors/collect-errors.ts'
import {
  type AppError,
  type Detail,
  type DetailCode,
  invalid,
  type Path,
} from '../../kernel/errors/errors.ts'
import { isSafeLink, SAFE_LINK_RULE } from '../../kernel/http/public-link.ts'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { MEDIA_ID } from '../../media/files/media-file.ts'

export const MAX_STORY_TEXT_LENGTH = 2_000
export const MAX_STORY_LINKS = 3
export const MAX_STORY_LABEL_LENGTH = 100
export const MAX_STORY_ALT_LENGTH = 300

const MEMBERS = ['text', 'links', 'picture']

/** Throws `validation`. Whether the account has the picture is not checked here. */
export function checkStory(sent: unknown): BrandStory {
  if (!isObject(sent)) throw fault([], 'type', 'The block must be an object with text, links or picture.')
  const story = collectErrors({
    text: () => (isNothing(sent.text) ? null : readTexts(['text'], sent.text, TEXT)),
    links: () => (isNothing(sent.links) ? [] : readLinks(sent.links)),
    picture: () => (isNothing(sent.picture) ? null : readPicture(sent.picture)),
    others: () => requireKnown([], sent, MEMBERS),
  })
  const { text, links, picture } = story
  if (text === null && links.length === 0 && picture === null) {
    const message = 'The block has no text, no link and no picture. Send one of them, or remove the block.'
    throw fault(['text'], 'required', message)
  }
  return { text, links, picture }
}

const isNothing = (value: unknown): value is null | undefined => value === undefined || value === null

const fault = (path: Path, code: DetailCode, message: string): AppError => invalid([{ path, code, message }])

/** `message` continues after the name of the member. */
const describe = (path: Path, code: DetailCode, message: string): Detail => ({
  path,
  code,
  message: `${path.join('.')} ${message}`,
})

const error = (...args: Parameters<typeof describe>) => invalid([describe(...args)])

function requireKnown(path: Path, sent: object, known: readonly string[]): void {
  const unknown = Object.keys(sent).filter(name => !known.includes(name))
  const message = `is unknown: use ${known.join(', ')}.`
  if (unknown.length > 0)
    throw invalid(unknown.map(name => describe([...path, name.slice(0, 100)], 'unknown_field', message)))
}

type TextRule = { maxLength: number; hasLines: boolean }
const TEXT: TextRule = { maxLength: MAX_STORY_TEXT_LENGTH, hasLines: true }
const LABEL: TextRule = { maxLength: MAX_STORY_LABEL_LENGTH, hasLines: false }
const ALT: TextRule = { maxLength: MAX_STORY_ALT_LENGTH, hasLines: false }

function readTexts(path: Path, texts: unknown, rule: TextRule): StoryTexts {
  if (isNothing(texts))
    throw error(path, 'required', 'is missing: send a text for each language, as in {"en": "…"}.')
  if (!isObject(texts)) throw error(path, 'type', 'must have a text for each language: {"en": "…"}.')
  const entries = Object.entries(texts)
  if (entries.length === 0) throw error(path, 'length', 'must have a text in at least one language.')
  const checked = entries.map(([language, text]) => readText([...path, language.slice(0, 20)], text, rule))
  const faults = checked.filter(one => typeof one !== 'string')
  if (faults.length > 0) throw invalid(faults)
  return Object.fromEntries(entries.map(([language], i) => [language, String(checked[i])]))
}

function readText(path: Path, text: unknown, { maxLength, hasLines }: TextRule): string | Detail {
  if (!isLanguage(String(path.at(-1))))
    return describe(path, 'language_code', 'must be under one of the 24 official languages, such as "de".')
  if (typeof text !== 'string') return describe(path, 'type', 'must be a text.')
  const trimmed = text.replace(/\r\n?/g, '\n').trim()
  if (trimmed === '' || isLongerThan(trimmed, maxLength))
    return describe(path, 'length', `must have 1 to ${maxLength} characters.`)
  if (isOneLine(hasLines ? trimmed.replace(/[\n\t]/g, ' ') : trimmed)) return trimmed
  return describe(path, 'format', hasLines ? 'has characters that pages cannot show.' : 'must be one line.')
}

function readLinks(links: unknown): StoryLink[] {
  if (!Array.isArray(links)) throw error(['links'], 'type', 'must be an array.')
  if (links.length > MAX_STORY_LINKS)
    throw error(['links'], 'max', `may have at most ${MAX_STORY_LINKS} links.`)
  const readers = links.map((link: unknown, i) => [`${i}`, () => readLink(['links', i], link)] as const)
  return Object.values(collectErrors(Object.fromEntries(readers)))
}

function readLink(path: Path, link: unknown): StoryLink {
  if (!isObject(link)) throw error(path, 'type', 'must be an object with url and label.')
  const { url, label } = collectErrors({
    url: () => readUrl([...path, 'url'], link.url),
    label: () => readTexts([...path, 'label'], link.label, LABEL),
    others: () => requireKnown(path, link, ['url', 'label']),
  })
  return { url, label }
}

function readUrl(path: Path, url: unknown): string {
  if (isNothing(url)) throw error(path, 'required', 'is missing: send an address that begins with https://.')
  if (typeof url !== 'string') throw error(path, 'type', 'must be a text.')
  const address = url.trim()
  const wrong = FORMAT_RULES.url.findViolation(address)
  if (wrong !== undefined) throw error(path, wrong.code, toEnglish(wrong.problem))
  if (isSafeLink(address)) return address
  throw error(path, 'format', SAFE_LINK_RULE)
}

function readPicture(picture: unknown): StoryPicture {
  const path = ['picture']
  if (!isObject(picture)) throw error(path, 'type', 'must be an object with media and alt.')
  const { media, alt } = collectErrors({
    media: () => readPictureId([...path, 'media'], picture.media),
    alt: () => readTexts([...path, 'alt'], picture.alt, ALT),
    others: () => requireKnown(path, picture, ['media', 'alt']),
  })
  return { media, alt }
}

function readPictureId(path: Path, id: unknown): string {
  if (typeof id === 'string' && MEDIA_ID.test(id)) return id
  throw error(path, isNothing(id) ? 'required' : 'format', 'must be the id of a picture: 64 hex digits.')
}
