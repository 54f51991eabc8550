/** The pictures and documents of an account: a grid to look at, and the form that adds files. */
import { html } from 'ghtml'
import { findStory } from '../../accounts/brand/story.ts'
import { getMediaQuota } from '../../accounts/limits/media-quota.ts'
import { MEDIA_KINDS, type MediaFile, type MediaKind } from '../../media/files/media-file.ts'
import { getMediaUsage, listMedia, type MediaCursor } from '../../media/upkeep/list-media.ts'
import { countUses } from '../../media/uses/list-uses.ts'
import type { DocumentNames } from '../../passports/drafts/document-names.ts'
import { findNamedInDrafts } from '../../passports/drafts/named-in-drafts.ts'
import { alertBox, doneNotice, renderOptions, renderTick, section } from '../page/parts.ts'
import { MEDIA, type Outcome, type Visit, type Words } from '../page/route.ts'
import { getFileUrl, renderFilePicture } from '../page/thumbnails.ts'
import {
  findNamesOf,
  formatBytes,
  formatFileCursor,
  parseFileCursor,
  renderFileInputs,
  renderFileName,
} from './parts.ts'
import { type ReceivedFile, receiveFiles, renderFailedFiles } from './receive-files.ts'

const PAGE_SIZE = 24
/** CSS pixels. */
const SIDE = 160

export const showLibrary = (visit: Visit): Promise<Outcome> => renderLibrary(visit, [])

async function renderLibrary(
  visit: Visit,
  sent: readonly ReceivedFile[],
  problem?: string,
): Promise<Outcome> {
  const { ctx, words, session, query } = visit
  const texts = words.texts.media
  const view = parseView(query)
  const [found, used, quota] = await Promise.all([
    listMedia(ctx, { ...view, limit: PAGE_SIZE + 1 }),
    getMediaUsage(ctx),
    getMediaQuota(ctx),
  ])
  const files = found.slice(0, PAGE_SIZE)
  const ids = files.map(({ id }) => id)
  const uses = await countUses(ctx, ids)
  const unused = ids.filter(id => !uses.has(id))
  const drafted = await findNamedInDrafts(ctx, unused)
  const names = await findNamesOf(ctx, files)
  const inBlock = (await findStory(ctx))?.picture?.media
  const failed = sent.some(one => 'problem' in one) || problem !== undefined
  const body = html`<h1>${texts.title}</h1><p class="lead">${texts.lead}</p>!${renderNotice(words, query)}!${problem === undefined ? renderFailedFiles(words, sent) : alertBox(html`<p>${problem}</p>`)}
!${session.role === 'viewer' ? '' : renderUploadForm(words)}
!${section('all-files', texts.all, html`!${renderFilter(words, view)}!${renderGrid(words, files, { view, uses, drafted, inBlock, names })}!${renderPages(words, view, found)}`)}
!${section('usage', texts.usage, renderUsage(words, used, quota))}`
  return {
    title: texts.title,
    body,
    status: failed ? 422 : 200,
    isWide: true,
    styles: ['pictures'],
    scripts: session.role === 'viewer' ? [] : ['uploads'],
  }
}

type LibraryView = { kind: MediaKind | undefined; unused: boolean; after: MediaCursor | undefined }

/** Ignores invalid values, because people edit URLs. */
function parseView(query: URLSearchParams): LibraryView {
  return {
    kind: MEDIA_KINDS.find(one => one === query.get('kind')),
    unused: query.get('unused') === 'yes',
    after: parseFileCursor(query.get('after') ?? ''),
  }
}

function getLibraryUrl({ kind, unused, after }: LibraryView): string {
  const sent = new URLSearchParams({
    ...(kind === undefined ? {} : { kind }),
    ...(unused ? { unused: 'yes' } : {}),
    ...(after === undefined ? {} : { after: formatFileCursor(after) }),
  })
  return sent.size === 0 ? MEDIA : `${MEDIA}?${sent}`
}

function renderNotice({ texts }: Words, query: URLSearchParams): string {
  if (query.has('deleted')) return doneNotice(texts.media.deleted)
  const added = /^[1-9]\d{0,2}$/.exec(query.get('added') ?? '')?.[0]
  return added === undefined ? '' : doneNotice(texts.media.addedMany({ count: Number(added) }))
}

const renderUploadForm = (words: Words): string =>
  section(
    'upload',
    words.texts.media.upload,
    html`
<form method="post" action="${MEDIA}" enctype="multipart/form-data" class="data">!${renderFileInputs(words)}<button class="without-script">${words.texts.media.uploadSubmit}</button></form>`,
  )

function renderFilter({ texts }: Words, { kind, unused }: LibraryView): string {
  const options = [
    ['', texts.media.kinds.all] as const,
    ...MEDIA_KINDS.map(one => [one, texts.media.kinds[one]] as const),
  ]
  return html`<form method="get" action="${MEDIA}" class="filters"><div class="field"><label for="kind">${texts.media.kind}</label><select id="kind" name="kind">!${renderOptions(options, kind)}</select></div>!${renderTick('unused', texts.media.onlyUnused, { value: 'yes', isOn: unused })}
<button class="second">${texts.products.show}</button></form>`
}

/** `drafted`: files that only a draft names. `inBlock`: the picture of the block “From the brand”. */
type GridOptions = {
  view: LibraryView
  uses: ReadonlyMap<string, number>
  drafted: ReadonlySet<string>
  inBlock: string | undefined
  names: DocumentNames
}

function renderGrid(words: Words, files: readonly MediaFile[], options: GridOptions): string {
  const texts = words.texts.media
  if (files.length === 0) {
    const isPlain = getLibraryUrl(options.view) === MEDIA
    return html`<p class="empty">${isPlain ? texts.none : texts.noneFound}</p>`
  }
  return html`<ul class="files">!${files.map(file => renderCard(words, file, options))}</ul>`
}

function renderCard(words: Words, file: MediaFile, options: GridOptions): string {
  const texts = words.texts.media
  const state = file.status === 'ready' ? '' : html` <span class="badge">${texts.processing}</span>`
  return html`<li><a href="${getFileUrl(file.id)}">!${renderFilePicture(file, SIDE)}<span class="line">!${renderFileName(words, file, options.names)}</span></a>
<span class="quiet line">${formatBytes(words, file.bytes)}, ${words.date(file.createdAt.toISOString())}!${state}</span><span class="quiet line">${describeUses(words, file, options)}</span></li>`
}

function describeUses({ texts }: Words, { id }: MediaFile, { uses, drafted, inBlock }: GridOptions): string {
  const count = uses.get(id)
  const found = [
    ...(count === undefined ? [] : [texts.media.uses({ count })]),
    ...(id === inBlock ? [texts.story.usedShort] : []),
  ]
  if (found.length > 0) return found.join(' · ')
  return drafted.has(id) ? texts.media.onlyDraft : texts.media.unused
}

function renderPages({ texts }: Words, view: LibraryView, found: readonly MediaFile[]): string {
  const last = found.length > PAGE_SIZE ? found[PAGE_SIZE - 1] : undefined
  if (last === undefined && view.after === undefined) return ''
  const link = (after: MediaCursor | undefined, text: string, rel: string) =>
    html`<a class="alone" rel="${rel}" href="${getLibraryUrl({ ...view, after })}">${text}</a>`
  return html`<nav class="pages" aria-label="${texts.products.pages}">!${view.after === undefined ? '' : link(undefined, texts.products.newestPage, 'first')}!${last === undefined ? '' : link(last, texts.products.later, 'next')}</nav>`
}

type Usage = { files: number; bytes: number }

function renderUsage(words: Words, used: Usage, quota: { [K in keyof Usage]: number | null }): string {
  const texts = words.texts.media
  const row = (name: keyof Usage, show: (value: number) => string) => {
    const most = quota[name]
    const label = html`<dt id="bar-${name}">${texts.used[name]}</dt>`
    if (most === null)
      return html`<div>!${label}<dd class="amount">${texts.unlimited({ used: show(used[name]) })}</dd></div>`
    return html`<div>!${label}<dd class="amount">${words.texts.home.quotaOf({ used: show(used[name]), quota: show(most) })}</dd>
<dd class="bar"><meter aria-labelledby="bar-${name}" min="0" max="${Math.max(1, most)}" value="${Math.min(used[name], most)}"></meter></dd></div>`
  }
  return html`<dl class="bars space">!${row('files', words.number)}!${row('bytes', value => formatBytes(words, value))}</dl>`
}

/** Our own module gets what became of each file as JSON; a form gets the library. */
export async function submitFiles(visit: Visit): Promise<Outcome> {
  const { files } = await receiveFiles(visit)
  if (!visit.wantsHtml && files.length > 0) {
    const data = files.map(one =>
      'problem' in one
        ? { name: one.name, problem: one.problem }
        : { name: one.name, id: one.added.file.id, kind: one.added.file.kind, isNew: one.added.isNew },
    )
    return { data: { files: data }, status: files.some(one => 'problem' in one) ? 422 : 200 }
  }
  if (files.length === 0) return renderLibrary(visit, [], visit.words.texts.media.problems.noFile)
  if (files.some(one => 'problem' in one)) return renderLibrary(visit, files)
  return { to: `${MEDIA}?added=${files.length}` }
}
