/** The words about units: listed, issued and brought up to date, in the languages of the console, beside those of all pages about products. */
import { PRODUCT_TEXTS } from './product-texts.ts'

const en = {
  units: (n: number, text: string) => (n === 0 ? 'Units' : n === 1 ? 'One unit' : `${text} units`),
  unitsMany: (text: string) => `More than ${text} units`,
  noUnits: 'No batches or items have been issued yet.',
  unitsHere: (here: string) => `${here} are listed here; the others are listed under their batches.`,
  issue: 'Issue units',
  issueLead: 'New units copy today’s data. They keep it when this product changes later.',
  issueLevels: { batch: 'Batches, named by their lot', item: 'Items, named by their serial number' },
  names: 'Lots or serial numbers',
  namesHint: (most: number) =>
    `One on each line, 1 to ${most}. Letters, digits and common signs, at most 20 each.`,
  issueSubmit: 'Issue',
  issuedSome: (done: string, left: string) =>
    `${done} issued. ${left} could not be, and are still in the form:`,
  line: (n: number, name: string) => `Line ${n} (${name})`,
  andMore: (text: string) => `and ${text} more`,
  noNames: 'Write at least one lot or serial number.',
  tooManyNames: (text: string, most: string) =>
    `These are ${text} lines; at most ${most} can be issued at once. Issue the rest after that.`,
  unitFaults: {
    lot_taken: 'This lot is already taken under the model.',
    serial_taken: 'This serial number is already taken under the model.',
    length: 'At most 20 characters are possible.',
    pattern:
      'Only letters from A to Z, digits and the signs !"%&\'()*+,-./:;<=>?_ are possible, and not . or .. alone.',
  } as Readonly<Partial<Record<string, string>>>,
  unitQuota: {
    batch: 'The quota of batches of this account is used up. Ask for a larger plan, or for extra quota.',
    item: 'The quota of items of this account is used up. Ask for a larger plan, or for extra quota.',
  },
  issueArchived: 'This product is archived: no units can be issued under it. Restore it first.',
  issueItem: 'An item has no units. Issue them under its batch or its model.',
  outdatedUnits: (n: number, text: string) =>
    n === 1
      ? 'One unit still shows the data from before a correction.'
      : `${text} units still show the data from before a correction.`,
  outdatedSelf: {
    batch: 'This batch still shows the data from before a correction.',
    item: 'This item still shows the data from before a correction.',
  },
  outdatedWithItems: (n: number, text: string) =>
    `This batch and ${n === 1 ? 'one of its items' : `${text} of its items`} still show the data from before a correction.`,
  refresh: (n: number, text: string) => (n === 1 ? 'Update it now' : `Update all ${text} now`),
  refreshing: (done: string, all: string) => `Updating units: ${done} of ${all}`,
  refreshFailed: (text: string) => `${text} could not be updated`,
}

type UnitTexts = typeof en

const de: UnitTexts = {
  units: (n, text) => (n === 0 ? 'Einheiten' : n === 1 ? 'Eine Einheit' : `${text} Einheiten`),
  unitsMany: text => `Mehr als ${text} Einheiten`,
  noUnits: 'Es wurden noch keine Chargen oder Einzelstücke ausgestellt.',
  unitsHere: here => `${here} stehen in dieser Liste, die übrigen unter ihren Chargen.`,
  issue: 'Einheiten ausstellen',
  issueLead:
    'Neue Einheiten übernehmen die heutigen Angaben und behalten sie, wenn sich dieses Produkt später ändert.',
  issueLevels: {
    batch: 'Chargen, benannt nach ihrer Chargennummer',
    item: 'Einzelstücke, benannt nach ihrer Seriennummer',
  },
  names: 'Chargen- oder Seriennummern',
  namesHint: most =>
    `Eine je Zeile, 1 bis ${most}. Buchstaben, Ziffern und übliche Zeichen, je höchstens 20.`,
  issueSubmit: 'Ausstellen',
  issuedSome: (done, left) => `${done} ausgestellt. ${left} gingen nicht und stehen noch im Formular:`,
  line: (n, name) => `Zeile ${n} (${name})`,
  andMore: text => `und ${text} weitere`,
  noNames: 'Bitte mindestens eine Chargen- oder Seriennummer.',
  tooManyNames: (text, most) =>
    `Das sind ${text} Zeilen; auf einmal gehen höchstens ${most}. Stellen Sie die übrigen danach aus.`,
  unitFaults: {
    lot_taken: 'Diese Charge gibt es unter dem Modell schon.',
    serial_taken: 'Diese Seriennummer gibt es unter dem Modell schon.',
    length: 'Möglich sind höchstens 20 Zeichen.',
    pattern:
      'Möglich sind nur Buchstaben von A bis Z, Ziffern und die Zeichen !"%&\'()*+,-./:;<=>?_, und nicht . oder .. allein.',
  },
  unitQuota: {
    batch:
      'Das Kontingent an Chargen dieses Kontos ist aufgebraucht. Bitte einen größeren Tarif oder ein Zusatzkontingent anfragen.',
    item: 'Das Kontingent an Einzelstücken dieses Kontos ist aufgebraucht. Bitte einen größeren Tarif oder ein Zusatzkontingent anfragen.',
  },
  issueArchived:
    'Dieses Produkt ist archiviert: darunter lassen sich keine Einheiten ausstellen. Stellen Sie es erst wieder her.',
  issueItem:
    'Ein Einzelstück hat keine Einheiten. Stellen Sie sie unter seiner Charge oder seinem Modell aus.',
  outdatedUnits: (n, text) =>
    n === 1
      ? 'Eine Einheit zeigt noch die Angaben von vor einer Berichtigung.'
      : `${text} Einheiten zeigen noch die Angaben von vor einer Berichtigung.`,
  outdatedSelf: {
    batch: 'Diese Charge zeigt noch die Angaben von vor einer Berichtigung.',
    item: 'Dieses Einzelstück zeigt noch die Angaben von vor einer Berichtigung.',
  },
  outdatedWithItems: (n, text) =>
    `Diese Charge und ${n === 1 ? 'eines ihrer Einzelstücke' : `${text} ihrer Einzelstücke`} zeigen noch die Angaben von vor einer Berichtigung.`,
  refresh: (n, text) => (n === 1 ? 'Jetzt aktualisieren' : `Alle ${text} jetzt aktualisieren`),
  refreshing: (done, all) => `Einheiten werden aktualisiert: ${done} von ${all}`,
  refreshFailed: text => `${text} konnten nicht aktualisiert werden`,
}

export const UNIT_TEXTS = { en: { ...PRODUCT_TEXTS.en, ...en }, de: { ...PRODUCT_TEXTS.de, ...de } }
