/** The words of the review before a product is saved, in the languages of the console. */
import { PRODUCT_TEXTS } from './product-texts.ts'

const units = (n: number, text: string) =>
  n === 1 ? 'the unit already issued' : `the ${text} units already issued`

const en = {
  reviewOf: (name: string) => `Review your changes to ${name}`,
  reviewTitle: 'Review your changes',
  reviewLead: 'Nothing is saved yet.',
  kindOfChange: 'Kind of change',
  whatChange: 'What about the units already issued?',
  changeTypes: {
    change: 'A change: the product is different from now on',
    correction: 'A correction: the data was wrong',
  },
  changeHints: {
    change: (n: number, text: string) => `It leaves ${units(n, text)} as ${n === 1 ? 'it is' : 'they are'}.`,
    correction: (n: number, text: string) =>
      `It reaches ${units(n, text)}. ${n === 1 ? 'It is' : 'They are'} marked as outdated until you update ${n === 1 ? 'it' : 'them'}, which you can do right after saving.`,
  },
  reachOwn: (field: string, n: number, text: string) =>
    n === 1
      ? `One of them has its own value for ${field} and keeps it.`
      : `${text} of them have their own value for ${field} and keep it.`,
  chooseOne: 'Choose whether this is a change or a correction.',
  back: 'Back to editing',
}

type ReviewTexts = typeof en

const einheiten = (n: number, text: string) =>
  n === 1 ? 'die schon ausgestellte Einheit' : `die ${text} schon ausgestellten Einheiten`

const de: ReviewTexts = {
  reviewOf: name => `Änderungen prüfen: ${name}`,
  reviewTitle: 'Änderungen prüfen',
  reviewLead: 'Es ist noch nichts gespeichert.',
  kindOfChange: 'Art der Änderung',
  whatChange: 'Was gilt für schon ausgestellte Einheiten?',
  changeTypes: {
    change: 'Eine Änderung: Das Produkt ist von jetzt an anders',
    correction: 'Eine Berichtigung: Die Angaben waren falsch',
  },
  changeHints: {
    change: (n, text) => `Sie lässt ${einheiten(n, text)}, wie ${n === 1 ? 'sie ist' : 'sie sind'}.`,
    correction: (n, text) =>
      `Sie betrifft ${einheiten(n, text)}. ${n === 1 ? 'Sie gilt' : 'Sie gelten'} als veraltet, bis Sie ${n === 1 ? 'sie' : 'alle'} aktualisieren; das geht gleich nach dem Speichern.`,
  },
  reachOwn: (field, n, text) =>
    n === 1
      ? `Eine davon hat einen eigenen Wert für ${field} und behält ihn.`
      : `${text} davon haben einen eigenen Wert für ${field} und behalten ihn.`,
  chooseOne: 'Bitte wählen: Änderung oder Berichtigung.',
  back: 'Zurück zur Bearbeitung',
}

export const REVIEW_TEXTS = { en: { ...PRODUCT_TEXTS.en, ...en }, de: { ...PRODUCT_TEXTS.de, ...de } }
