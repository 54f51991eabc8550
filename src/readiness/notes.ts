/** Advice about values that contradict each other. Never a refusal. */
import { asObject, type DataObject, getOwn } from '../kernel/values/data-object.ts'

/** `field`: a top-level field. */
export type Note = { code: NoteCode; field: string; message: string }
type NoteCode = 'sum_not_100' | 'sum_differs' | 'not_listed' | 'order'

/** Sums of shares may differ by rounding. */
const TOLERANCE = 0.05

export function listNotes(data: DataObject): Note[] {
  return [
    ...noteComponentSums(data, 'detailedComposition'),
    ...noteComponentSums(data, 'componentComposition'),
    ...noteRecycledShares(data),
    ...noteVoltages(data),
    ...noteUnlisted(data, 'fiberDetails', 'fiber', 'fiberComposition'),
    ...noteUnlisted(data, 'materialDetails', 'material', 'materialComposition'),
    ...noteRecycledSources(data),
  ]
}

const readEntries = (data: DataObject, field: string): DataObject[] => {
  const list = getOwn(data, field)
  return Array.isArray(list) ? list.map(asObject) : []
}

const readNumber = (data: DataObject, name: string): number | undefined => {
  const value = getOwn(data, name)
  return typeof value === 'number' ? value : undefined
}

const isEqual = (a: number, b: number) => Math.abs(a - b) <= TOLERANCE
/** Without the digits that only binary fractions have: 0.1 + 0.2 is 0.3. */
const format = (value: number) => String(Number(value.toFixed(3)))

/** The shares of each component add up to 100, where every entry of it has one. */
function noteComponentSums(data: DataObject, field: string): Note[] {
  const components = Map.groupBy(readEntries(data, field), entry => String(getOwn(entry, 'component')))
  return Array.from(components).flatMap(([component, entries]): Note[] => {
    const shares = entries.map(entry => readNumber(entry, 'percentage'))
    if (!shares.every(share => share !== undefined)) return []
    const sum = shares.reduce((total, share) => total + share, 0)
    if (isEqual(sum, 100)) return []
    const message = `The shares of ${component} in ${field} add up to ${format(sum)}, not to 100.`
    return [{ code: 'sum_not_100', field, message }]
  })
}

function noteRecycledShares(data: DataObject): Note[] {
  const field = 'recycledContentDetails'
  const shares = new Map(
    readEntries(data, 'recycledContent').map(entry => [
      getOwn(entry, 'material'),
      readNumber(entry, 'percentage'),
    ]),
  )
  return readEntries(data, field).flatMap((entry): Note[] => {
    const whole = shares.get(getOwn(entry, 'material'))
    const before = readNumber(entry, 'preConsumerPercentage')
    const after = readNumber(entry, 'postConsumerPercentage')
    if (whole === undefined || before === undefined || after === undefined) return []
    if (isEqual(before + after, whole)) return []
    const material = String(getOwn(entry, 'material'))
    const message = `The recycled shares of ${material} in ${field} add up to ${format(before + after)}, but recycledContent says ${format(whole)}.`
    return [{ code: 'sum_differs', field, message }]
  })
}

function noteVoltages(data: DataObject): Note[] {
  const [low, nominal, high] = ['minimumVoltage', 'nominalVoltage', 'maximumVoltage'].map(name =>
    readNumber(data, name),
  )
  const known = [low, nominal, high].filter(value => value !== undefined)
  const isSorted = known.every((value, i) => i === 0 || value > (known[i - 1] ?? value))
  if (isSorted) return []
  const message = 'minimumVoltage, nominalVoltage and maximumVoltage must grow in this order.'
  return [{ code: 'order', field: low === undefined ? 'maximumVoltage' : 'minimumVoltage', message }]
}

/** Each name of a list of details is in the list that it gives details of. */
function noteUnlisted(data: DataObject, field: string, member: string, list: string): Note[] {
  const listed = new Set(readEntries(data, list).map(entry => getOwn(entry, member)))
  const unlisted = readEntries(data, field)
    .map(entry => getOwn(entry, member))
    .filter(name => typeof name === 'string' && !listed.has(name))
  return [...new Set(unlisted)].map(name => ({
    code: 'not_listed',
    field,
    message: `${field} names ${name}, which is not in ${list}.`,
  }))
}

function noteRecycledSources(data: DataObject): Note[] {
  const field = 'recycledContentBreakdown'
  const shares = readEntries(data, field).map(entry => readNumber(entry, 'percentage') ?? 0)
  const whole = readNumber(data, 'recycledContentPercentage')
  const sum = shares.reduce((total, share) => total + share, 0)
  if (shares.length === 0 || whole === undefined || isEqual(sum, whole)) return []
  const message = `The shares in ${field} add up to ${format(sum)}, but recycledContentPercentage says ${format(whole)}.`
  return [{ code: 'sum_differs', field, message }]
}
