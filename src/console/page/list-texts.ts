/** The words of the list of products, in the languages of the console, beside those of all pages about products. */
import { PRODUCT_TEXTS } from './product-texts.ts'

const en = {
  levelTabs: { model: 'Models', batch: 'Batches', item: 'Items', all: 'All' },
  nothingHere: 'Nothing matches here.',
  matches: {
    model: (n: number, text: string) => (n === 1 ? '1 model matches' : `${text} models match`),
    batch: (n: number, text: string) => (n === 1 ? '1 batch matches' : `${text} batches match`),
    item: (n: number, text: string) => (n === 1 ? '1 item matches' : `${text} items match`),
    all: (_n: number, text: string) => `${text} match on other levels`,
  },
  matchesWithoutFilters: (n: number, text: string) =>
    n === 1 ? '1 product matches without the filters' : `${text} products match without the filters`,
}

type ListTexts = typeof en

const de: ListTexts = {
  levelTabs: { model: 'Modelle', batch: 'Chargen', item: 'Einzelstücke', all: 'Alle' },
  nothingHere: 'Hier passt nichts.',
  matches: {
    model: (n, text) => (n === 1 ? '1 Modell passt' : `${text} Modelle passen`),
    batch: (n, text) => (n === 1 ? '1 Charge passt' : `${text} Chargen passen`),
    item: (n, text) => (n === 1 ? '1 Einzelstück passt' : `${text} Einzelstücke passen`),
    all: (_n, text) => `${text} Treffer auf anderen Ebenen`,
  },
  matchesWithoutFilters: (n, text) =>
    n === 1 ? '1 Produkt passt ohne die Filter' : `${text} Produkte passen ohne die Filter`,
}

export const LIST_TEXTS = { en: { ...PRODUCT_TEXTS.en, ...en }, de: { ...PRODUCT_TEXTS.de, ...de } }
