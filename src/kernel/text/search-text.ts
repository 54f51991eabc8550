/** Folds texts for searches that ignore case, accents and invisible characters. */

/** Marks of Latin, Greek and Cyrillic, of Hebrew and of Arabic, and characters that are drawn as nothing. */
const IGNORED = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\p{Cf}]/gu

/** Letters that Unicode does not decompose. Migration 0065 has the same. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
}
const UNDECOMPOSED = /[ßæœþłøđðħıς]/g

const ASCII = /^[\0-\x7f]*$/

const normalize = (text: string) => text.normalize('NFC').toLowerCase()

/** `Café Šálek` and `CAFE SALEK` are `cafe salek`; `STRASSE` and `Straße` are `strasse`. */
export function foldText(text: string): string {
  const plain = normalize(text)
  if (ASCII.test(plain)) return plain
  return plain
    .normalize('NFKD')
    .replace(IGNORED, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(UNDECOMPOSED, letter => LETTERS[letter] ?? letter)
}

/** The search text of a row: each text in NFC and lower case on a line, then those that folding changes. */
export const buildSearchText = (texts: readonly string[]): string =>
  addFoldedLines(texts.map(normalize).join('\n'))

/** Texts of earlier versions lack the folded lines. */
export function addFoldedLines(search: string): string {
  if (ASCII.test(search)) return search
  const lines = search.split('\n')
  const folded = lines.map(foldText).filter(line => !lines.includes(line))
  return [...lines, ...folded].join('\n')
}

/**
 * The texts of which a row must contain one, to be found by a word. The word as it is finds rows that the
 * previous version wrote.
 */
export function listSearchWords(word: string): readonly string[] {
  const [plain, folded] = [normalize(word), foldText(word)]
  // A word of marks alone leaves nothing, which everything contains.
  return folded === '' || folded === plain ? [plain] : [folded, plain]
}
