/** The composition of a product with the country of each material, for UNTP 0.7.0. */
import { asObject, type DataObject, getOwn } from '../../kernel/values/data-object.ts'

type Composition = {
  field: string
  /** The member with the name of the material. */
  name: string
  /** The list that says more of each material. */
  details: string
}

const COMPOSITIONS: readonly Composition[] = [
  { field: 'fiberComposition', name: 'fiber', details: 'fiberDetails' },
  { field: 'materialComposition', name: 'material', details: 'materialDetails' },
]

/** Undefined unless the one country that each material comes from is known. */
export function buildMaterialProvenance(
  data: DataObject,
): { field: string; materials: DataObject[] } | undefined {
  for (const composition of COMPOSITIONS) {
    const entries = listEntries(data, composition.field)
    const materials = entries.flatMap(entry => buildMaterial(data, composition, entry))
    if (materials.length > 0 && materials.length === entries.length)
      return { field: composition.field, materials }
  }
  return undefined
}

function buildMaterial(data: DataObject, composition: Composition, entry: DataObject): DataObject[] {
  const name = getOwn(entry, composition.name)
  const percentage = getOwn(entry, 'percentage')
  if (typeof name !== 'string' || typeof percentage !== 'number') return []
  const countries = new Set(listCountries(data, composition, name))
  const [country] = countries
  if (countries.size !== 1 || country === undefined) return []
  return [{ name, originCountry: { countryCode: country }, massFraction: divideBy100(percentage) }]
}

/** Undefined stands for an entry that names no country. */
function listCountries(data: DataObject, { name, details }: Composition, material: string) {
  const named = listEntries(data, details).filter(entry => getOwn(entry, name) === material)
  const certified = asObject(getOwn(data, 'woodCertification'))
  const wood = [...listEntries(data, 'woodOrigins'), ...('country' in certified ? [certified] : [])]
  return [...named, ...(material === 'wood' ? wood : [])].map(entry => {
    const country = getOwn(entry, 'country')
    return typeof country === 'string' ? country : undefined
  })
}

function listEntries(data: DataObject, field: string): DataObject[] {
  const entries = getOwn(data, field)
  return Array.isArray(entries) ? entries.map(asObject) : []
}

/** Without the rounding errors of a binary division: 0.7 is 0.007. */
const divideBy100 = (percentage: number): number => Number((percentage / 100).toPrecision(15))
