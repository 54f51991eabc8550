/**
 * Column titles of exports from shops and product databases. Data only: each title has a meaning, and `MEANINGS` lists the
 * fields for it. A unit after `|` is the one that the program always uses.
 */

/** Fields for each meaning: the first one counts that the category has and that fits the unit of the title. */
export const MEANINGS = {
  name: ['productName'],
  sku: ['sku'],
  brand: ['brandName'],
  gtin: ['gtin'],
  customs: ['commodityCode'],
  origin: ['countryOfManufacture'],
  weight: ['weightGrams', 'weightKg', 'dimensions.weightKg'],
  width: ['dimensions.width'],
  depth: ['dimensions.depth'],
  height: ['dimensions.height'],
  composition: ['fiberComposition', 'materialComposition'],
  fibres: ['fiberComposition'],
  recycled: ['recycledContentPercentage'],
  care: ['careInstructions'],
  assembly: ['assemblyInstructions'],
  safety: ['safetyInformation'],
  warranty: ['warrantyMonths'],
  operatorName: ['economicOperator.legalName'],
  operatorAddress: ['economicOperator.address'],
  operatorCountry: ['economicOperator.country'],
  operatorEmail: ['economicOperator.contactEmail'],
  operatorGln: ['economicOperator.operatorId'],
  batteryCategory: ['batteryCategory'],
  chemistry: ['cellChemistry'],
  // Kilowatt-hours are energy, even if the title says capacity.
  capacity: ['ratedCapacity', 'energyWh'],
  energy: ['energyWh'],
  voltage: ['nominalVoltage'],
  cycles: ['expectedLifetimeCycles'],
  made: ['manufacturingDate'],
  footprint: ['carbonFootprint'],
  footprintClass: ['carbonFootprintClass'],
  footprintStudy: ['carbonFootprintStudyUrl'],
  dueDiligence: ['dueDiligenceUrl'],
  health: ['stateOfHealth'],
  water: ['waterFootprint'],
  recycling: ['endOfLife.recyclingInstructions'],
  disposal: ['endOfLife.disposalInstructions'],
  repairable: ['repair.repairable'],
  spareParts: ['repair.sparePartsAvailable'],
} as const satisfies Record<string, readonly string[]>

export type TitleMeaning = keyof typeof MEANINGS

/**
 * Titles by meaning, separated by semicolons. A meaning has `|` and a unit if the title does not name it. Case, spaces
 * and punctuation of titles do not count.
 */
export type HeaderTable = Readonly<Partial<Record<TitleMeaning | 'weight|g', string>>>

/** Titles of many programs. */
const COMMON: HeaderTable = {
  name: `
    name; title; product title; product name; item name; article name; model name; bezeichnung;
    artikelbezeichnung; artikelname; produktbezeichnung; titel; nom; désignation; nombre; nome; naam;
    productnaam; nazwa`,
  sku: `
    sku; article number; article no; item number; item no; product number; product code; style number;
    artikelnr; art.-nr.; item id; produktnummer; référence; referencia; codice; artikelcode`,
  brand: 'brand; brands; brand name; marque; marca; merk; marka',
  gtin: `
    ean; ean13; ean code; ean/upc; ean/gtin; gtin/ean; gtin; gtin13; gtin14; upc; barcode; strichcode;
    code-barres`,
  customs: `
    hs code; cn code; hs tariff code; harmonized system code; customs tariff number; tariff number;
    taric; zolltarifnummer; warennummer; statistische warennummer; code douanier`,
  origin: `
    country of origin; country of manufacture; manufacturing country; made in; origin country;
    ursprungsland; herkunftsland; produktionsland; pays d'origine; pays de fabrication; país de origen;
    paese di origine; land van herkomst; kraj pochodzenia`,
  weight: `
    weight; mass; masse; net weight; product weight; item weight; battery weight; battery mass; gewicht;
    nettogewicht; produktgewicht; artikelgewicht; poids; poids net; peso; peso neto; peso netto; waga`,
  width: 'width; breite; largeur; item width',
  depth: 'depth; tiefe; profondeur; length; länge; longueur; item depth',
  height: 'height; höhe; hauteur; item height',
  composition: `
    composition; material composition; materials; zusammensetzung; materialzusammensetzung; composición;
    composizione; samenstelling; skład`,
  fibres: `
    fabric composition; fibre composition; fiber composition; fibre content; fiber content; fibers;
    fibres; textilkennzeichnung`,
  recycled: 'recycled content; recycled share',
  care: `
    care; care instructions; care label; washing instructions; pflege; pflegeanleitung; waschanleitung;
    conseils d'entretien; entretien`,
  assembly: 'assembly instructions',
  safety: 'safety instructions; safety information; sicherheitshinweise',
  warranty: 'warranty; guarantee; garantie; warranty period',
  operatorName: 'manufacturer name; herstellername',
  operatorAddress: 'manufacturer address; herstelleranschrift; herstelleradresse',
  operatorCountry: 'manufacturer country',
  operatorEmail: 'manufacturer email; manufacturer contact',
  operatorGln: 'manufacturer gln',
  batteryCategory: 'battery type; battery category; batterietyp; batteriekategorie',
  chemistry: 'chemistry; battery chemistry; cell chemistry; zellchemie; batteriechemie',
  capacity: `
    capacity; rated capacity; nominal capacity; capacity rated; capacity nominal; battery capacity;
    nennkapazität; kapazität`,
  energy: 'energy; rated energy; nominal energy; energy content; energy capacity; energieinhalt',
  voltage: 'voltage; nominal voltage; rated voltage; voltage nominal; nennspannung',
  cycles: 'lifetime cycles; cycle life; expected lifetime cycles; expected cycles; zyklenlebensdauer',
  made: 'manufacturing date; manufacture date; production date; date of manufacture; produktionsdatum',
  footprint: 'carbon footprint; cfp',
  footprintClass: 'cfp class; carbon footprint class',
  footprintStudy: 'cfp study',
  dueDiligence: 'due diligence report',
  health: 'state of health; soh',
  water: 'water footprint; water consumption',
  recycling: 'recycling instructions',
  disposal: 'disposal instructions',
  repairable: 'repairable; repairability',
  spareParts: 'spare parts available',
}

/** Product CSV of Shopify's admin. */
const SHOPIFY: HeaderTable = {
  name: 'Title',
  brand: 'Vendor',
  sku: 'Variant SKU',
  gtin: 'Variant Barcode',
  'weight|g': 'Variant Grams',
  weight: 'Variant Weight',
  customs: 'Variant HS Code',
  origin: 'Variant Country of Origin',
  care: 'Product care instructions (product.metafields.shopify.care-instructions)',
}

/** Product export of WooCommerce, English and German; the titles have the units. */
const WOOCOMMERCE: HeaderTable = {
  sku: 'SKU; Artikelnummer',
  gtin: `
    GTIN, UPC, EAN, or ISBN; GTIN UPC EAN or ISBN; GTIN, UPC, EAN oder ISBN; Meta: _global_unique_id;
    Meta: _wpm_gtin_code`,
  name: 'Name',
  brand: 'Brands; Marken',
  weight: 'Weight',
  depth: 'Length',
  width: 'Width',
  height: 'Height',
  origin: 'Meta: _country_of_origin',
  customs: 'Meta: _hs_code',
}

/** Default product profile of Shopware 6, and article exports of Shopware 5. The manufacturer there is the brand. */
const SHOPWARE: HeaderTable = {
  sku: 'product_number; productNumber; ordernumber',
  name: 'name; translations.DEFAULT.name',
  gtin: 'ean',
  brand: 'manufacturer.translations.DEFAULT.name',
  weight: 'weight',
  width: 'width',
  height: 'height',
  depth: 'length',
}

/** Product export of Magento 2 and Adobe Commerce. */
const MAGENTO: HeaderTable = {
  sku: 'sku',
  name: 'name',
  brand: 'brand',
  gtin: 'gtin; ean; barcode',
  weight: 'weight',
  depth: 'ts_dimensions_length',
  width: 'ts_dimensions_width',
  height: 'ts_dimensions_height',
  origin: 'ts_country_of_origin; country_of_manufacture',
  customs: 'ts_hs_code',
}

/** Product export of Akeneo: attribute codes with locale and channel after them; units have their own columns. */
const AKENEO: HeaderTable = {
  sku: 'sku',
  name: 'name; erp_name',
  brand: 'brand',
  gtin: 'ean; gtin',
  weight: 'weight; product_weight',
  width: 'width',
  depth: 'depth',
  height: 'height',
  composition: 'composition',
  care: 'care_instructions',
  origin: 'country_of_origin',
}

/** Product data specification of Google Merchant Center. */
const GOOGLE: HeaderTable = {
  name: 'title',
  brand: 'brand',
  gtin: 'gtin',
  weight: 'product_weight',
  depth: 'product_length',
  width: 'product_width',
  height: 'product_height',
}

/** Attribute names of GS1's Global Data Model and of GDSN trade items; units have their own columns. */
const GS1: HeaderTable = {
  gtin: 'gtin; GTIN / ITF Number; Global Trade Item Number',
  sku: 'Additional Trade Item Identification; additionalTradeItemIdentification',
  brand: 'Brand Name; brandName',
  name: 'Trade Item Description; tradeItemDescription; Product Name; Regulated Product Name',
  weight: 'Net Weight; netWeight',
  origin: 'Country of Origin; countryOfOrigin; placeOfProductActivityCountryOfOrigin',
  customs: 'Import Classification Value; importClassificationValue; intrastatCommodityCode',
  operatorName: 'Information Provider Name',
  operatorGln: 'Information Provider GLN',
}

export type KnownSource = {
  /** Titles that identify the source: two of them in a spreadsheet are enough. */
  marks: readonly string[]
  headers: HeaderTable
  /** Titles that have this meaning only in exports of this source. */
  onlyHere: HeaderTable
}

/** Tried after the titles of the detected source. */
export const COMMON_HEADERS: HeaderTable = COMMON
export const KNOWN_SOURCES: readonly KnownSource[] = [
  {
    marks: ['Handle', 'Body (HTML)', 'Variant SKU', 'Variant Grams', 'Variant Price', 'Option1 Name'],
    headers: SHOPIFY,
    onlyHere: {},
  },
  {
    marks: [
      'Tax status',
      'In stock?',
      'Visibility in catalog',
      'Short description',
      'Steuerstatus',
      'Vorrätig?',
    ],
    headers: WOOCOMMERCE,
    onlyHere: {},
  },
  {
    marks: ['product_number', 'tax_rate', 'price_net', 'manufacturer_name', 'cover_media_url', 'ordernumber'],
    headers: SHOPWARE,
    onlyHere: { brand: 'manufacturer_name; supplier; supplierName' },
  },
  {
    marks: ['attribute_set_code', 'product_type', 'product_websites', 'store_view_code', 'product_online'],
    headers: MAGENTO,
    onlyHere: { brand: 'manufacturer' },
  },
  {
    marks: ['family', 'enabled', 'groups', 'categories', 'parent', 'family_variant'],
    headers: AKENEO,
    onlyHere: { sku: 'identifier' },
  },
  {
    marks: [
      'image_link',
      'availability',
      'item_group_id',
      'google_product_category',
      'condition',
      'image link',
    ],
    headers: GOOGLE,
    onlyHere: { sku: 'id' },
  },
  {
    marks: [
      'Target Market',
      'GPC Category Code',
      'gpcCategoryCode',
      'targetMarketCountryCode',
      'Information Provider GLN',
      'informationProviderGln',
    ],
    headers: GS1,
    onlyHere: {},
  },
]
