/**
 * Twenty spreadsheets as shops, product databases and accounting programs export them and people damage them:
 * what a person answers, and for each row what must be stored, or which sentence must refuse it.
 */
import { lines } from './import-values.ts'

type Values = Readonly<Record<string, unknown>>

export type SampleSheet = {
  source: string
  category?: 'textile' | 'battery' | 'furniture'
  /** Cells of a workbook, or the text of a CSV file. */
  content: readonly (readonly (string | number)[])[] | string
  encoding?: 'latin1'
  /** Fields and units of columns that the page must ask for, by form field. */
  asked?: Readonly<Record<string, string>>
  /** A change that a person makes on the page beside that. */
  chosen?: Readonly<Record<string, string>>
  /** By SKU: values of the row, dotted paths. */
  stored: Readonly<Record<string, Values>>
  /** By the number of the row. */
  refused?: Readonly<Record<number, RegExp>>
}

const csv = (...rows: readonly (readonly string[])[]) => lines(rows)
const csv2 = (...rows: readonly (readonly string[])[]) => lines(rows, ';')
/** Each sheet has GTINs of its own, because a GTIN belongs to one product of the whole service. */
function ean(n: number): string {
  const digits = `400638133${String(n).padStart(3, '0')}`
  const sum = [...digits].reduce((all, digit, place) => all + Number(digit) * (place % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

export const SAMPLE_SHEETS: readonly SampleSheet[] = [
  {
    source: 'Shopify with variants',
    content: csv(
      [
        'Handle',
        'Title',
        'Vendor',
        'Option1 Name',
        'Option1 Value',
        'Variant SKU',
        'Variant Grams',
        'Variant Barcode',
      ],
      ['tee', 'Tee', 'Nord', 'Size', 'S', 'SH-S', '180', ean(1)],
      ['tee', '', '', '', 'M', 'SH-M', '190', ''],
      ['cap', 'Cap', 'Nord', 'Title', 'Default Title', 'SH-C', '90.0', ''],
    ),
    stored: {
      'SH-S': { productName: 'Tee', brandName: 'Nord', weightGrams: 180, gtin: ean(1) },
      'SH-C': { productName: 'Cap', weightGrams: 90 },
    },
    refused: { 3: /variant or a picture of the product in row 2/ },
  },
  {
    source: 'Shopify without SKUs',
    content: csv(
      ['Handle', 'Title', 'Body (HTML)', 'Variant SKU', 'Variant Grams', 'Variant Price'],
      ['wool-hat', 'Wool hat', '<p>Warm</p>', '', '120', '29.00'],
      ['wool-hat', '', '', '', '130', '29.00'],
    ),
    stored: { 'wool-hat': { productName: 'Wool hat', weightGrams: 120 } },
    refused: { 3: /variant or a picture of the product in row 2/ },
  },
  {
    source: 'WooCommerce, zeros of a UPC lost',
    content: csv(
      ['ID', 'Type', 'SKU', 'GTIN, UPC, EAN, or ISBN', 'Name', 'Tax status', 'In stock?', 'Weight (kg)'],
      ['1', 'simple', 'WC-1', '36000291452', 'Socks', 'taxable', '1', '0.08'],
      ['2', 'simple', 'WC-2', '4006381333932', 'Belt', 'taxable', '1', '.2'],
    ),
    stored: { 'WC-1': { gtin: '036000291452', weightGrams: 80 } },
    refused: { 3: /check digit/ },
  },
  {
    source: 'WooCommerce in German',
    content: csv(
      ['ID', 'Artikelnummer', 'Name', 'Steuerstatus', 'Vorrätig?', 'Gewicht (kg)'],
      ['9', 'WD-1', 'Mütze', 'taxable', '1', '0.125'],
    ),
    stored: { 'WD-1': { productName: 'Mütze', weightGrams: 125 } },
  },
  {
    source: 'Akeneo with locales and units beside numbers',
    content: csv2(
      ['identifier', 'family', 'enabled', 'name-de_DE', 'ean', 'weight', 'weight-unit', 'country_of_origin'],
      ['AK-1', 'shirts', '1', 'Hemd', ean(5), '0.3100', 'KILOGRAM', 'PT'],
      ['AK-2', 'shirts', '1', 'Bluse', '', '250', 'GRAM', 'Made in Portugal'],
      ['AK-3', 'shirts', '1', 'Top', '', '3', 'STONE', 'PT'],
    ),
    stored: {
      'AK-1': { productName: 'Hemd', weightGrams: 310, countryOfManufacture: 'PT' },
      'AK-2': { weightGrams: 250, countryOfManufacture: 'PT' },
    },
    refused: { 4: /number/i },
  },
  {
    source: 'SAP list with title and thousands',
    content: csv2(
      ['Materialliste Werk 1000', '', '', '', ''],
      ['Stand', '01.05.2026', '', '', ''],
      [' ', '', '', '', ''],
      ['Material', 'Materialkurztext', 'EAN/UPC', 'Nettogewicht', 'Ursprungsland'],
      ['000000000010004711', 'Arbeitsjacke', ean(6), '1.234,500', 'CN'],
      ['000000000010004712', 'Arbeitshose', '', '980,000', 'VR China'],
      ['', 'Summe', '', '2.214,500', ''],
    ),
    asked: { 'c.0': 'sku', 'c.1': 'productName', 'u.3': 'g' },
    chosen: { match_by: 'sku' },
    stored: {
      '000000000010004711': { productName: 'Arbeitsjacke', weightGrams: 1234.5, countryOfManufacture: 'CN' },
      '000000000010004712': { weightGrams: 980, countryOfManufacture: 'CN' },
    },
    refused: { 7: /Article number.*empty|The cell is empty/ },
  },
  {
    source: 'Excel in German, Windows-1252, numbers shortened',
    encoding: 'latin1',
    content: csv2(
      ['Artikelnummer', 'Bezeichnung', 'EAN', 'Gewicht (kg)', 'Herkunftsland'],
      ['XD-1', 'Größe Übergang', ean(7), '0,35', 'Österreich'],
      ['XD-2', 'Kleid', '4,00638E+12', '0,4', 'Italien'],
      ['4,71E+11', 'Rock', '', '0,4', 'Italien'],
      ['XD-4', '#NV', '', '0,4', 'Italien'],
    ),
    stored: { 'XD-1': { productName: 'Größe Übergang', weightGrams: 350, countryOfManufacture: 'AT' } },
    refused: {
      3: /shortened a long number/,
      4: /shortened a long number/,
      5: /error of the spreadsheet program/,
    },
  },
  {
    source: 'PrestaShop',
    content: csv2(
      ['Product ID', 'Active (0/1)', 'Name *', 'Reference #', 'EAN13', 'Weight', 'Manufacturer'],
      ['1', '1', 'Écharpe', 'PS-1', `="${ean(8)}"`, '0.2', 'Nord'],
    ),
    asked: { 'u.5': 'kg' },
    stored: { 'PS-1': { productName: 'Écharpe', gtin: ean(8), weightGrams: 200 } },
  },
  {
    source: 'Magento',
    content: csv(
      [
        'sku',
        'store_view_code',
        'attribute_set_code',
        'product_type',
        'name',
        'weight',
        'country_of_manufacture',
      ],
      ['MG-1', '', 'Default', 'simple', 'Skirt', '0.4500', 'Turkey'],
      ['MG-1', 'de', 'Default', 'simple', 'Rock', '0.4500', ''],
    ),
    asked: { 'u.5': 'kg' },
    stored: { 'MG-1': { productName: 'Skirt', weightGrams: 450, countryOfManufacture: 'TR' } },
    refused: { 3: /Row 2 is about the same product/ },
  },
  {
    source: 'Odoo',
    content: csv(
      ['Internal Reference', 'Name', 'Barcode', 'Weight', 'Origin of Goods', 'HS Code'],
      ['OD-1', 'Jumper', ean(60), '0.512', 'Bangladesh', '61102099'],
      ['OD-2', 'Vest', '', '0.3', 'Congo', '61102099'],
    ),
    asked: { 'c.0': 'sku', 'c.4': 'countryOfManufacture', 'u.3': 'kg' },
    chosen: { match_by: 'sku' },
    stored: {
      'OD-1': { gtin: ean(60), weightGrams: 512, countryOfManufacture: 'BD', commodityCode: '61102099' },
    },
    refused: { 3: /Is not a country/ },
  },
  {
    source: 'Business Central, a workbook with a title',
    content: [
      ['Items'],
      ['No.', 'Description', 'GTIN', 'Net Weight', 'Tariff No.'],
      [1896, 'Apron', Number(ean(11)), 0.25, 62114290],
      [123456789012345680, 'Cape', '', 0.5, 62114290],
    ],
    asked: { 'c.0': 'sku', 'c.1': 'productName', 'c.4': 'commodityCode', 'u.3': 'kg' },
    chosen: { match_by: 'sku' },
    stored: { 1896: { productName: 'Apron', gtin: ean(11), weightGrams: 250, commodityCode: '62114290' } },
    refused: { 4: /keep 15 digits/ },
  },
  {
    source: 'Shopware',
    content: csv2(
      ['product_number', 'name', 'ean', 'tax_rate', 'manufacturer_name', 'weight'],
      ['SW-1', 'Poncho', ean(12), '19', 'Nord', '0.8'],
    ),
    asked: { 'u.5': 'kg' },
    stored: { 'SW-1': { productName: 'Poncho', gtin: ean(12), brandName: 'Nord', weightGrams: 800 } },
  },
  {
    source: 'Google product feed, tabs',
    content: [
      'id\ttitle\tbrand\tgtin\timage_link\tavailability\tcondition',
      `GF-1\tScarf\tNord\t${ean(13)}\t\tin_stock\tnew`,
    ].join('\n'),
    stored: { 'GF-1': { productName: 'Scarf', brandName: 'Nord', gtin: ean(13) } },
  },
  {
    source: 'Microsoft Dynamics list, groups above the titles',
    content: csv2(
      ['Artikel', '', 'Maße', 'Zoll'],
      ['Artikelnummer', 'Bezeichnung', 'Gewicht (g)', 'Zolltarifnummer'],
      ['DY-1', 'Handschuh', '95,5', '61169300'],
      ['DY-2', 'Fäustling', '95 g', '611693'],
    ),
    stored: {
      'DY-1': { weightGrams: 95.5, commodityCode: '61169300' },
      'DY-2': { weightGrams: 95, commodityCode: '611693' },
    },
  },
  {
    source: 'a list with a title, a date and a sum',
    content: [
      ['Products, May 2026, draft'],
      [],
      ['SKU', 'Product name', 'Weight (g)'],
      ['TL-1', 'Bag', 300],
      ['', 'Sum', 300],
    ],
    stored: { 'TL-1': { productName: 'Bag', weightGrams: 300 } },
    refused: { 5: /The cell is empty/ },
  },
  {
    source: 'GTINs in every state',
    content: csv(
      ['sku', 'name', 'ean'],
      ['G-1', 'A', '4006381 330169'],
      ['G-2', 'B', `${ean(66)}.0`],
      ['G-3', 'C', '9.52E+12'],
      ['G-4', 'D', '4006381333930'],
      ['G-5', 'E', "'4006381331012"],
      ['G-6', 'F', '400638133393'],
      ['G-7', 'G', 'n/a'],
    ),
    stored: { 'G-1': { gtin: ean(16) }, 'G-2': { gtin: ean(66) }, 'G-5': { gtin: '4006381331012' } },
    refused: { 4: /shortened a long number/, 5: /check digit/, 7: /check digit|GTIN/, 8: /GTIN/ },
  },
  {
    source: 'thousands that fit both decimal marks',
    content: csv(['sku', 'name', 'Weight (g)'], ['T-1', 'Coat', '1,800'], ['T-2', 'Parka', '2,100']),
    asked: { mark: 'point' },
    stored: { 'T-1': { weightGrams: 1800 }, 'T-2': { weightGrams: 2100 } },
  },
  {
    source: 'blank lines, blanks and short rows',
    content: 'sku,name,Weight (g),\n\n , ,\nB-1, Hat ,120,\n\u00a0,,,\n"","  ",,\nB-2,Cap\n,,,\n',
    stored: {
      'B-1': { productName: 'Hat', weightGrams: 120 },
      'B-2': { productName: 'Cap', weightGrams: undefined },
    },
  },
  {
    source: 'French titles and countries as people write them',
    content: csv2(
      ['Référence', 'Désignation', 'Poids (kg)', "Pays d'origine"],
      ['FR-1', 'Pull', '0,4', 'Fabriqué en France'],
      ['FR-2', 'Robe', '0,5', 'Birmanie'],
      ['FR-3', 'Gilet', '0,5', 'N/A'],
      ['FR-4', 'Jupe', '0,5', 'XK'],
      ['FR-5', 'Veste', '0,5', 'PRC'],
    ),
    stored: {
      'FR-1': { weightGrams: 400, countryOfManufacture: 'FR' },
      'FR-2': { countryOfManufacture: 'MM' },
      'FR-5': { countryOfManufacture: 'CN' },
    },
    refused: { 4: /Is not a country/, 5: /no code for Kosovo/ },
  },
  {
    source: 'a workbook with percentages, dates and formulas in text',
    content: [
      ['sku', 'name', 'manufacturingDate', 'recycledContentPercentage'],
      ['F-1', 'Shirt', '17.05.2026', '35 %'],
      ['F-2', 'Shirt', '01/02/2026', '35'],
      ['F-3', '=A2&"x"', '2026-05', '35'],
      ['F-4', '#####', '2026-05', '35'],
    ],
    stored: { 'F-1': { manufacturingDate: '2026-05-17', recycledContentPercentage: 35 } },
    refused: { 3: /date/i, 4: /formula instead of its result/, 5: /too narrow/ },
  },
]
