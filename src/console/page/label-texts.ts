/** The words of the pages about labels, in the languages of the console, beside those of all pages about products. */
import { PRODUCT_TEXTS } from './product-texts.ts'

const en = {
  labelsLead: 'Each label has the code, the name, the lot or serial number and the address.',
  labelsOf: 'Labels for',
  ofSelf: 'this product',
  ofBelow: {
    items: (text: string) => `its items (${text})`,
    batches: (text: string) => `its batches (${text})`,
  },
  ofBelowMany: {
    items: (text: string) => `its items (more than ${text})`,
    batches: (text: string) => `its batches (more than ${text})`,
  },
  labelsContent: 'What the code holds',
  labelsFile: 'File',
  files: {
    pdf: 'PDF, to print on label sheets or a label printer',
    svg: 'ZIP of SVG pictures',
    png300: 'ZIP of PNG pictures, 300 dpi',
    png600: 'ZIP of PNG pictures, 600 dpi',
  },
  labelsSheet: 'Label sheet (PDF)',
  sheet: 'Format',
  sheetOf: (width: string, height: string, n: number) => `${width} × ${height} mm, ${n} on an A4 sheet`,
  sheetOwn: 'Own size, one label a page',
  width: 'Width in mm',
  height: 'Height in mm',
  skip: 'Labels already used on the first sheet',
  labelsPicture: 'Pictures (ZIP)',
  codeSize: 'Width of the code in mm',
  copies: 'Copies of each',
  resolution: 'Resolution in dpi',
  between: (least: string, most: string) => `Give a number from ${least} to ${most}.`,
  wholeBetween: (least: string, most: string) => `Give a whole number from ${least} to ${most}.`,
  oneOf: (names: string) => `There is no such choice. There are: ${names}.`,
  labelsCheck: 'Check the size',
  labelsMake: 'Make the file',
  labelsSize: (wide: string, module: string) =>
    `The code will be ${wide} mm wide; one of its squares measures ${module} mm.`,
  labelsMost: (most: string) =>
    `A file is for at most ${most} units: the oldest come first. Give a range for the others.`,
  labelsRange: 'Range',
  labelsRangeHint:
    'Empty: all of them, in the order they were made. A batch has labels of its own on its page.',
  labelsFrom: 'From serial number or lot',
  labelsTo: 'To serial number or lot',
  labelsCount: (labels: string, sheets: string | undefined) =>
    sheets === undefined ? `Pictures: ${labels}.` : `Labels: ${labels}, pages: ${sheets}.`,
  noSuchUnit: {
    items: (text: string) =>
      `There is no item with the serial number ${text} here. Check the number, or leave the field empty.`,
    batches: (text: string) =>
      `There is no batch with the lot ${text} here. Check the lot, or leave the field empty.`,
  },
  tooManyLabels: (most: string, count: string) =>
    `These would be ${count} labels. A file has at most ${most}: choose fewer copies or a range.`,
  tooManyPixels:
    'All pictures together would be too large. Choose a smaller code, a lower resolution, SVG, or a range.',
  tooFine: (module: string) =>
    `The squares of the code would be only ${module} mm wide. Below 0.25 mm many phones cannot read them: choose a larger label or code.`,
}

type LabelTexts = typeof en

const de: LabelTexts = {
  labelsLead: 'Jedes Etikett trägt den Code, den Namen, Chargen- oder Seriennummer und die Adresse.',
  labelsOf: 'Etiketten für',
  ofSelf: 'dieses Produkt',
  ofBelow: {
    items: text => `seine Einzelstücke (${text})`,
    batches: text => `seine Chargen (${text})`,
  },
  ofBelowMany: {
    items: text => `seine Einzelstücke (mehr als ${text})`,
    batches: text => `seine Chargen (mehr als ${text})`,
  },
  labelsContent: 'Was der Code enthält',
  labelsFile: 'Datei',
  files: {
    pdf: 'PDF, für Etikettenbögen oder einen Etikettendrucker',
    svg: 'ZIP mit SVG-Bildern',
    png300: 'ZIP mit PNG-Bildern, 300 dpi',
    png600: 'ZIP mit PNG-Bildern, 600 dpi',
  },
  labelsSheet: 'Etikettenbogen (PDF)',
  sheet: 'Format',
  sheetOf: (width, height, n) => `${width} × ${height} mm, ${n} auf einem A4-Bogen`,
  sheetOwn: 'Eigene Größe, ein Etikett je Seite',
  width: 'Breite in mm',
  height: 'Höhe in mm',
  skip: 'Etiketten, die auf dem ersten Bogen schon fehlen',
  labelsPicture: 'Bilder (ZIP)',
  codeSize: 'Breite des Codes in mm',
  copies: 'Exemplare je Etikett',
  resolution: 'Auflösung in dpi',
  between: (least, most) => `Bitte eine Zahl von ${least} bis ${most}.`,
  wholeBetween: (least, most) => `Bitte eine ganze Zahl von ${least} bis ${most}.`,
  oneOf: names => `Das steht nicht zur Wahl. Es gibt: ${names}.`,
  labelsCheck: 'Größe prüfen',
  labelsMake: 'Datei erstellen',
  labelsSize: (wide, module) => `Der Code wird ${wide} mm breit; eines seiner Quadrate misst ${module} mm.`,
  labelsMost: most =>
    `Eine Datei umfasst höchstens ${most} Einheiten: die ältesten zuerst. Für die übrigen bitte einen Bereich angeben.`,
  labelsRange: 'Bereich',
  labelsRangeHint:
    'Leer: alle, in der Reihenfolge, in der sie angelegt wurden. Eine Charge hat eigene Etiketten auf ihrer Seite.',
  labelsFrom: 'Von Serien- oder Chargennummer',
  labelsTo: 'Bis Serien- oder Chargennummer',
  labelsCount: (labels, sheets) =>
    sheets === undefined ? `Bilder: ${labels}.` : `Etiketten: ${labels}, Seiten: ${sheets}.`,
  noSuchUnit: {
    items: text =>
      `Hier gibt es kein Einzelstück mit der Seriennummer ${text}. Bitte die Nummer prüfen oder das Feld leer lassen.`,
    batches: text =>
      `Hier gibt es keine Charge mit der Nummer ${text}. Bitte die Nummer prüfen oder das Feld leer lassen.`,
  },
  tooManyLabels: (most, count) =>
    `Das wären ${count} Etiketten. Eine Datei hat höchstens ${most}: bitte weniger Exemplare oder einen Bereich wählen.`,
  tooManyPixels:
    'Alle Bilder zusammen wären zu groß. Bitte einen kleineren Code, eine geringere Auflösung, SVG oder einen Bereich wählen.',
  tooFine: module =>
    `Die Quadrate des Codes wären nur ${module} mm breit. Unter 0,25 mm lesen viele Telefone sie nicht: wählen Sie ein größeres Etikett oder einen größeren Code.`,
}

export const LABEL_TEXTS = { en: { ...PRODUCT_TEXTS.en, ...en }, de: { ...PRODUCT_TEXTS.de, ...de } }
