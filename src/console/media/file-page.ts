/** One picture or document: what it is, where it is used, and its deletion. */
import { html } from 'ghtml'
import { isInStory } from '../../accounts/brand/story.ts'
import { stripDirectionMarks } from '../../i18n/direction-marks.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import {
  getMedia,
  type MediaFile,
  originalKey,
  requireMediaId,
  variantKey,
} from '../../media/files/media-file.ts'
import { VARIANT_TYPES, WIDTHS } from '../../media/files/prepared-file.ts'
import { deleteMedia } from '../../media/upkeep/delete-media.ts'
import { listPassportsUsing } from '../../media/uses/list-uses.ts'
import type { Draft } from '../../passports/drafts/draft.ts'
import { isNamedInDraft, listDraftsNaming } from '../../passports/drafts/named-in-drafts.ts'
import { findSummaries } from '../../passports/read/list.ts'
import { alertBox, backLink, copyable, facts, questionPage, rowList, section } from '../page/parts.ts'
import { DRAFTS, MEDIA, type Outcome, STORY, type Visit, type Words } from '../page/route.ts'
import { getFileUrl } from '../page/thumbnails.ts'
import { formatTitle, getProductUrl } from '../product-data/product.ts'
import { describeFile, formatBytes, renderPicture } from './parts.ts'
import { renderWithdrawalLink } from './withdrawal.ts'

const getRequestedFile = ({ ctx, id }: Visit): Promise<MediaFile> => getMedia(ctx, requireMediaId(id))

export const showFile = async (visit: Visit): Promise<Outcome> =>
  renderFilePage(visit, await getRequestedFile(visit))

const MAX_SHOWN_USES = 20

async function renderFilePage(visit: Visit, file: MediaFile, problem?: string): Promise<Outcome> {
  const { ctx, words, session } = visit
  const [passports, drafts, isInBlock, withdrawal] = await Promise.all([
    listPassportsUsing(ctx, file.id, MAX_SHOWN_USES + 1),
    listDraftsNaming(ctx, file.id, MAX_SHOWN_USES),
    isInStory(ctx, file.id),
    renderWithdrawalLink(visit, file),
  ])
  const texts = words.texts.media
  const title = describeFile(words, file)
  const at = getFileUrl(file.id)
  const alert = problem === undefined ? '' : alertBox(html`<p>${problem}</p>`)
  const shown =
    file.kind === 'picture'
      ? renderPicture(file, texts.preview)
      : html`<p class="choices"><a class="button second" href="${at}/file">${texts.download}</a></p>`
  const uses = passports.length === 0 ? '' : await renderUses(visit, passports)
  const inDrafts = drafts.length === 0 ? '' : await renderDrafts(visit, drafts)
  const { usedInBlock, edit } = words.texts.story
  const inBlock = isInBlock ? html`<p>${usedInBlock} <a href="${STORY}">${edit}</a></p>` : ''
  const kept = passports.length > 0 ? texts.inUse : drafts.length > 0 ? texts.inDraft : ''
  const remove =
    session.role === 'viewer' || (isInBlock && kept === '')
      ? ''
      : kept !== ''
        ? html`<p class="quiet after">${kept}</p>`
        : html`<p class="choices after"><a class="button second" href="${at}/delete">${texts.delete}</a></p>`
  const body = html`!${backLink(MEDIA, texts.title)}<h1>${title}</h1>!${alert}!${shown}
!${facts([
    [texts.size, formatBytes(words, file.bytes)],
    [texts.uploaded, words.minute(file.createdAt.toISOString())],
  ])}
!${copyable(words.texts, { name: 'file-id', label: texts.id, hint: texts.idHint, value: file.id, rows: 2 })}!${inBlock}!${uses}!${inDrafts}!${remove}!${passports.length > 0 || isInBlock ? withdrawal : ''}`
  return { title, body, styles: ['pictures'], scripts: ['copy'], status: problem === undefined ? 200 : 409 }
}

/** An archived product is listed, too; one that another transaction is deleting is not. */
async function renderUses({ ctx, words }: Visit, passports: readonly string[]): Promise<string> {
  const texts = words.texts.media
  const found = await findSummaries(ctx, passports.slice(0, MAX_SHOWN_USES))
  const rows = found.map(
    row =>
      html`<li><a class="row-link" href="${getProductUrl(row)}">${formatTitle(words, row.product_name, row)}</a></li>`,
  )
  const more =
    passports.length > MAX_SHOWN_USES
      ? html`<p class="quiet">${texts.moreUses({ shown: MAX_SHOWN_USES })}</p>`
      : ''
  return section('uses', texts.usedBy, html`!${rowList(rows)}!${more}`)
}

/** A draft that changes a product has the name of that product, unless it changes the name. */
async function renderDrafts({ ctx, words }: Visit, drafts: readonly Draft[]): Promise<string> {
  const products = await findSummaries(ctx, [...new Set(drafts.flatMap(one => one.product_id ?? []))])
  const rows = drafts.map(({ id, data, product_id: productId }) => {
    const known = products.find(one => one.id === productId)?.product_name ?? words.texts.page.unnamed
    const name = typeof data.productName === 'string' ? data.productName : known
    return html`<li><a class="row-link" href="${DRAFTS}/${idFromUuid(id)}">${stripDirectionMarks(name)}</a></li>`
  })
  return section('drafts', words.texts.media.usedByDrafts, rowList(rows))
}

export async function showDeleteFile(visit: Visit): Promise<Outcome> {
  const { words } = visit
  const file = await getRequestedFile(visit)
  const texts = words.texts.media
  const at = getFileUrl(file.id)
  const page = questionPage({
    title: texts.deleteQuestion,
    way: backLink(at, describeFile(words, file)),
    about: html`!${renderSmallPicture(words, file)}<p class="lead">${texts.deleteLead}</p>`,
    action: `${at}/delete`,
    submit: texts.delete,
    back: at,
    keep: texts.keep,
  })
  return { ...page, styles: ['pictures'] }
}

const renderSmallPicture = ({ texts }: Words, file: MediaFile): string =>
  file.kind === 'picture' ? renderPicture(file, texts.media.preview) : ''

export async function submitDeleteFile(visit: Visit): Promise<Outcome> {
  const { ctx, setup } = visit
  const file = await getRequestedFile(visit)
  try {
    await deleteMedia({ ...ctx, ...setup.media, isNamedInDraft }, file.id)
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'not_found' || error.code === 'unavailable')
      throw error
    const { inDraft, inUse } = visit.words.texts.media
    const { usedInBlock } = visit.words.texts.story
    if (await isInStory(ctx, file.id)) return renderFilePage(visit, file, usedInBlock)
    return renderFilePage(visit, file, (await isNamedInDraft(ctx, file.id)) ? inDraft : inUse)
  }
  return { to: `${MEDIA}?deleted=yes` }
}

type PictureWidth = (typeof WIDTHS)[number]

/** The names in the store begin with the account, so that nobody sees pictures of another one. */
const sendPicture =
  (width: PictureWidth) =>
  async ({ ctx, setup, id }: Visit): Promise<Outcome> => {
    const { mediaStore } = setup.media
    const fileId = requireMediaId(id)
    const content =
      (await mediaStore.read(variantKey(ctx.accountId, fileId, width, 'webp'))) ??
      (await mediaStore.read(variantKey(ctx.accountId, fileId, WIDTHS[0], 'webp')))
    if (content === undefined) throw notFound('picture')
    return { picture: { type: VARIANT_TYPES.webp, content } }
  }

export const sendSmallPicture = sendPicture(WIDTHS[0])
export const sendLargePicture = sendPicture(WIDTHS[1])

export async function sendDocument(visit: Visit): Promise<Outcome> {
  const file = await getRequestedFile(visit)
  const key = originalKey(visit.ctx.accountId, file.id)
  // A picture as it was sent may contain where it was taken.
  const content = file.kind === 'document' ? await visit.setup.media.mediaStore.read(key) : undefined
  if (content === undefined) throw notFound('document')
  return { file: { name: `${file.id.slice(0, 12)}.pdf`, type: file.type, content } }
}
