/**
 * Languages of texts and readers, and which text suits a reader: worked out apart from the code under test.
 */

/** Tags of texts, as product data has them: of the 24, with regions and scripts, and of other languages. */
export const TEXT_TAGS = [
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'es',
  'et',
  'fi',
  'fr',
  'ga',
  'hr',
  'hu',
  'it',
  'lt',
  'lv',
  'mt',
  'nl',
  'pl',
  'pt',
  'ro',
  'sk',
  'sl',
  'sv',
  'de-DE',
  'de-AT',
  'de-CH',
  'de-Latn-DE',
  'fr-FR',
  'fr-CA',
  'nl-BE',
  'es-419',
  'es-ES',
  'pt-BR',
  'pt-PT',
  'en-US',
  'en-GB',
  'it-CH',
  'el-GR',
  'zh',
  'zh-Hans',
  'zh-Hant',
  'zh-TW',
  'zh-HK',
  'sr',
  'sr-Latn',
  'sr-Cyrl-RS',
  'no',
  'nb',
  'nn-NO',
  'uz-Cyrl',
  'az-Arab',
  'pa-PK',
  'ja',
  'ko-KR',
  'ar',
  'he',
  'id',
  'fil',
  'uk',
  'tr-TR',
  'mk',
] as const

/** Values of `Accept-Language`. */
export const READERS = [
  'bg-BG',
  'cs-CZ',
  'da-DK',
  'de',
  'de-DE',
  'de-AT',
  'de-CH',
  'de-LI',
  'de-1996',
  'el',
  'es',
  'es-MX',
  'et-EE',
  'fi-FI',
  'fr',
  'fr-BE',
  'fr-CH',
  'fr-CA',
  'ga-IE',
  'hr',
  'hu-HU',
  'it',
  'lt',
  'lv',
  'mt-MT',
  'nl',
  'nl-NL',
  'pl',
  'pt',
  'pt-PT',
  'pt-AO',
  'ro-MD',
  'sk',
  'sl-SI',
  'sv-FI',
  'en',
  'en-AU',
  'en-US',
  'zh',
  'zh-CN',
  'zh-TW',
  'zh-HK',
  'zh-Hant',
  'zh-Hant-MO',
  'sr',
  'sr-RS',
  'sr-Latn-RS',
  'sr-ME',
  'no',
  'nb-NO',
  'nn',
  'uz',
  'az',
  'pa',
  'ja-JP',
  'ko',
  'ar-EG',
  'he-IL',
  'iw',
  'tl',
  'uk-UA',
  'tr',
  'mk-MK',
] as const

const NORWEGIAN = ['no', 'nb', 'nn']

/** Returns CLDR's likely form of a tag. The forms of Norwegian count as one language. */
function maximize(tag: string) {
  const { language, script, region } = new Intl.Locale(tag).maximize()
  return { language: NORWEGIAN.includes(language) ? 'no' : language, script, region }
}

const isSameWriting = (one: string, other: string): boolean => {
  const [a, b] = [maximize(one), maximize(other)]
  return a.language === b.language && a.script === b.script
}

/**
 * True if a reader of this language can read the text: it is a shorter form, or of the same language and
 * script.
 */
export const canRead = (reader: string, text: string): boolean =>
  `${reader}-`.toLowerCase().startsWith(`${text}-`.toLowerCase()) || isSameWriting(reader, text)

/** The tag of the text that a reader gets. The last of `texts` is for all others. */
export function expectedTag(reader: string, texts: readonly string[]): string | undefined {
  const { region } = maximize(reader)
  const [mainTag] = [new Intl.Locale(reader).maximize()].map(one => `${one.language}-${one.script}`)
  const mainRegion = maximize(mainTag ?? reader).region
  const distance = (text: string): number => {
    const shorter = `${reader}-`.toLowerCase().startsWith(`${text}-`.toLowerCase())
    if (!isSameWriting(reader, text)) return shorter ? 100_000 - text.length : Number.POSITIVE_INFINITY
    if (shorter) return 100 - text.length
    const own = new Intl.Locale(reader).maximize().language === new Intl.Locale(text).maximize().language
    return (
      1000 +
      (own ? 0 : 4) +
      (maximize(text).region === region ? 0 : 2) +
      (maximize(text).region === mainRegion ? 0 : 1)
    )
  }
  const near = texts.map(text => ({ text, distance: distance(text) }))
  const [best] = near.toSorted((a, b) => a.distance - b.distance)
  return best === undefined || best.distance === Number.POSITIVE_INFINITY ? undefined : best.text
}
