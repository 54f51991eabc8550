/** The same in German. */
import type { SheetTexts } from './sheet-texts-en.ts'

export const de: SheetTexts = {
  title: 'Import und Export',
  importTitle: 'Import',
  importLead:
    'Nehmen Sie eine Tabelle mit Produkten: XLSX aus Excel und ähnlichen Programmen oder CSV. Nichts wird geschrieben, bevor Sie gesehen haben, was geschehen würde.',
  viewerOnly: 'Sie können ansehen und exportieren; importieren können Bearbeiter und Inhaber des Kontos.',
  templates: 'Vorlagen',
  templatesLead: 'Eine Tabelle mit einer Spalte für jedes Feld, und eine zweite, die sie erklärt.',
  templateOf: category => `Vorlage: ${category}`,
  languages: 'Sprachen der Texte',
  languagesHint: 'Codes wie de, en, fr; der erste ist die Hauptsprache.',
  category: 'Kategorie',
  format: 'Format',
  formats: {
    xlsx: 'XLSX (Excel und andere)',
    csv: 'CSV mit Kommas',
    csv2: 'CSV mit Semikolons und Dezimalkommas',
  },
  download: 'Herunterladen',
  upload: 'Tabelle importieren',
  file: 'Datei',
  fileHint: 'XLSX oder CSV, höchstens 25 MB und 100.000 Zeilen.',
  uploadSubmit: 'Tabelle lesen',
  noFile: 'Wählen Sie zuerst eine Datei.',
  earlier: 'Frühere Importe',
  rows: (n, text) => (n === 1 ? 'eine Zeile' : `${text} Zeilen`),
  states: {
    open: 'wartet auf ihre Spalten',
    checking: 'wird geprüft',
    checked: 'ist geprüft',
    running: 'wird importiert',
    done: 'importiert',
    stopped: 'angehalten',
  },
  readAs: encoding =>
    `Gelesen als ${encoding}. Sehen Buchstaben wie ä oder é unten falsch aus, speichern Sie die Datei als „CSV UTF-8“.`,
  sheet: 'Blatt der Datei',
  sheetHint: 'Sie hat mehrere. Das gewählte ist für das nächste Mal gemerkt.',
  readSheet: 'Dieses Blatt lesen',
  columns: 'Welche Spalte ist was?',
  columnsLead:
    'Was die Namen der Spalten nahelegen, steht schon da. Ändern Sie, was nicht stimmt; eine Spalte ohne Feld bleibt weg. Für das nächste Mal ist es gemerkt.',
  column: 'Spalte',
  sample: 'Erste Werte',
  field: 'Feld',
  fieldOf: title => `Feld für die Spalte ${title}`,
  noTitle: '(ohne Namen)',
  unknownField: name =>
    `Ein Feld ${name} gibt es nicht. Wählen Sie eines aus der Liste, oder lassen Sie es leer.`,
  unitOf: title => `Einheit der Spalte ${title}`,
  unitOpen: 'Einheit wählen',
  unitMissing: 'Die Tabelle sagt nicht, in welcher Einheit diese Zahlen sind. Wählen Sie sie.',
  unitBeside: title => `wie in der Spalte ${title}`,
  units: {
    '%': 'Prozent (98,5)',
    fraction: 'Teile von eins (0,985 für 98,5 %)',
    in: 'Zoll',
    lb: 'lb (Pfund)',
    oz: 'oz (Unzen)',
    t: 't (Tonnen)',
    months: 'Monate',
    years: 'Jahre',
  },
  missing: fields =>
    `Keine Spalte enthält: ${fields}. Neue Produkte brauchen sie: Geben Sie unten einen Wert für alle Zeilen an.`,
  missingColumns: fields =>
    `Neue Produkte brauchen außerdem eine Spalte für: ${fields}. Ohne sie ändert diese Tabelle nur vorhandene Produkte.`,
  same: 'Für alle Zeilen gleich',
  sameLead: 'Was keine Spalte der Tabelle enthält. Es wird für die nächste Tabelle dieser Kategorie gemerkt.',
  sameLanguage: 'Sprache dieser Texte',
  sameReach: 'Welche Produkte bekommen diese Werte?',
  sameReaches: {
    missing: 'Neue Produkte, und vorhandene, die noch keinen Wert haben',
    all: 'Alle Produkte der Tabelle; vorhandene Werte werden ersetzt',
  },
  sameOther: 'Weitere Felder mit einem Wert für alle Zeilen',
  sameOtherHint: 'Wählen Sie ein Feld, und schreiben Sie seinen Wert.',
  value: 'Wert',
  answers: { true: 'ja', false: 'nein' },
  skuFromGtin: 'Die Tabelle hat keine Artikelnummer: Neue Produkte bekommen ihre GTIN als Artikelnummer.',
  neverSame: field => `${field} ist bei jedem Produkt anders. Geben Sie eine Spalte dafür an.`,
  matchBy: 'Wie Zeilen ihr Produkt finden',
  matches: { sku: 'Nach Artikelnummer', gtin: 'Nach GTIN' },
  matchReasons: {
    sku: 'Die Tabelle hat eine Spalte für die Artikelnummer.',
    gtin: 'Die Tabelle hat eine Spalte für die GTIN und keine für die Artikelnummer.',
  },
  matchHint:
    'Eine Zeile, deren Artikelnummer oder GTIN es gibt, ändert dieses Produkt; die anderen legen neue an.',
  mark: 'Zahlen sind geschrieben',
  marks: { point: 'mit Dezimalpunkt: 1234.5', comma: 'mit Dezimalkomma: 1234,5' },
  clears: 'Leere Zellen',
  clearing: { keep: 'lassen stehen, was da ist', remove: 'nehmen weg, was da ist' },
  changeType: 'Was für eine Änderung ist das?',
  changeTypes: {
    change: 'Eine Änderung: die Produkte sind von jetzt an anders',
    correction: 'Eine Berichtigung: die Angaben waren falsch',
  },
  check: 'Alle Zeilen prüfen',
  discard: 'Verwerfen',
  checking: (done, all) => `Wird geprüft: ${done} von ${all} Zeilen`,
  running: (done, all) => `Wird importiert: ${done} von ${all} Zeilen`,
  goesOn: 'Sie können diese Seite verlassen; es geht von selbst weiter.',
  stop: 'Anhalten',
  checked: 'Geprüft, noch nichts geschrieben',
  done: 'Importiert',
  stopped: (done, all) => `Angehalten nach ${done} von ${all} Zeilen. Was bis dahin importiert war, bleibt.`,
  outcomes: {
    will: {
      created: 'Neue Produkte',
      updated: 'Geänderte Produkte',
      unchanged: 'Schon wie in der Tabelle',
      failed: 'Zeilen mit Fehlern',
    },
    has: {
      created: 'Angelegt',
      updated: 'Geändert',
      unchanged: 'Schon wie in der Tabelle',
      failed: 'Zeilen mit Fehlern',
    },
  },
  run: (n, text) => (n === 1 ? 'Ein Produkt importieren' : `${text} Produkte importieren`),
  nothingToRun: 'Es gibt nichts zu importieren: keine Zeile würde etwas ändern.',
  quota: (fits, all, left) =>
    `Es ist Platz für ${fits} von ${all} neuen Produkten. ${left} Zeilen bleiben wegen der Grenze Ihres Tarifs weg.`,
  room: (room, rows) =>
    `In Ihrem Tarif ist Platz für ${room} neue Produkte, und die Tabelle hat ${rows} Zeilen.`,
  names: (n, text) =>
    n === 1
      ? 'Ein Name wurde als anderer gelesen oder ist unbekannt'
      : `${text} Namen wurden als andere gelesen oder sind unbekannt`,
  nameKinds: {
    exact: name => `gelesen als ${name}`,
    similar: name =>
      `kein bekannter Name; er wird so veröffentlicht. War ${name} gemeint? Dann berichtigen Sie die Tabelle.`,
    unknown: () => 'kein bekannter Name; er wird so veröffentlicht, in jeder Sprache',
  },
  changed: 'Was sich ändern würde',
  changesTable: 'Werte vorher und nachher',
  changedLead: 'Produkte, die es schon gibt, mit jedem Wert vorher und nachher.',
  product: 'Produkt',
  before: 'Vorher',
  after: 'Nachher',
  nothing: 'nichts',
  moreValues: n => `und ${n} weitere Werte`,
  confirm: (n, text) =>
    n === 1
      ? 'Ich habe die Änderung gesehen. Dieses vorhandene Produkt ändern.'
      : `Ich habe die Änderungen gesehen. Diese ${text} vorhandenen Produkte ändern.`,
  confirmMissing:
    'Dieser Import ändert vorhandene Produkte. Sehen Sie sich die Änderungen an, setzen Sie das Häkchen, und importieren Sie noch einmal.',
  previous: 'Zurück',
  next: 'Weiter',
  pageOf: (page, last) => `Seite ${page} von ${last}`,
  pages: part => (part === 'changed' ? 'Seiten der Änderungen' : 'Seiten der Fehler'),
  mistakeKinds: 'Arten von Fehlern',
  allMistakes: 'Alle Zeilen mit Fehlern zeigen',
  badRowsQuota: 'Diese Zeilen sind richtig, aber Ihr Tarif hat keinen Platz für sie.',
  repeated:
    'In der Tabelle davor stand dasselbe Produkt in einer anderen Zeile, diese würde es also überschreiben. Geben Sie ihr eine eigene Artikelnummer oder GTIN, oder entfernen Sie die Zeile. Um mit Absicht zu überschreiben, leeren Sie diese Zelle.',
  changeColumns: 'Spalten ändern',
  badRows: 'Zeilen mit Fehlern',
  badRowsLead:
    'Sie bleiben weg. Laden Sie sie herunter, bessern Sie sie in Ihrem Tabellenprogramm aus und importieren Sie diese Datei: mehr ist nicht nötig.',
  row: 'Zeile',
  what: 'Was nicht stimmt',
  errorFile: { xlsx: 'Diese Zeilen herunterladen (XLSX)', csv: 'Diese Zeilen herunterladen (CSV)' },
  errorSheet: 'Zeilen mit Fehlern',
  toProducts: 'Zu den Produkten',
  another: 'Noch eine Tabelle importieren',
  exportTitle: 'Export',
  exportLead:
    'Alle Produkte einer Kategorie als Tabelle. Ändern Sie sie und importieren Sie sie wieder: Zeilen, die sind wie zuvor, bleiben unberührt.',
  status: 'Status',
  statuses: { all: 'Aktiv und archiviert', active: 'Aktiv', archived: 'Archiviert' },
  q: 'Nur solche mit diesem Wort',
  allData: 'Alle Daten des Kontos mit jeder Version, als eine Datei',
  toExport: 'Produkte exportieren',
  toImport: 'Tabelle importieren',
  products: 'Produkte',
  fields: 'Felder',
  heads: ['Spalte', 'Name', 'Erforderlich', 'Werte', 'Was darin steht'],
  yes: 'ja',
  busy: 'Gerade werden andere Tabellen gelesen. Versuchen Sie es gleich noch einmal.',
  noColumn:
    'Die Tabelle hat keine Spalte dafür. Ergänzen Sie eine, oder geben Sie bei der Spaltenwahl einen Wert für alle Zeilen an.',
  emptyCell: 'Die Zelle ist leer, und ein neues Produkt braucht einen Wert. Füllen Sie sie aus.',
  shares: 'Bitte Namen mit ihren Zahlen: Baumwolle 60 %; Polyester 40 %.',
  twice: row => `In Zeile ${row} steht dasselbe Produkt. Behalten Sie eine von beiden.`,
  found: text => `In der Zelle: „${text}“.`,
  twoColumns: field => `Zwei Spalten sind ${field}. Lassen Sie eine davon weg.`,
  noKey: field =>
    `Keine Spalte ist ${field}, wonach Zeilen ihr Produkt finden. Wählen Sie eine, oder ordnen Sie nach dem anderen zu.`,
  faults: {
    empty: 'Die Datei ist leer. Wählen Sie die Tabelle, in der Ihre Produkte stehen.',
    no_rows: 'Die Tabelle hat eine Kopfzeile, aber keine Zeilen darunter.',
    no_header: 'Es wurde keine Kopfzeile gefunden: die erste Zeile muss die Spalten benennen.',
    too_large:
      'Die Datei ist größer als 25 MB. Teilen Sie sie, oder speichern Sie sie als XLSX, das ist kleiner.',
    too_much:
      'Entpackt ist die Datei größer, als eine Tabelle mit 100.000 Zeilen sein muss. Teilen Sie sie, und speichern Sie sie ohne Bilder.',
    too_many_rows: 'Die Tabelle hat mehr als 100.000 Zeilen. Teilen Sie sie in mehrere Dateien.',
    too_many_columns:
      'Die Tabelle hat mehr als 1.000 Spalten. Behalten Sie die, die Produkte haben, und versuchen Sie es noch einmal.',
    too_long:
      'Eine Zelle oder Zeile der Tabelle ist länger, als ein Feld sein darf. Fehlt ein Anführungszeichen?',
    broken:
      'Die Datei ist beschädigt oder keine Tabelle. Öffnen Sie sie in Ihrem Tabellenprogramm und speichern Sie sie neu.',
    quotes:
      'Ein Anführungszeichen wird geöffnet und nicht geschlossen, oder es steht mitten in einer Zelle. Speichern Sie die Datei noch einmal als CSV.',
    old_excel:
      'Das ist das alte Format von Excel (XLS) oder eines mit Passwort. Speichern Sie es als XLSX ohne Passwort.',
    other_zip: 'Dieses Archiv ist keine XLSX-Tabelle. Wählen Sie beim Speichern XLSX oder CSV.',
    not_text: 'Das ist weder eine XLSX-Datei noch ein Text. Wählen Sie beim Speichern XLSX oder CSV.',
    encoding:
      'Die Datei beginnt in einer Kodierung und geht in einer anderen weiter. Speichern Sie sie als „CSV UTF-8“.',
    markup:
      'Das ist eine Seite oder es sind Daten eines Programms (HTML, XML oder JSON), keine Tabelle. Speichern Sie sie als XLSX oder CSV.',
  },
}
