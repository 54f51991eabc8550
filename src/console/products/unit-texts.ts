/** The words about units: listed, issued and brought up to date, in the languages of the console, beside those of all pages about products. */
import { PRODUCT_TEXTS } from './texts.ts'

const en = {
  units: (n: number, text: string) => (n === 0 ? 'Units' : n === 1 ? 'One unit' : `${text} units`),
  unitsMany: (text: string) => `More than ${text} units`,
  upToDate: 'Corrections',
  noUnits: 'No batches or items have been issued yet.',
  unitsHere: (here: string) =>
    `Of these, ${here} stand directly under it and are listed here; the others stand under their batches.`,
  issue: 'Issue units',
  issueLead:
    'They inherit everything from here as it stands now, and keep it when this product changes later.',
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
      ? 'One unit was issued before a correction and still shows the old value.'
      : `${text} units were issued before a correction and still show the old value.`,
  outdatedSelf: {
    batch: 'This batch was issued before a correction and still shows the old value.',
    item: 'This item was issued before a correction and still shows the old value.',
  },
  outdatedWithItems: (n: number, text: string) =>
    `This batch and ${n === 1 ? 'one of its items' : `${text} of its items`} were issued before a correction and still show the old value.`,
  refresh: (text: string) => `Bring ${text} up to date`,
  refreshing: (done: string, all: string) => `Bringing units up to date: ${done} of ${all}`,
  refreshFailed: (text: string) => `${text} could not be brought up to date`,
}

type UnitTexts = typeof en

const de: UnitTexts = {
  units: (n, text) => (n === 0 ? 'Einheiten' : n === 1 ? 'Eine Einheit' : `${text} Einheiten`),
  unitsMany: text => `Mehr als ${text} Einheiten`,
  upToDate: 'Berichtigungen',
  noUnits: 'Es wurden noch keine Chargen oder Einzelstücke ausgestellt.',
  unitsHere: here =>
    `Davon stehen ${here} unmittelbar darunter, in dieser Liste; die übrigen unter ihren Chargen.`,
  issue: 'Einheiten ausstellen',
  issueLead:
    'Sie erben alles von hier, wie es jetzt ist, und behalten es, wenn sich dieses Produkt später ändert.',
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
      'Das Kontingent an Chargen dieses Kontos ist aufgebraucht. Bitte um einen größeren Tarif oder mehr Platz bitten.',
    item: 'Das Kontingent an Einzelstücken dieses Kontos ist aufgebraucht. Bitte um einen größeren Tarif oder mehr Platz bitten.',
  },
  issueArchived:
    'Dieses Produkt ist archiviert: darunter lassen sich keine Einheiten ausstellen. Stellen Sie es erst wieder her.',
  issueItem:
    'Ein Einzelstück hat keine Einheiten. Stellen Sie sie unter seiner Charge oder seinem Modell aus.',
  outdatedUnits: (n, text) =>
    n === 1
      ? 'Eine Einheit wurde vor einer Berichtigung ausgestellt und zeigt noch den alten Wert.'
      : `${text} Einheiten wurden vor einer Berichtigung ausgestellt und zeigen noch den alten Wert.`,
  outdatedSelf: {
    batch: 'Diese Charge wurde vor einer Berichtigung ausgestellt und zeigt noch den alten Wert.',
    item: 'Dieses Einzelstück wurde vor einer Berichtigung ausgestellt und zeigt noch den alten Wert.',
  },
  outdatedWithItems: (n, text) =>
    `Diese Charge und ${n === 1 ? 'eines ihrer Einzelstücke' : `${text} ihrer Einzelstücke`} wurden vor einer Berichtigung ausgestellt und zeigen noch den alten Wert.`,
  refresh: text => `${text} auf den Stand bringen`,
  refreshing: (done, all) => `Einheiten werden auf den Stand gebracht: ${done} von ${all}`,
  refreshFailed: text => `${text} konnten nicht auf den Stand gebracht werden`,
}

export const UNIT_TEXTS = { en: { ...PRODUCT_TEXTS.en, ...en }, de: { ...PRODUCT_TEXTS.de, ...de } }
