/** What is wrong with a value, in the language of the console. English has the verb's own sentence, which says most. */
import type { Detail, DetailCode } from '../../kernel/errors.ts'
import type { Words } from '../texts.ts'

const GERMAN: Partial<Record<DetailCode, string>> = {
  required: 'Fehlt; bitte ausfüllen.',
  type: 'Hat die falsche Art; bei Zahlen nur Ziffern und ein Dezimalzeichen.',
  enum: 'Ist keine der möglichen Angaben.',
  format: 'Ist so nicht lesbar; bitte die Schreibweise prüfen.',
  pattern: 'Enthält Zeichen, die hier nicht möglich sind.',
  min: 'Ist zu klein.',
  max: 'Ist zu groß.',
  length: 'Ist zu kurz oder zu lang.',
  sum_not_100: 'Die Anteile müssen zusammen genau 100 ergeben.',
  gtin_check_digit: 'Die Prüfziffer stimmt nicht; bitte die Nummer vergleichen.',
  country_code: 'Ist kein Ländercode nach ISO 3166-1.',
  language_code: 'Ist kein Sprachcode wie de oder pt-BR.',
  primary_language_missing: 'In der ersten Sprache muss ein Text stehen.',
  duplicate: 'Ist schon vergeben oder steht doppelt da.',
  immutable: 'Kann hier nicht geändert werden.',
  lot_taken: 'Diese Charge gibt es unter diesem Modell schon.',
  serial_taken: 'Diese Seriennummer gibt es unter diesem Modell schon.',
}

export function faultSentence({ language }: Words, { code, message }: Detail): string {
  return (language === 'de' ? GERMAN[code] : undefined) ?? message
}
