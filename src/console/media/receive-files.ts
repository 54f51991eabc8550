/** Stores the files of a form, one after another, so that only one of them is in memory. */
import type { BusboyFileStream } from '@fastify/busboy'
import { html } from 'ghtml'
import { AppError } from '../../kernel/errors/errors.ts'
import { readMultipartForm } from '../../kernel/http/multipart.ts'
import { joinChunks } from '../../kernel/values/join-chunks.ts'
import { MAX_MEDIA_BYTES } from '../../media/files/prepared-file.ts'
import { type AddedMedia, addMedia } from '../../media/upkeep/add-media.ts'
import { type PostedForm, readForm } from '../page/form.ts'
import { alertBox } from '../page/parts.ts'
import type { Visit, Words } from '../page/route.ts'
import { explainFileProblem, explainTooLarge, MAX_FILES } from './file-problems.ts'

/** More files are read, so that each gets its message. */
const LIMITS = {
  files: 200,
  fields: 2_000,
  parts: 2_200,
  fieldSize: 8_192,
  headerPairs: 20,
  headerSize: 4_096,
}
const MAX_FORM_BYTES = (MAX_FILES + 5) * MAX_MEDIA_BYTES

/** `name`: of the file on the sender's device. */
export type ReceivedFile = { name: string } & ({ added: AddedMedia } | { problem: string })

/** Throws `bad_request` if the form is broken or too large. A file that cannot be stored has its problem. */
export async function receiveFiles(visit: Visit): Promise<{ form: PostedForm; files: ReceivedFile[] }> {
  const { upload } = visit
  if (upload === undefined) return { form: visit.form, files: [] }
  const files: ReceivedFile[] = []
  let earlier: Promise<void> = Promise.resolve()
  const body = { body: upload.stream, type: upload.type, limits: LIMITS, maxBytes: MAX_FORM_BYTES }
  const fields = await readMultipartForm(body, (_, stream, name) => {
    // The parser waits for a stream that nobody reads yet.
    earlier = earlier.then(async () => {
      const bytes = await readBytes(stream)
      // A form without a chosen file sends an empty one without a name.
      if (bytes?.length === 0 && name === '') return
      files.push({ name, ...(await storeFile(visit, bytes, files.length)) })
    })
    // Thrown below, after the form has ended.
    earlier.catch(() => undefined)
  })
  await earlier
  return { form: readForm(fields), files }
}

/** Undefined for a file that is too large. */
async function readBytes(stream: BusboyFileStream): Promise<Buffer | undefined> {
  let chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size <= MAX_MEDIA_BYTES) chunks.push(chunk)
    else chunks = []
  }
  return size > MAX_MEDIA_BYTES ? undefined : joinChunks(chunks, size)
}

async function storeFile(
  { ctx, setup, words }: Visit,
  bytes: Buffer | undefined,
  place: number,
): Promise<{ added: AddedMedia } | { problem: string }> {
  if (place >= MAX_FILES) return { problem: words.texts.media.problems.tooMany({ most: MAX_FILES }) }
  if (bytes === undefined) return { problem: explainTooLarge(words) }
  try {
    return { added: await addMedia({ ...ctx, ...setup.media }, { bytes }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { problem: explainFileProblem(words, error, bytes) }
  }
}

/** Each file that was not stored, with its reason; '' if all were. */
export function renderFailedFiles({ texts }: Words, sent: readonly ReceivedFile[]): string {
  const failed = sent.flatMap(one => ('problem' in one ? [one] : []))
  if (failed.length === 0) return ''
  const lines = failed.map(one => html`<li><strong>${one.name}</strong>: ${one.problem}</li>`)
  const added = sent.length - failed.length
  const rest = added === 0 ? '' : html`<p>${texts.media.othersAdded({ count: added })}</p>`
  return alertBox(html`<p>${texts.media.notAdded({ count: failed.length })}</p><ul>!${lines}</ul>!${rest}`)
}
