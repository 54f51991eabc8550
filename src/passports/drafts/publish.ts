/** Publishes a draft: creates the product, or changes it, and deletes the draft in the same transaction. */
import { atHome } from '../../accounts/account/account-shard.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { recordPublication } from '../core/publication.ts'
import type { PassportRow } from '../core/record.ts'
import { atPassport } from '../read/find.ts'
import { createPassport, previewCreate, type WrittenPassport } from '../write/create.ts'
import { previewUpdate } from '../write/preview-update.ts'
import { type PassportChange, updatePassport } from '../write/update.ts'
import type { Draft } from './draft.ts'
import { deleteDraft, getDraft } from './store-drafts.ts'

type PublishOptions = {
  strict: boolean
  /** Checks `If-Match` of a change. */
  expects: (current: PassportRow) => boolean
}

export type PublishedDraft = WrittenPassport & { isNew: boolean }

/**
 * If two requests come at once, the second throws `not_found`. Throws what `createPassport` or
 * `updatePassport` throws; then the draft stays.
 */
export const publishDraft = (
  ctx: AccountContext,
  id: string,
  options: PublishOptions,
): Promise<PublishedDraft> =>
  withTransaction(atHome(ctx), async tx => {
    const draft = await deleteDraft(tx, id)
    if (draft.product_id === null) {
      const written = await createPassport(tx, toNewPassport(draft, options))
      await recordPublication(await atPassport(tx, draft.id), written.passport)
      return { ...written, isNew: true }
    }
    const at = await atPassport(tx, draft.product_id)
    return { ...(await updatePassport(at, toChange(draft, draft.product_id, options))), isNew: false }
  })

/** Like `publishDraft`, but writes nothing. */
export async function previewPublish(
  ctx: AccountContext,
  id: string,
  options: PublishOptions,
): Promise<PublishedDraft> {
  const draft = await getDraft(ctx, id)
  if (draft.product_id === null)
    return { ...(await previewCreate(ctx, toNewPassport(draft, options))), isNew: true }
  const at = await atPassport(ctx, draft.product_id)
  const { reach: _, ...written } = await previewUpdate(at, toChange(draft, draft.product_id, options))
  return { ...written, isNew: false }
}

const toNewPassport = ({ id, category, data }: Draft, { strict }: PublishOptions) => ({
  id,
  category,
  data,
  strict,
})

const toChange = (draft: Draft, uuid: string, { strict, expects }: PublishOptions): PassportChange => ({
  uuid,
  data: draft.data,
  changeType: draft.change_type ?? 'change',
  note: draft.note ?? undefined,
  strict,
  expects,
})
