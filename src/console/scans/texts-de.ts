/** The words of the scan pages in German. */
import type { ScanTexts } from './texts-en.ts'

export const de: ScanTexts = {
  title: 'Scans',
  lead: 'Wie oft die öffentlichen Seiten Ihrer Pässe geöffnet werden. Niemand wird verfolgt: Es bleiben nur Summen.',
  ranges: 'Zeitraum',
  range: days => (days === 365 ? '1 Jahr' : `${days} Tage`),
  saved: 'Gespeichert. Es gilt überall innerhalb von drei Sekunden.',

  total: 'Scans',
  unique: 'Verschiedene Leser',
  uniqueHint: 'Tag für Tag',
  crawlers: 'Suchmaschinen und Vorschauen',
  crawlersHint: 'für sich gezählt',
  more: (percent, before) => `${percent} mehr als davor (${before})`,
  less: (percent, before) => `${percent} weniger als davor (${before})`,
  same: 'so viele wie davor',
  few: (recent, before) => `${recent}, davor ${before}`,
  compared: days => `„Davor“ vergleicht die ${days} ganzen Tage bis gestern mit den ${days} Tagen vor ihnen.`,
  forgotten:
    'Tage bleiben 400 Tage lang erhalten, darum lässt sich ein Jahr nicht mit dem davor vergleichen.',
  young: date => `Noch gibt es nichts zum Vergleichen: Der erste bekannte Scan war am ${date}.`,
  switched: date => `Nicht mit der Zeit davor verglichen, denn am ${date} wurde geändert, was gezählt wird.`,

  trend: 'Tag für Tag',
  trendWeeks: 'Woche für Woche',
  trendSays: (total, most, when) => `Scans zusammen: ${total}. Am meisten ${when}: ${most}.`,
  onDay: date => `am ${date}`,
  inWeek: date => `in der Woche ab ${date}`,
  barDay: (date, total, unique) => `${date}: Scans ${total}, verschiedene Leser ${unique}`,
  barWeek: (date, total, unique) => `Woche ab ${date}: Scans ${total}, verschiedene Leser ${unique}`,
  day: 'Tag',
  week: 'Woche ab',
  asTable: 'Als Tabelle',
  partWeeks: 'Wochen beginnen am Montag; die erste und die letzte können unvollständig sein.',
  partDay: 'Heute ist noch nicht vorbei.',
  noneInRange: 'In diesem Zeitraum gab es keine Scans.',

  whence: 'Woher',
  countries: 'Länder',
  country: 'Land',
  unknownCountry: 'Unbekannt',
  mapSays: (count, name) =>
    count === 1
      ? `Weltkarte: Scans aus ${name}.`
      : `Weltkarte: Scans aus ${count} Ländern, die meisten aus ${name}. Alle Zahlen stehen in der Tabelle.`,
  noScansThere: 'keine Scans',
  otherCountries: count => (count === 1 ? 'Ein weiteres Land' : `${count} weitere Länder`),
  share: 'Anteil',
  scans: 'Scans',
  mapSource: 'Umrisse: Natural Earth, gemeinfrei.',

  devices: 'Geräte',
  device: 'Gerät',
  deviceNames: { mobile: 'Telefon', tablet: 'Tablet', desktop: 'Computer', other: 'Anderes' },
  byCategory: 'Kategorien',
  byLevel: 'Ebenen',

  top: 'Am meisten gescannt',
  topLead: 'Modelle, mit den Scans ihrer Chargen und Einzelstücke.',
  topUnsure:
    'Viele Produkte werden etwa gleich oft gescannt; in diese Liste könnte auch ein anderes gehören.',
  product: 'Produkt',
  gone: 'Ein Produkt, das nicht mehr hier ist',

  clones: 'Codes, die kopiert sein könnten',
  clonesNone: 'Kein Code eines Einzelstücks steht unter Verdacht.',
  clonesOff: 'Auf die Codes von Einzelstücken wird zurzeit nicht geachtet.',
  clonesLead:
    'Ein Stück kann nur an einem Ort sein. Diese wurden innerhalb eines Tages aus mehr Ländern oder mit mehr Geräten gescannt, als das erklärt.',
  clonesToDo: 'Was zu tun ist',
  clonesSteps: [
    'Öffnen Sie das Einzelstück und sehen Sie nach, von wo es gescannt wird. Eine Messe, eine Kampagne oder ein Foto im Netz kann der Grund sein: Dann ist nichts zu tun.',
    'Sind es Länder, in denen Sie nicht verkaufen, lassen Sie sich ein Foto des Stücks und seines Etiketts geben.',
    'Wurde der Code kopiert, archivieren Sie das Einzelstück. Wer die Kopie scannt, liest dann, dass der Pass archiviert ist.',
  ],
  seen: (scans, countries, devices) =>
    `innerhalb eines Tages: ${scans} Scans, ${countries} Länder, ${devices} Geräte`,
  onceAWeek: 'Ein Einzelstück wird frühestens nach sieben Tagen wieder genannt.',

  milestones: 'Meilensteine',
  milestonesLead: 'Runde Zahlen, die Produkte in den letzten 30 Tagen erreicht haben.',
  milestonesNone: 'Keine in den letzten 30 Tagen. Die ersten sind 10, 50 und 100 Scans.',
  reached: milestone => `${milestone} Scans`,
  before: 'vor mehr als 400 Tagen',

  how: 'Wie gezählt wird',
  howPoints: [
    'Ein Scan ist ein Blick auf die öffentliche Seite eines Passes, über seinen Code oder seine Adresse. Suchmaschinen, Vorschauen in Messengern und Personen, die in diesem Konto angemeldet sind, sind keine Scans.',
    'Verschiedene Leser werden nur innerhalb eines Tages unterschieden, an einem Zeichen, das nach spätestens zwei Tagen nirgends mehr hinführt. Wer an drei Tagen kommt, zählt dreimal.',
    'Keine Adresse und kein Gerätename wird gespeichert. Das Land ergibt sich aus dem Netz und ist eine gute Schätzung; wo man es nicht wissen kann, steht „Unbekannt“.',
    'Tage sind die von UTC und bleiben 400 Tage lang erhalten. Ein Scan steht nach ein, zwei Sekunden hier.',
  ],
  howApi: 'Dieselben Zahlen über die API',

  switches: 'Was gezählt wird',
  switchesLead:
    'Manche Gesetze verbieten, Daten darüber zu sammeln, wer einen Pass liest. Was abgeschaltet ist, wird gar nicht erst angesehen; was vorher gezählt wurde, bleibt.',
  switchAll: 'Scans zählen',
  switchAllHint: 'Aus: Über keinen Leser wird etwas ermittelt.',
  switchCategories: 'Kategorien',
  switchClones: 'Auf kopierte Codes von Einzelstücken achten',
  switchClonesHint: rules =>
    `Innerhalb eines Tages: aus ${rules.countries} Ländern und mit ${rules.devices} Geräten, oder aus ${rules.many} Ländern, oder ${rules.scans} Scans mit ${rules.scanDevices} Geräten. Wer dieses Carnet betreibt, kann andere Zahlen einstellen.`,
  save: 'Speichern',
  isOff: 'Scans werden zurzeit nicht gezählt.',
  isOffFor: categories => `Zurzeit nicht gezählt: ${categories}.`,
  on: 'an',
  off: 'aus',
  viewersOnly: 'Bearbeiter und Inhaber können das ändern.',

  emptyTitle: 'Noch keine Scans',
  emptyLead: 'So kommt der erste zustande:',
  emptySteps: [
    'Richten Sie die Kamera eines Telefons auf diesen Code und öffnen Sie die Seite, zu der er führt.',
    'Laden Sie diese Seite neu. Nach ein, zwei Sekunden steht der Scan hier.',
  ],
  emptyOwn: 'In diesem Browser geöffnet zählt es nicht, denn hier sind Sie angemeldet.',
  emptyCode: name => `QR-Code von ${name}`,
  emptyNone: 'Legen Sie zuerst ein Produkt an: Jedes hat eine Seite und einen Code.',
  toProducts: 'Zu den Produkten',

  part: 'Scans',
  partNone: 'In diesem Zeitraum wurde es nicht gescannt.',
  ownScans: 'Nur die eigenen',
  withUnits: 'Mit allen Einheiten',
  which: 'Welche Scans',
  milestonesOwn: 'Meilensteine durch eigene Scans',
  suspected: date => `Der Code dieses Einzelstücks könnte kopiert worden sein (${date}).`,
  toScans: 'Scans des ganzen Kontos',
}
