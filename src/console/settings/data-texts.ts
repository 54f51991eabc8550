/** The words of the page on which an owner takes everything along. */
const en = {
  title: 'All data',
  lead: 'Everything of this account in one file, as it stands at one moment. You can keep it, read it with a program, or put it into another Carnet.',
  inIt: 'In the file',
  inItPoints: [
    'All products with every version: models, batches and items, archived ones too',
    'Who changed what, and the hashes that prove that no version was altered since',
    'GTINs, access links, the brand and its logos',
  ],
  notInIt: 'Not in it: people and their passwords, API keys, webhooks and scan statistics.',
  levels: { model: 'Models', batch: 'Batches', item: 'Items' },
  whole: 'Is the file whole?',
  wholeLead:
    'A large account is a file of some gigabytes and takes a while; the page can stay open or be closed, the download goes on. If it breaks off, your browser says so, and what has arrived is worth nothing: delete it and begin anew.',
  wholePoints: [
    'The last line of a whole file begins with {"type":"end". It has the number of everything and a SHA-256 of all before.',
    'The audit log names that SHA-256 once the file has been handed out to its end.',
    'A Carnet that is given a file without that line, or with one changed letter, refuses it.',
  ],
  format: 'The format: one JSON object a line, in UTF-8. It is described in docs/backup.md of Carnet.',
  password: 'Your password',
  passwordHint: 'So that nobody takes it along in a browser you left open.',
  submit: 'Download all data',
  busy: 'A download of this account is under way, or others are. Try again when it is done; one that has broken off is given up after a minute.',
}

type DataTexts = typeof en

const de: DataTexts = {
  title: 'Alle Daten',
  lead: 'Alles aus diesem Konto in einer Datei, so wie es in einem Augenblick ist. Sie können sie aufheben, mit einem Programm lesen oder in ein anderes Carnet bringen.',
  inIt: 'In der Datei',
  inItPoints: [
    'Alle Produkte mit jeder Version: Modelle, Chargen und Einzelstücke, auch archivierte',
    'Wer was geändert hat, und die Prüfsummen, die belegen, dass seither keine Version verändert wurde',
    'GTINs, Zugangslinks, die Marke und ihre Logos',
  ],
  notInIt: 'Nicht darin: Personen und ihre Passwörter, API-Schlüssel, Webhooks und Zahlen über Scans.',
  levels: { model: 'Modelle', batch: 'Chargen', item: 'Einzelstücke' },
  whole: 'Ist die Datei vollständig?',
  wholeLead:
    'Ein großes Konto ist eine Datei von einigen Gigabyte und braucht eine Weile; die Seite kann offen bleiben oder geschlossen werden, das Herunterladen geht weiter. Bricht es ab, sagt es Ihr Browser, und was angekommen ist, ist nichts wert: bitte löschen und neu beginnen.',
  wholePoints: [
    'Die letzte Zeile einer vollständigen Datei beginnt mit {"type":"end". In ihr stehen die Anzahl von allem und ein SHA-256 über alles davor.',
    'Das Protokoll nennt diesen SHA-256, sobald die Datei bis zu ihrem Ende herausgegeben ist.',
    'Ein Carnet, das eine Datei ohne diese Zeile oder mit einem veränderten Buchstaben bekommt, lehnt sie ab.',
  ],
  format:
    'Das Format: ein JSON-Objekt je Zeile, in UTF-8. Beschrieben ist es in docs/backup.md von Carnet (englisch).',
  password: 'Ihr Passwort',
  passwordHint: 'Damit es niemand in einem Browser mitnimmt, den Sie offen gelassen haben.',
  submit: 'Alle Daten herunterladen',
  busy: 'Dieses Konto wird gerade schon heruntergeladen, oder andere werden es. Versuchen Sie es danach noch einmal; was abgebrochen ist, wird nach einer Minute aufgegeben.',
}

export const DATA_TEXTS = { en, de }
