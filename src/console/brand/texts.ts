/** The words of the page about the brand, in the languages of the console. */

const en = {
  link: 'How your public pages look',
  title: 'Brand of the public pages',
  lead: 'Name, colour and logo of your house on the pages that people see when they scan a code.',
  viewersOnly: 'Only editors and owners change the brand.',
  preview: 'Open a public page',
  previewNone: 'As soon as there is a passport, you can look at its page from here.',
  saved: 'Saved. Public pages show it within seconds.',

  look: 'Name and colour',
  name: 'Name',
  nameHint: 'Stands at the top of each page where there is no logo. Empty: the brand of the product itself.',
  accent: 'Accent colour',
  accentHint: 'Such as #1a5f4b. Empty: no colour of your own.',
  picker: 'Choose the colour',
  tryIt: 'Show how it is adjusted',
  adjusted: 'How pages show it',
  adjustedLead: (least: string) =>
    `So that words in it can be read, the colour is made darker on light pages and lighter on dark ones until its contrast is at least ${least}:1.`,
  onLight: 'On light pages',
  onDark: 'On dark pages',
  contrast: (ratio: string) => `contrast ${ratio}:1`,
  asGiven: 'as given',
  adjustedFrom: 'adjusted',
  trying: 'Not saved yet.',
  sample: 'Aa',

  frames: 'Sites that may show the pages in a frame',
  framesHint:
    'One address a line, such as https://shop.example or https://*.shop.example. Empty: none. At most 20.',
  save: 'Save',

  logos: 'Logos',
  logosLead: (bytes: string, side: string) =>
    `SVG, PNG, JPEG or WebP with at most ${bytes} bytes; of an SVG only the drawing is kept, and counted. At most ${side} pixels a side.`,
  logo: 'Logo',
  logoDark: 'Logo for dark pages',
  logoDarkHint: 'Without one, the logo stands on a light ground there.',
  none: 'none',
  size: (width: string, height: string) => `${width} × ${height}`,
  remove: 'Take this logo away',
  removeDark: 'Take the logo for dark pages away',
  upload: 'Save the logos',

  errors: {
    nameLength: (most: number) => `At most ${most} characters.`,
    nameFormat: 'It has characters that cannot be shown.',
    accent: 'That is no colour. Write it such as #1a5f4b.',
    frames: (wrong: string) =>
      `Not an origin: ${wrong}. Give https:// and a name, without a path, such as https://shop.example.`,
    framesMax: (most: number) => `At most ${most} addresses.`,
    logoFormat: 'That is no picture that can be used. Send an SVG, PNG, JPEG or WebP file.',
    logoBytes: (size: string, most: string) =>
      `The file has ${size} bytes; ${most} are the most. Save it smaller, or as a simpler SVG.`,
    logoDrawing: (most: string) =>
      `The drawing alone has more than ${most} bytes. Save it as a simpler SVG, with fewer points.`,
    logoSide: (most: string) => `It has more than ${most} pixels on a side. Save it smaller.`,
    logoBoth: 'Choose a file, or take the logo away, not both.',
  },
}

export type BrandTexts = typeof en

const de: BrandTexts = {
  link: 'Wie Ihre öffentlichen Seiten aussehen',
  title: 'Marke auf den öffentlichen Seiten',
  lead: 'Name, Farbe und Logo Ihres Hauses auf den Seiten, die man beim Scannen eines Codes sieht.',
  viewersOnly: 'Nur Bearbeiter und Inhaber ändern die Marke.',
  preview: 'Eine öffentliche Seite öffnen',
  previewNone: 'Sobald es einen Pass gibt, lässt sich seine Seite von hier aus ansehen.',
  saved: 'Gespeichert. Öffentliche Seiten zeigen es nach wenigen Sekunden.',

  look: 'Name und Farbe',
  name: 'Name',
  nameHint: 'Steht oben auf jeder Seite, wo kein Logo ist. Leer: die Marke des Produkts selbst.',
  accent: 'Akzentfarbe',
  accentHint: 'Etwa #1a5f4b. Leer: keine eigene Farbe.',
  picker: 'Farbe wählen',
  tryIt: 'Zeigen, wie sie angepasst wird',
  adjusted: 'So zeigen die Seiten sie',
  adjustedLead: least =>
    `Damit Wörter darin lesbar sind, wird die Farbe auf hellen Seiten dunkler und auf dunklen heller gemacht, bis ihr Kontrast mindestens ${least}:1 ist.`,
  onLight: 'Auf hellen Seiten',
  onDark: 'Auf dunklen Seiten',
  contrast: ratio => `Kontrast ${ratio}:1`,
  asGiven: 'wie angegeben',
  adjustedFrom: 'angepasst',
  trying: 'Noch nicht gespeichert.',
  sample: 'Aa',

  frames: 'Seiten, die sie in einem Rahmen zeigen dürfen',
  framesHint:
    'Eine Adresse je Zeile, etwa https://shop.example oder https://*.shop.example. Leer: keine. Höchstens 20.',
  save: 'Speichern',

  logos: 'Logos',
  logosLead: (bytes, side) =>
    `SVG, PNG, JPEG oder WebP mit höchstens ${bytes} Byte; von einem SVG wird nur die Zeichnung behalten und gezählt. Höchstens ${side} Pixel je Seite.`,
  logo: 'Logo',
  logoDark: 'Logo für dunkle Seiten',
  logoDarkHint: 'Ohne eines steht das Logo dort auf hellem Grund.',
  none: 'keines',
  size: (width, height) => `${width} × ${height}`,
  remove: 'Dieses Logo wegnehmen',
  removeDark: 'Das Logo für dunkle Seiten wegnehmen',
  upload: 'Logos speichern',

  errors: {
    nameLength: most => `Höchstens ${most} Zeichen.`,
    nameFormat: 'Er enthält Zeichen, die sich nicht zeigen lassen.',
    accent: 'Das ist keine Farbe. Sie wird etwa so geschrieben: #1a5f4b.',
    frames: wrong =>
      `Keine Herkunft: ${wrong}. Bitte https:// und einen Namen angeben, ohne Pfad, etwa https://shop.example.`,
    framesMax: most => `Höchstens ${most} Adressen.`,
    logoFormat: 'Das ist kein Bild, das sich verwenden lässt. Bitte eine SVG-, PNG-, JPEG- oder WebP-Datei.',
    logoBytes: (size, most) =>
      `Die Datei hat ${size} Byte; ${most} sind das Höchste. Bitte kleiner speichern oder als einfacheres SVG.`,
    logoDrawing: most =>
      `Schon die Zeichnung hat mehr als ${most} Byte. Bitte als einfacheres SVG mit weniger Punkten speichern.`,
    logoSide: most => `Es hat mehr als ${most} Pixel auf einer Seite. Bitte kleiner speichern.`,
    logoBoth: 'Bitte eine Datei wählen oder das Logo wegnehmen, nicht beides.',
  },
}

export const BRAND_TEXTS = { en, de }
