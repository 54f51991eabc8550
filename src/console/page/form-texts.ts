/** The words of a product's form that belong to single fields, in the languages of the console. */

/**
 * A line above an input, by the path of its field, where the label leaves a question; with its category before it where
 * the same field is another thing there. Both languages have the same ones.
 */
type Hints = Readonly<Record<string, string>>

const en = {
  hints: {
    productName: 'As customers know it.',
    sku: 'Your own number for it.',
    gtin: 'The digits under the barcode: 8, 12, 13 or 14.',
    commodityCode: 'For customs: 6 digits (HS) or 8 (CN).',
    economicOperator: 'The company that answers for the product on the EU market.',
    'economicOperator.address': 'As on a letter, on several lines.',
    'economicOperator.contactEmail': 'For questions about the product.',
    'economicOperator.operatorId': '13 digits.',
    'economicOperator.eori': 'Two letters and up to 15 characters.',
    languages: 'Of the texts below. The first is what readers see where a text has no translation.',
    'endOfLife.disposalInstructions': 'Where it cannot be recycled.',
    complianceDocuments: 'Such as the declaration of conformity or a test report.',
    'complianceDocuments.url': 'The whole address, with https:// before it.',
    'textile.careInstructions': 'How to wash, dry and iron it.',
    'furniture.careInstructions': 'How to clean and keep it.',
    'textile.repair.sparePartsAvailable': 'Such as buttons and zips.',
    'repair.instructions': 'How to repair it, or where.',
    'repair.sparePartsUrl': 'Where they can be ordered, with https:// before it.',
    fiberComposition:
      'Names from the list, in any language: readers see them in theirs. Shares of the weight make exactly 100 %.',
    materialComposition: 'Shares of the weight. Together they make exactly 100 %.',
    'supplyChainStages.facilityId': '13 digits.',
    'substancesOfConcern.casNumber': 'Such as 50-00-0.',
    'substancesOfConcern.concentrationRange': 'Such as 0.1–0.3 %.',
    'substancesOfConcern.note': 'Where it is, or what to take care of.',
    'hazardousSubstances.casNumber': 'Such as 7440-02-0.',
    'hazardousSubstances.concentrationRange': 'Such as 1–5 %.',
    'durability.testResults': 'With the standards they follow.',
    'durability.pefScore': 'In points of the Product Environmental Footprint.',
    'textile.carbonFootprint': 'Of one piece over its whole life.',
    'textile.waterFootprint': 'Of one piece over its whole life.',
    weightGrams: 'Of one piece.',
    'battery.manufacturingDate': 'A day, a month or a year, such as 2025-03-15, 2025-03 or 2025.',
    'battery.stateOfHealth': 'Of a single battery; 100 when new.',
    'battery.carbonFootprint': 'For each kWh that it provides over its life.',
    'battery.carbonFootprintClass': 'A letter from A (best) to G.',
    'battery.carbonFootprintStudyUrl': 'The whole address, with https:// before it.',
    'battery.dueDiligenceUrl': 'The address of the report, with https:// before it.',
    'furniture.woodCertification.country': 'Where the wood comes from.',
    'furniture.dimensions': 'Outside, put together.',
    'furniture.assemblyInstructions': 'As a text or as a link.',
  } as Hints,
  whoSees: {
    authority: 'Only authorities see this.',
    protected: 'Only authorities and readers with a legitimate interest see this.',
  },
  checkNames: 'Check these names of fibres:',
  changeNames: 'Change the names',
  twoReadings: (typed: string, one: string, other: string) =>
    `${typed} can mean ${one} or ${other}. Write it as one of these.`,
  inexact: 'Has more digits than can be kept. Write at most 15.',
  primary: (language: string) => `${language} (first)`,
  anotherLanguage: 'Another language',
  languageInput: 'A language, or its code such as en or pt-BR.',
  addLanguage: 'Add a language',
  showTexts: 'Show the fields for these languages',
}

type FormTexts = typeof en

const de: FormTexts = {
  hints: {
    productName: 'Wie Kunden es kennen.',
    sku: 'Ihre eigene Nummer dafür.',
    gtin: 'Die Ziffern unter dem Strichcode: 8, 12, 13 oder 14.',
    commodityCode: 'Für den Zoll: 6 Ziffern (HS) oder 8 (KN).',
    economicOperator: 'Die Firma, die für das Produkt auf dem EU-Markt einsteht.',
    'economicOperator.address': 'Wie auf einem Brief, auf mehreren Zeilen.',
    'economicOperator.contactEmail': 'Für Fragen zum Produkt.',
    'economicOperator.operatorId': '13 Ziffern.',
    'economicOperator.eori': 'Zwei Buchstaben und bis zu 15 Zeichen.',
    languages:
      'Der Texte weiter unten. Die erste sehen Leser dort, wo ein Text nicht in ihre Sprache übersetzt ist.',
    'endOfLife.disposalInstructions': 'Wo es nicht recycelt werden kann.',
    complianceDocuments: 'Etwa die Konformitätserklärung oder ein Prüfbericht.',
    'complianceDocuments.url': 'Die ganze Adresse, mit https:// davor.',
    'textile.careInstructions': 'Wie man es wäscht, trocknet und bügelt.',
    'furniture.careInstructions': 'Wie man es reinigt und pflegt.',
    'textile.repair.sparePartsAvailable': 'Etwa Knöpfe und Reißverschlüsse.',
    'repair.instructions': 'Wie man es repariert, oder wo.',
    'repair.sparePartsUrl': 'Wo man sie bestellt, mit https:// davor.',
    fiberComposition:
      'Namen aus der Liste, in beliebiger Sprache: Leser sehen sie in ihrer. Anteile am Gewicht, zusammen genau 100 %.',
    materialComposition: 'Anteile am Gewicht. Zusammen ergeben sie genau 100 %.',
    'supplyChainStages.facilityId': '13 Ziffern.',
    'substancesOfConcern.casNumber': 'Etwa 50-00-0.',
    'substancesOfConcern.concentrationRange': 'Etwa 0,1–0,3 %.',
    'substancesOfConcern.note': 'Wo er ist, oder worauf zu achten ist.',
    'hazardousSubstances.casNumber': 'Etwa 7440-02-0.',
    'hazardousSubstances.concentrationRange': 'Etwa 1–5 %.',
    'durability.testResults': 'Mit den Normen, denen sie folgen.',
    'durability.pefScore': 'In Punkten des Umweltfußabdrucks von Produkten (PEF).',
    'textile.carbonFootprint': 'Eines Stücks, von der Herstellung bis zum Ende.',
    'textile.waterFootprint': 'Eines Stücks, von der Herstellung bis zum Ende.',
    weightGrams: 'Eines Stücks.',
    'battery.manufacturingDate': 'Tag, Monat oder Jahr, etwa 15.03.2025, 03/2025 oder 2025.',
    'battery.stateOfHealth': 'Einer einzelnen Batterie; 100, wenn sie neu ist.',
    'battery.carbonFootprint': 'Je kWh, die sie in ihrem Leben abgibt.',
    'battery.carbonFootprintClass': 'Ein Buchstabe von A (am besten) bis G.',
    'battery.carbonFootprintStudyUrl': 'Die ganze Adresse, mit https:// davor.',
    'battery.dueDiligenceUrl': 'Die Adresse des Berichts, mit https:// davor.',
    'furniture.woodCertification.country': 'Woher das Holz kommt.',
    'furniture.dimensions': 'Außen, zusammengebaut.',
    'furniture.assemblyInstructions': 'Als Text oder als Link.',
  },
  whoSees: {
    authority: 'Das sehen nur Behörden.',
    protected: 'Das sehen nur Behörden und Leser mit berechtigtem Interesse.',
  },
  checkNames: 'Bitte diese Fasernamen prüfen:',
  changeNames: 'Namen ändern',
  twoReadings: (typed, one, other) =>
    `${typed} kann ${one} oder ${other} heißen. Bitte eines davon schreiben.`,
  inexact: 'Hat mehr Ziffern, als sich aufheben lassen. Bitte höchstens 15.',
  primary: language => `${language} (zuerst)`,
  anotherLanguage: 'Noch eine Sprache',
  languageInput: 'Eine Sprache, oder ihr Code wie de oder pt-BR.',
  addLanguage: 'Sprache hinzufügen',
  showTexts: 'Felder für diese Sprachen zeigen',
}

export const FORM_TEXTS = { en, de }
