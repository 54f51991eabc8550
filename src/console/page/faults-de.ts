/** What is wrong with a value, in German: each says what was found and what to write instead. */
import type { Kind, ProblemKey } from '../../categories/problems.ts'
import type { DetailCode, ErrorCode } from '../../kernel/errors.ts'
import type { RowProblemKey } from '../../passports/core/row-problems.ts'

export const PROBLEMS_DE: Readonly<Record<ProblemKey | RowProblemKey, string>> = {
  missing: 'Pflichtangabe.',
  missing_in: 'Pflichtangabe.',
  missing_soon: 'Fehlt; für neue Pässe dieser Kategorie ist es erforderlich, bitte bald ergänzen.',
  unknown_in: 'Gehört nicht zu {parent}; dort gibt es {names}.',
  unknown_in_meant: 'Gehört nicht zu {parent}; war {meant} gemeint? Sonst bitte weglassen.',
  unknown: 'Ist kein Feld dieser Kategorie; bitte weglassen.',
  unknown_meant: 'Ist kein Feld dieser Kategorie. War {meant} gemeint?',
  unknown_kept: 'Ist kein Feld dieser Kategorie; es wird aufgehoben, und nur Ihr Konto sieht es.',
  unknown_kept_meant:
    'Ist kein Feld dieser Kategorie; es wird aufgehoben, und nur Ihr Konto sieht es. War {meant} gemeint?',
  key: 'Ist ein Name, der nicht möglich ist; bitte weglassen.',
  key_control:
    'Der Name enthält an Stelle {position} das Steuerzeichen {character}; bitte entfernen. Möglich sind nur Tabulator und Zeilenumbruch.',
  key_half:
    'Der Name enthält ein halbes Zeichen, er wurde wohl mitten darin abgeschnitten; bitte neu eingeben.',
  deep: 'Ist mehr als {most} Ebenen tief verschachtelt; bitte flacher.',
  control:
    'Enthält an Stelle {position} das Steuerzeichen {character}; bitte entfernen. Möglich sind nur Tabulator und Zeilenumbruch.',
  half: 'Enthält ein halbes Zeichen, der Text wurde wohl mitten darin abgeschnitten; bitte neu eingeben.',
  type: 'Erwartet wird {wanted}, gefunden wurde {kind}.',
  type_quoted: 'Erwartet wird {wanted}, gefunden wurde {kind}; bitte ohne Anführungszeichen.',
  null: 'Ist null; bitte weglassen, wenn es keinen Wert gibt.',
  null_needed: 'Ist null; hier ist ein Wert nötig.',
  infinite: 'Ist für eine Zahl zu groß; bitte eine kleinere.',
  blank: 'Ist leer; bitte etwas schreiben oder weglassen.',
  blank_needed: 'Ist leer; bitte etwas schreiben.',
  long: 'Hat {count} Zeichen; bitte auf höchstens {most} kürzen.',
  one_of: 'Ist keine der möglichen Angaben; möglich sind: {values}.',
  one_of_meant: 'Ist keine der möglichen Angaben; war {meant} gemeint? Möglich sind: {values}.',
  below: 'Ist {found}; bitte mindestens {limit}{unit}.',
  above: 'Ist {found}; bitte höchstens {limit}{unit}.',
  no_entries: 'Ist leer; mindestens ein Eintrag ist nötig.',
  no_texts: 'Ist leer; ein Text in der ersten Sprache des Produkts ist nötig.',
  many_entries: 'Hat {count} Einträge; bitte höchstens {most}.',
  many_languages: 'Hat {count} Sprachen; bitte höchstens {most}.',
  repeated: 'Nennt {language} zweimal; bitte nur einmal.',
  sum: 'Ergibt zusammen {sum}; bitte so ändern, dass die Anteile genau 100 ergeben.',
  no_primary: 'Hat keinen Text in {language}, der ersten Sprache des Produkts; bitte ergänzen.',
  gtin: 'Ist keine GTIN; bitte 8, 12, 13 oder 14 Ziffern ohne Leerzeichen und Bindestriche.',
  gtin_digit:
    'Die Prüfziffer (die letzte) passt nicht zu den Ziffern davor; bitte die Nummer auf Tippfehler prüfen.',
  gtin_zeros: 'Besteht nur aus Nullen und ist keine GTIN; bitte weglassen, wenn das Produkt keine hat.',
  gln: 'Ist keine GLN; bitte 13 Ziffern, deren letzte die richtige Prüfziffer ist.',
  eori: 'Ist keine EORI-Nummer; bitte zwei Großbuchstaben und danach 1 bis 15 Zeichen ohne Leerzeichen.',
  cas: 'Ist keine CAS-Nummer; bitte in der Form 50-00-0, die letzte Ziffer ist die Prüfziffer.',
  cn_or_hs: 'Bitte 6 Ziffern (HS) oder 8 Ziffern (KN), ohne Leerzeichen und Punkte.',
  country: 'Ist kein Land; bitte den Namen oder zwei Großbuchstaben nach ISO 3166-1, etwa DE.',
  country_meant: 'Ist kein Ländercode nach ISO 3166-1; bitte {meant}.',
  language: 'Ist keine Sprache; bitte ein Code nach BCP 47, etwa de oder pt-BR.',
  language_meant: 'Ist kein Sprachcode nach BCP 47; bitte {meant}.',
  url_long: 'Ist als Adresse zu lang; bitte höchstens {most} Zeichen.',
  url: 'Ist keine vollständige Adresse; bitte mit https:// oder http:// am Anfang und ohne Benutzernamen.',
  email: 'Ist keine E-Mail-Adresse; bitte wie service@example.com.',
  date: 'Ist kein Datum des Kalenders; bitte JJJJ, JJJJ-MM oder JJJJ-MM-TT.',
  carbon_class: 'Bitte ein Großbuchstabe von A bis G.',
  fibre_synonym: 'Wird als {fibre} erkannt („{found}“) und in der Sprache jedes Lesers gezeigt.',
  fibre_qualified:
    'Die gesetzliche Bezeichnung der Faser ist {fibre}; „{found}“ sagt mehr als das. Leser sehen beide Namen.',
  fibre_similar:
    'War {fibre} gemeint? „{found}“ ist keine gesetzliche Faserbezeichnung, deshalb sehen alle Leser diesen Text unübersetzt.',
  fibre_unlisted:
    'Bitte einen Namen aus der Liste wählen: „{found}“ ist keine gesetzliche Faserbezeichnung, deshalb sehen alle Leser diesen Text unübersetzt.',
  gtin_taken: 'Diese GTIN gehört schon zu einem anderen Produkt; bitte eine andere oder keine.',
  gtin_own: 'Diese GTIN gehört schon zu Ihrem Produkt {id}; bitte eine andere oder keine.',
  gtin_own_before:
    'Diese GTIN gehört zu Ihrem Produkt {id}, das sie früher trug: gedruckte Codes führen dorthin. Bitte eine andere oder keine.',
  gtin_borne:
    'Die GTIN {gtin} gehört zum Produkt {id}, das inzwischen eine andere trägt: gedruckte Codes führen dorthin. Bitte dieses Produkt auf seiner Seite ändern.',
  sku_shared:
    'Die Artikelnummer {sku} tragen mehrere Produkte: {ids}. Bitte das gemeinte auf seiner Seite ändern oder nach GTIN zuordnen.',
  row_twice: 'Dasselbe Produkt steht noch in einer anderen Zeile ({key}); bitte nur einmal.',
  other_category:
    'Dieses Produkt gehört zur Kategorie {category}, und die lässt sich nicht ändern. Bitte die Tabelle dafür importieren.',
  unstorable: 'Enthält einen Text oder eine Zahl, die sich nicht speichern lässt; bitte neu eingeben.',
}

/** For a field that is yes or no, whatever was found. */
export const CHOOSE_DE = 'Bitte Ja oder Nein wählen.'

export const KINDS_DE: Readonly<Record<Kind, string>> = {
  text: 'ein Text',
  number: 'eine Zahl (nur Ziffern und ein Dezimalzeichen)',
  boolean: 'ja oder nein',
  object: 'eine Gruppe von Angaben',
  list: 'eine Liste',
  texts: 'ein Text je Sprache',
}

/** Where only the kind of a fault is known. */
export const CODES_DE: Readonly<Record<DetailCode, string>> = {
  required: 'Fehlt; bitte ausfüllen.',
  type: 'Hat die falsche Art; bei Zahlen nur Ziffern und ein Dezimalzeichen.',
  enum: 'Ist keine der möglichen Angaben.',
  format: 'Ist so nicht lesbar; bitte die Schreibweise prüfen.',
  pattern: 'Enthält Zeichen, die hier nicht möglich sind.',
  min: 'Ist zu klein.',
  max: 'Ist zu groß.',
  length: 'Ist zu kurz oder zu lang.',
  unknown_field: 'Gibt es hier nicht; bitte weglassen.',
  sum_not_100: 'Die Anteile müssen zusammen genau 100 ergeben.',
  gtin_check_digit: 'Die Prüfziffer stimmt nicht; bitte die Nummer vergleichen.',
  country_code: 'Ist kein Ländercode nach ISO 3166-1.',
  language_code: 'Ist kein Sprachcode wie de oder pt-BR.',
  primary_language_missing: 'In der ersten Sprache muss ein Text stehen.',
  duplicate: 'Ist schon vergeben oder steht doppelt da.',
  immutable: 'Kann hier nicht geändert werden.',
  lot_taken: 'Diese Charge gibt es unter diesem Modell schon.',
  serial_taken: 'Diese Seriennummer gibt es unter diesem Modell schon.',
  idempotency_key_reused: 'Wurde mit demselben Schlüssel schon einmal anders gesendet.',
  plan_limit: 'Der Tarif hat dafür keinen Platz mehr.',
  not_found: 'Gibt es nicht.',
  synonym: 'Wird erkannt und in der Sprache jedes Lesers gezeigt.',
  unlisted_name: 'Ist kein Name, den es in 24 Sprachen gibt.',
}

/** A whole refusal that names no field. */
export const REFUSALS_DE: Readonly<Partial<Record<ErrorCode, string>>> = {
  plan_limit:
    'Das Kontingent an Modellen dieses Kontos ist aufgebraucht. Bitte um einen größeren Tarif oder mehr Platz bitten.',
  archived: 'Das Produkt ist archiviert. Bitte erst wiederherstellen, dann ändern.',
  version_conflict: 'Das Produkt wurde inzwischen geändert. Bitte die Zeile noch einmal importieren.',
  unavailable: 'Das Produkt wird gerade von vielen Seiten geändert. Bitte die Zeile noch einmal importieren.',
}
export const REFUSED_DE =
  'Konnte nicht übernommen werden. Bitte die Zeile prüfen und noch einmal importieren.'
