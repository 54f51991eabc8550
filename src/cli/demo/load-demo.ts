/** Creates the demo's passports with the functions of the API. Existing passports stay as they are. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { LEVEL_LETTER } from '../../accounts/account/plans.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { addMedia, type MediaContext } from '../../media/upkeep/add-media.ts'
import type { MediaServices } from '../../media/upkeep/media-services.ts'
import { listPassports } from '../../passports/read/list.ts'
import { type CreatedUnit, issueUnits } from '../../passports/units/issue-units.ts'
import { refreshPassport } from '../../passports/units/refresh-job.ts'
import { createPassport } from '../../passports/write/create.ts'
import { updatePassport } from '../../passports/write/update.ts'
import { type DemoItem, type DemoPassport, findDemoPicture } from './demo-data.ts'

/** Ids in the order given. */
type LoadedDemo = { models: string[]; batches: string[]; items: string[] }

/**
 * Loads what is missing, also after an interrupted load. The units of a model come before its corrections.
 * Only units of models that this load has corrected are refreshed. Without `media`, the products have no
 * pictures. `onCreate` gets the data of each product before it is created.
 */
export async function loadDemoPassports(
  ctx: AccountContext,
  passports: readonly DemoPassport[],
  { media, onCreate }: { media?: MediaServices; onCreate?: (data: DemoPassport['data']) => void } = {},
): Promise<LoadedDemo> {
  const loaded: LoadedDemo = { models: [], batches: [], items: [] }
  for (const passport of passports) {
    let model = await findModel(ctx, passport)
    if (model === undefined) {
      onCreate?.(passport.data)
      model = await createModel(ctx, passport, media)
    }
    loaded.models.push(idFromUuid(model.uuid))
    await loadUnits(ctx, model.uuid, passport, loaded)
    const missing = (passport.corrections ?? []).slice(model.versionNo - 1)
    for (const { change_type: changeType, ...update } of missing) {
      const { uuid } = model
      await updatePassport(ctx, { uuid, ...update, changeType, strict: true, expects: () => true })
    }
    if (missing.length > 0 && !passport.leavesUnitsOutdated) await refreshPassport(ctx, model.uuid)
  }
  return loaded
}

type Model = { uuid: string; versionNo: number }

async function createModel(
  ctx: AccountContext,
  { category, data }: DemoPassport,
  media: MediaServices | undefined,
): Promise<Model> {
  const pictures = media === undefined ? [] : await storePicture({ ...ctx, ...media }, String(data.sku))
  const shown = pictures.length === 0 ? data : { ...data, pictures }
  const { passport } = await createPassport(ctx, { category, data: shown, strict: true })
  return { uuid: passport.id, versionNo: passport.version_no }
}

/** The product's list of pictures: one or none. */
async function storePicture(ctx: MediaContext, sku: string): Promise<object[]> {
  const picture = findDemoPicture(sku)
  if (picture === undefined) return []
  const { file } = await addMedia(ctx, { bytes: picture.bytes })
  return [{ media: file.id, alt: picture.alt }]
}

/** The oldest model with the passport's SKU. */
async function findModel(ctx: AccountContext, { data }: DemoPassport): Promise<Model | undefined> {
  const filter = { levels: ['m'], sku: String(data.sku) } as const
  const { rows } = await listPassports(ctx, filter, { limit: 100, page: 1 })
  const oldest = rows.at(-1)
  return oldest === undefined ? undefined : { uuid: oldest.id, versionNo: oldest.version_no }
}

async function loadUnits(
  ctx: AccountContext,
  modelUuid: string,
  { batches = [], items = [] }: DemoPassport,
  loaded: LoadedDemo,
): Promise<void> {
  const lots = batches.map(({ lot, data }) => ({ lot, data }))
  const uuids = await requireUnits(ctx, { parentUuid: modelUuid, level: 'batch', units: lots })
  loaded.batches.push(...uuids.map(idFromUuid))
  const addItems = async (parentUuid: string, units: readonly DemoItem[] = []) => {
    const found = await requireUnits(ctx, { parentUuid, level: 'item', units })
    loaded.items.push(...found.map(idFromUuid))
  }
  for (const [i, uuid] of uuids.entries()) await addItems(uuid, batches[i]?.items)
  await addItems(modelUuid, items)
}

type Unit = { lot?: string; serial?: string; data?: Record<string, unknown> | undefined }
type Wanted = { parentUuid: string; level: 'batch' | 'item'; units: readonly Unit[] }

/**
 * Issues missing units, if that is still possible. Returns the UUIDs in order. Throws when one is invalid.
 */
async function requireUnits(ctx: AccountContext, wanted: Wanted): Promise<string[]> {
  const found = await findUnits(ctx, wanted)
  const units = wanted.units.filter(unit => !found.has(getUnitName(unit)))
  if (units.length > 0) {
    for (const passport of await issue(ctx, { ...wanted, units }))
      found.set(getUnitName(passport), passport.id)
  }
  return wanted.units.flatMap(unit => found.get(getUnitName(unit)) ?? [])
}

/** The user of the demo may have archived the parent, used up the quota, or taken the lot or serial. */
async function issue(
  ctx: AccountContext,
  { parentUuid, level, units }: Wanted,
): Promise<CreatedUnit['passport'][]> {
  const sent = units.map(({ data, ...unit }) => (data === undefined ? unit : { ...unit, data }))
  try {
    const input = { parentUuid, level, units: sent, bulk: true, strict: true }
    const { created, errors } = await issueUnits(ctx, input)
    for (const { error } of errors) if (!isCausedByUser(error)) throw error
    return created.map(({ passport }) => passport)
  } catch (error) {
    if (error instanceof AppError && isCausedByUser(error)) return []
    throw error
  }
}

const isCausedByUser = ({ code, details = [] }: AppError) =>
  code === 'archived' ||
  code === 'plan_limit' ||
  details.some(detail => /^(lot|serial)_taken$/.test(detail.code))

const getUnitName = ({ lot, serial }: { lot?: string | null; serial?: string | null }) => serial ?? lot ?? ''

/** One by one, because many others may have been issued since. */
async function findUnits(
  ctx: AccountContext,
  { parentUuid, level, units }: Wanted,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const levels = [LEVEL_LETTER[level]]
  for (const { lot, serial } of units) {
    const filter = { levels, parentId: parentUuid, lot, serial }
    const { rows } = await listPassports(ctx, filter, { limit: 1, page: 1 })
    for (const row of rows) found.set(getUnitName(row), row.id)
  }
  return found
}
