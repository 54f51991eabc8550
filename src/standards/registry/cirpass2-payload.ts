/** The payload of the mock of the EU registry by CIRPASS-2, for `POST /metadata/v1`. */
import type { RegistryLine } from './registry-line.ts'

/** `2026-04-29`: as published. `parents`: a newer one, which asks for the identifiers of model and batch. */
export type Cirpass2Schema = '2026-04-29' | 'parents'

export type Cirpass2Payload = {
  upi: string
  reoId: string
  liveURL: string
  backupURL: string
  commodityCode: string
  facilitiesId: string[]
  granularityLevel: string
  /** On items alone. */
  deactivated?: boolean
  modelUpi?: string
  batchUpi?: string
}

/** `tooLong`: the members of the line that exceed what the registry takes. Never empty. */
export type Cirpass2Result = { payload: Cirpass2Payload } | { tooLong: string[] }

const MAX_PRODUCT_IDENTIFIER_LENGTH = 200
const MAX_OPERATOR_IDENTIFIER_LENGTH = 50

export function buildCirpass2Payload(line: RegistryLine, schema: Cirpass2Schema): Cirpass2Result {
  const { scheme, value } = line.operator.registryId
  const reoId = `${scheme.toUpperCase()}-${value}`
  const tooLong = [
    ...(line.uniqueProductIdentifier.length > MAX_PRODUCT_IDENTIFIER_LENGTH
      ? ['uniqueProductIdentifier']
      : []),
    ...(reoId.length > MAX_OPERATOR_IDENTIFIER_LENGTH ? ['operator.registryId'] : []),
  ]
  if (tooLong.length > 0) return { tooLong }
  return {
    payload: {
      upi: line.uniqueProductIdentifier,
      reoId,
      liveURL: line.liveUrl,
      backupURL: line.backupUrl,
      commodityCode: line.commodityCode,
      facilitiesId: line.facilities.map(facility => `${facility.scheme.toUpperCase()}-${facility.value}`),
      granularityLevel: line.granularity.toUpperCase(),
      ...(line.granularity === 'item' ? { deactivated: line.action === 'deactivate' } : {}),
      ...(schema === 'parents' ? buildParentIdentifiers(line) : {}),
    },
  }
}

function buildParentIdentifiers(line: RegistryLine): Pick<Cirpass2Payload, 'modelUpi' | 'batchUpi'> {
  const { modelUniqueProductIdentifier: modelUpi, batchUniqueProductIdentifier: batchUpi } = line
  return {
    ...(modelUpi === null ? {} : { modelUpi }),
    ...(batchUpi === null ? {} : { batchUpi }),
  }
}
