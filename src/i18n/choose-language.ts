/** Chooses the language that suits a reader, among those of a text or of our own texts. */

/** The languages that there are, in lower case and in their order. */
export type Tags = Pick<ReadonlySet<string>, 'has' | 'keys'>

/**
 * Returns one of `tags` for the first wanted language that has one: the same tag, else a shorter form
 * (`de-AT`, then `de`; RFC 4647), else the nearest of the same language and script (`de-DE`), else a shorter
 * form in another script (`zh` for `zh-TW`). `wanted`: in any case, best first.
 */
export function chooseLanguage(tags: Tags, wanted: readonly string[]): string | undefined {
  for (const tag of wanted) {
    const found = findTag(tags, describe(tag))
    if (found !== undefined) return found
  }
  return undefined
}

function findTag(tags: Tags, { forms, formsInOtherScript, ...reader }: Description): string | undefined {
  const has = (form: string) => tags.has(form)
  return forms.find(has) ?? findNearest(tags, reader) ?? formsInOtherScript.find(has)
}

type Place = { language: string; script: string | undefined; region: string | undefined }
/** `place`: the language with CLDR's likely script and region (`zh-tw` is `zh-Hant-TW`). */
type Description = {
  /** The tag and its shorter forms, longest first. */
  forms: readonly string[]
  formsInOtherScript: readonly string[]
  place: Place | undefined
  /** Where most readers of the language are, in this script. */
  mainRegion: string | undefined
}

/** Security bounds: headers come from anybody. Real tags have at most 35 characters (RFC 5646 §4.4.1). */
const MAX_LENGTH = 100
const MAX_DESCRIBED = 2_000
/** Language, script, region and a variant. Shorter forms of longer tags start with these. */
const MAX_SUBTAGS = 4
const described = new Map<string, Description>()

function describe(sent: string): Description {
  const known = described.get(sent)
  if (known !== undefined) return known
  const tag = sent.toLowerCase().slice(0, MAX_LENGTH)
  const parts = tag.split('-', MAX_SUBTAGS)
  const all = new Set([tag, ...parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))])
  const place = findPlace(tag)
  const [inScript = [], others = []] = [true, false].map(isSame =>
    [...all].filter(form => (form === tag || findPlace(form)?.script === place?.script) === isSame),
  )
  const main = place && findPlace([place.language, place.script ?? []].flat().join('-').toLowerCase())
  const description = { forms: inScript, formsInOtherScript: others, place, mainRegion: main?.region }
  if (described.size >= MAX_DESCRIBED) described.clear()
  if (sent.length <= MAX_LENGTH) described.set(sent, description)
  return description
}

/** The parts that decide about place: language, script and region. */
const START = /^(?:[a-z]{2,3}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?=-|$)/
/** Cached, because `Intl` takes 5 µs. */
const places = new Map<string, Place>()

/** `tag`: in lower case. Undefined if it names no language. */
function findPlace(tag: string): Place | undefined {
  const [start] = START.exec(tag) ?? []
  // `und` would become English.
  if (start === undefined || /^(?:und|mul)\b/.test(start)) return undefined
  const known = places.get(start)
  if (known !== undefined) return known
  const { language, script, region } = new Intl.Locale(start).maximize()
  if (places.size >= MAX_DESCRIBED) places.clear()
  places.set(start, { language, script, region })
  return { language, script, region }
}

/** Readers of one of the written forms of Norwegian can read the others. */
const NORWEGIAN = new Set(['no', 'nb', 'nn'])
const buildGroupKey = ({ language, script }: Place) =>
  `${NORWEGIAN.has(language) ? 'no' : language}-${script}`

type PlacedTag = { tag: string; place: Place }
/** The tags of each language and script. */
const groups = new WeakMap<Tags, ReadonlyMap<string, readonly PlacedTag[]>>()

function groupTags(tags: Tags): ReadonlyMap<string, readonly PlacedTag[]> {
  const known = groups.get(tags)
  if (known !== undefined) return known
  const placed = Array.from(tags.keys()).flatMap(tag => {
    const { place } = describe(tag)
    return place === undefined ? [] : [{ tag, place }]
  })
  const made = Map.groupBy(placed, one => buildGroupKey(one.place))
  groups.set(tags, made)
  return made
}

/** The same written form first, then the reader's region, then the language's main one, then the first. */
function findNearest(
  tags: Tags,
  { place: reader, mainRegion }: Pick<Description, 'place' | 'mainRegion'>,
): string | undefined {
  if (reader === undefined) return undefined
  const rank = ({ place: { language, region } }: PlacedTag) =>
    (language === reader.language ? 4 : 0) +
    (region === reader.region ? 2 : 0) +
    (region === mainRegion ? 1 : 0)
  const found = groupTags(tags).get(buildGroupKey(reader)) ?? []
  return found.toSorted((a, b) => rank(b) - rank(a))[0]?.tag
}
