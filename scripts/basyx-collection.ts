/**
 * Adapts the Postman collection of Eclipse BaSyx for EN 18222 to this service, for newman: bodies become
 * documents of ours, made from a product of the account, and writes get the API key. Its assertions stay.
 *
 *     node scripts/basyx-collection.ts COLLECTION.json PUBLIC_URL API_KEY > adapted.json
 */
import { readFileSync } from 'node:fs'

type Item = {
  name: string
  item?: Item[]
  request?: {
    method: string
    header: { key: string; value: string }[]
    body?: { mode: string; raw: string }
  }
}
type Collection = { item: Item[]; variable: { key: string; value: string }[] }

const [path = '', publicUrl = '', key = ''] = process.argv.slice(2)
if (key === '') throw new Error('usage: basyx-collection.ts COLLECTION.json PUBLIC_URL API_KEY')
const headers = { authorization: `Bearer ${key}` }

// biome-ignore lint/suspicious/noExplicitAny: answers of two addresses, of which a few members are used
async function read(url: string): Promise<any> {
  const response = await fetch(`${publicUrl}${url}`, { headers })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return response.json()
}

/** A GTIN that nobody has: of the range for examples (952), with its check digit. */
function buildGtin(): string {
  const digits = `952${String(Date.now()).slice(-9)}`
  const sum = Array.from(digits, (digit, i) => Number(digit) * (i % 2 === 0 ? 1 : 3)).reduce((a, b) => a + b)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

const { data: products } = await read('/api/v1/products?category=battery&limit=1')
const { proof: _, passportRecord, ...document } = await read(`/dpp/v1/dpps/${products[0].id}`)
const gtin = buildGtin()
const dppId = `https://passports.example/basyx/${gtin}`
const productId = `https://id.gs1.org/01/0${gtin}`
const complianceDocuments = [
  {
    contentType: 'application/pdf',
    url: 'https://docs.example/study.pdf',
    resourceTitle: 'study',
    type: 'study',
  },
]
const created = {
  ...document,
  digitalProductPassportId: dppId,
  uniqueProductIdentifier: productId,
  granularity: 'Model',
  dppStatus: 'Active',
  gtin,
  sku: `BASYX-${gtin}`,
  passportRecord: { category: passportRecord.category },
  complianceDocuments,
}

const BODIES: Readonly<Record<string, unknown>> = {
  'Create DPP': created,
  'Patch DPP': { productName: 'Changed by the collection' },
  'Update Data Element - Scalar': 'Changed by its element',
  'Update Data Element - Collection': [...complianceDocuments, ...complianceDocuments],
}
const VARIABLES: Readonly<Record<string, string>> = {
  dppId,
  productId,
  elementIdPath: "$['complianceDocuments']",
  nameplateManufacturerPath: "$['productName']",
  carbonFootprintPath: "$['complianceDocuments']",
}

function adapt({ name, item = [], request }: Item): void {
  for (const one of item) adapt(one)
  if (request === undefined) return
  if (request.method !== 'GET') request.header.push({ key: 'Authorization', value: `Bearer ${key}` })
  if (name in BODIES && request.body !== undefined) request.body.raw = JSON.stringify(BODIES[name])
}

const collection: Collection = JSON.parse(readFileSync(path, 'utf8'))
for (const one of collection.item) adapt(one)
collection.variable = [
  ...collection.variable.filter(one => !(one.key in VARIABLES)),
  ...Object.entries(VARIABLES).map(([name, value]) => ({ key: name, value })),
]
console.log(JSON.stringify(collection))
