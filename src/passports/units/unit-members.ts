/** The members of a unit as it is sent: what the documentation says of each, and its check. */
import { isLotOrSerial, MAX_LOT_OR_SERIAL_LENGTH } from '../../gs1/lot-serial.ts'
import type { Detail } from '../../kernel/errors/errors.ts'
import { isLongerThan } from '../../kernel/values/characters.ts'
import { isObject } from '../../kernel/values/data-object.ts'

/** `findError` gets a value that is neither undefined nor null. */
type UnitMember = { schema: object; findError: (value: unknown) => Detail | undefined }

const LOT_OR_SERIAL = { type: ['string', 'null'], minLength: 1, maxLength: MAX_LOT_OR_SERIAL_LENGTH }

export const UNIT_MEMBERS = {
  lot: {
    schema: { ...LOT_OR_SERIAL, description: "Of a batch: 1 to 20 of GS1's 82 characters." },
    findError: value => findNameError('lot', value),
  },
  serial: {
    schema: { ...LOT_OR_SERIAL, description: 'For an item: 1 to 20 of the 82 characters that GS1 allows.' },
    findError: value => findNameError('serial', value),
  },
  data: {
    schema: {
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'The fields that this unit sets itself.',
    },
    findError: value =>
      isObject(value)
        ? undefined
        : describe('data', 'type', 'must be an object with the fields that this unit sets itself.'),
  },
} as const satisfies Record<string, UnitMember>

/** `message` continues after the name. */
const describe = (name: string, code: Detail['code'], message: string): Detail => ({
  path: [name],
  code,
  message: `${name} ${message}`,
})

function findNameError(name: 'lot' | 'serial', value: unknown): Detail | undefined {
  if (typeof value !== 'string') return describe(name, 'type', 'must be a string.')
  if (value.length < 1 || isLongerThan(value, MAX_LOT_OR_SERIAL_LENGTH))
    return describe(name, 'length', `must have 1 to ${MAX_LOT_OR_SERIAL_LENGTH} characters.`)
  if (isLotOrSerial(value)) return undefined
  const allowed = `letters, digits and !"%&'()*+,-./:;<=>?_`
  return describe(name, 'pattern', `may only have ${allowed} , and must not be . or ..`)
}
