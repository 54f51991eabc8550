/** A passport as an environment of the Asset Administration Shell: one shell and its submodels. */
import type { DataObject } from '../../kernel/values/data-object.ts'
import { findDataText, getProductIdentifier } from '../identifiers.ts'
import type { Publisher, UndatedReading } from '../reading.ts'
import { refer } from './elements.ts'
import { ASSET_ID, ASSET_KIND, MODEL_TYPE } from './names.ts'
import { buildSubmodels } from './submodels.ts'

export function buildAasEnvironment(reading: UndatedReading, publisher: Publisher): DataObject {
  const submodels = buildSubmodels(reading, publisher)
  const specificAssetIds = listAssetIds(reading)
  return {
    assetAdministrationShells: [
      {
        modelType: MODEL_TYPE.shell,
        id: `${reading.url}/aas`,
        idShort: 'Passport',
        assetInformation: {
          assetKind: ASSET_KIND[reading.level],
          globalAssetId: getProductIdentifier(reading),
          ...(specificAssetIds.length === 0 ? {} : { specificAssetIds }),
        },
        submodels: submodels.map(({ id }) => ({
          type: 'ModelReference',
          keys: [{ type: MODEL_TYPE.submodel, value: id }],
        })),
      },
    ],
    submodels,
  }
}

/** The environment as a JSON document. */
export const renderAasEnvironment = (reading: UndatedReading, publisher: Publisher): string =>
  `${JSON.stringify(buildAasEnvironment(reading, publisher), null, 2)}\n`

/** One of the submodels as a JSON document; undefined if this passport does not have it. */
export function renderSubmodel(
  reading: UndatedReading,
  publisher: Publisher,
  idShort: string,
): string | undefined {
  const submodel = buildSubmodels(reading, publisher).find(one => one.idShort === idShort)
  return submodel && `${JSON.stringify(submodel, null, 2)}\n`
}

function listAssetIds(reading: UndatedReading): DataObject[] {
  const { gtin, lot, serial } = reading
  const ids = { gtin, lot, serial, sku: findDataText(reading, 'sku') ?? null }
  return (['gtin', 'lot', 'serial', 'sku'] as const).flatMap(kind => {
    const value = ids[kind]
    const { name, semanticId } = ASSET_ID[kind]
    if (value === null) return []
    // A number that is not unique is no GTIN of the vocabulary of GS1.
    return kind === 'gtin' && reading.gs1Url === null
      ? [{ name, value }]
      : [{ name, value, semanticId: refer(semanticId) }]
  })
}
