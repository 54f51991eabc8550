/** The page of the EU registry: where passports are, what they lack, lines to download, answers to upload. */
import { Readable } from 'node:stream'
import {
  findBackupUrlError,
  parseBackupUrl,
  setBackupUrl,
  setRegistryUse,
} from '../../accounts/account/registry-settings.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { tryReadJson } from '../../kernel/text/strict-json.ts'
import { LINE_STATES } from '../../passports/registry/entry.ts'
import { exportRegistryLines } from '../../passports/registry/export-lines.ts'
import { MAX_RESULTS, type ResultReport, reportResults } from '../../passports/registry/parse-results.ts'
import { storeRegistryResults } from '../../passports/registry/store-results.ts'
import { type Outcome, REGISTRY, type Visit } from '../page/route.ts'
import { CONSOLE_FORMATS, renderRegistry } from './page.ts'

export const showRegistry = (visit: Visit): Promise<Outcome> => renderRegistry(visit, {})

export async function submitDownload({ ctx, setup, form }: Visit): Promise<Outcome> {
  const state = LINE_STATES.find(one => one === form.text('state')) ?? 'ready'
  const format = CONSOLE_FORMATS.find(one => one === form.text('format')) ?? 'jsonl'
  const content = Readable.from(exportRegistryLines(setup, ctx, { state, format, marks: true }), {
    highWaterMark: 1,
  })
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson'
  const day = setup.clock.now().toISOString().slice(0, 10)
  return { file: { name: `registry-${state}-${day}.${format}`, type, content } }
}

export async function submitResults(visit: Visit): Promise<Outcome> {
  const { ctx, uploads, words } = visit
  const texts = words.texts.registry
  const upload = uploads.get('results')
  if (upload === undefined) return renderRegistry(visit, { problems: { results: texts.fileMissing } })
  const { bytes, size } = upload
  if (size > bytes.length) {
    const results = texts.fileLarge({ size, most: bytes.length })
    return renderRegistry(visit, { problems: { results } })
  }
  let report: ResultReport
  try {
    const sent = tryReadJson(bytes.toString())
    report = await reportResults(sent, rows => storeRegistryResults(ctx, rows))
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'validation')) throw error
    return renderRegistry(visit, { problems: { results: texts.fileFormat({ most: MAX_RESULTS }) } })
  }
  return renderRegistry(visit, { report })
}

export async function submitSwitch({ ctx, form }: Visit): Promise<Outcome> {
  const to = form.text('to')
  if (to !== 'on' && to !== 'off') return { to: REGISTRY }
  await setRegistryUse(ctx, to === 'on')
  return { to: `${REGISTRY}?done=${to}` }
}

export async function submitCopies(visit: Visit): Promise<Outcome> {
  const { ctx, setup, form, words } = visit
  const { publicUrl } = setup.addresses
  const typed = form.text('copies')
  const error = typed === '' ? undefined : findBackupUrlError(typed, publicUrl)
  if (error !== undefined) {
    const problems = { copies: words.texts.registry.errors[error.name] }
    return renderRegistry(visit, { problems, copies: typed })
  }
  await setBackupUrl(ctx, typed === '' ? null : parseBackupUrl(typed, publicUrl))
  return { to: `${REGISTRY}?done=copies` }
}
