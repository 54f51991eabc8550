/**
 * Writes the back-up copy of an account: a folder that any static host serves, with everything the public may
 * see. Only what changed since the last run is written; a killed run is continued by the next.
 */

import { hash } from 'node:crypto'
import { atShard } from '../../accounts/account/account-shard.ts'
import { actAsOperator } from '../../accounts/account/accounts.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { exportAccount } from '../../accounts/account/export-rows.ts'
import { getBrand } from '../../accounts/brand/brand.ts'
import { findIssuer } from '../../accounts/issuer/issuer.ts'
import { findGtins } from '../../passports/copies/export-rows.ts'
import { DOCUMENT_FORMATS } from '../../passports/documents/formats.ts'
import { buildIssuerDocument, buildJwtIssuerMetadata } from '../../passports/documents/issuer-document.ts'
import { getSignatureEnd } from '../../passports/documents/sign-document.ts'
import { createManifest } from '../../passports/documents/sign-manifest.ts'
import { findPublicPassport } from '../../passports/read/find.ts'
import { listPassports } from '../../passports/read/list.ts'
import { getSettledTime, listChangedPassports } from '../../passports/read/list-changes.ts'
import { countAllPassports } from '../../passports/read/totals.ts'
import { forgetMessages } from '../../passports/signed/list-messages.ts'
import { getStaticPage, writeVocabulary } from '../static/passport-pages.ts'
import { withFolderLock } from '../static/resumable-export.ts'
import type { SafeFolder } from '../static/safe-folder.ts'
import { estimateMirror, type MirrorEstimate } from './estimate-mirror.ts'
import { openMirroredFiles, removeWithdrawnFiles } from './mirror-files.ts'
import { type MirrorFolder, type MirrorPass, openMirrorFolder } from './mirror-folder.ts'
import type { MirrorGroup } from './mirror-group.ts'
import { type MirroredRow, type MirrorSetup, mirrorPassport } from './mirror-passport.ts'
import { mirrorProofs, mirrorTokens } from './mirror-proofs.ts'
import { recordMirrorRun } from './mirror-runs.ts'
import { listRecalledPassports } from './recalled-passports.ts'

/** `version`: of Carnet, whose pages may differ from those of another version. */
export type AccountMirrorSetup = MirrorSetup & { version: string }

type MirrorOptions = {
  accountId: number
  dir: string
  /** Compare all passports, not only those that changed. */
  all: boolean
  /** Called before the first mirror of many passports is written. */
  onEstimate?: (estimate: MirrorEstimate) => void
  /** `total` is undefined unless this run compares all passports. `written`: by this run. */
  progress?: (
    passports: number,
    total: number | undefined,
    written: { written: number; bytes: number },
  ) => void
}

export type MirrorResult = {
  account: number
  dir: string
  /** Those that were compared with their files. */
  passports: number
  /** The number of versions, which were under no daily root in the run before. */
  proofs: number
  written: number
  removed: number
  bytes: number
  /** In the manifest. */
  files: number
  is_signed: boolean
  /** GS1 addresses that cannot be files, because their lot or serial contains a slash. */
  left_out: number
  /** Changes before this time are in the mirror. */
  mirrored_through: string
}

const PASSPORTS_PER_PAGE = 100
/** Passports between two writes of the state. */
const PASSPORTS_PER_SAVE = 10
const EVER = new Date(0).toISOString()
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Throws `validation` unless the folder is empty or its mirror, `unavailable` if it is being written. */
export const mirrorAccount = (setup: AccountMirrorSetup, options: MirrorOptions): Promise<MirrorResult> =>
  withFolderLock(options.dir, folder => run(setup, options, folder))

async function run(
  setup: AccountMirrorSetup,
  options: MirrorOptions,
  folder: SafeFolder,
): Promise<MirrorResult> {
  const { documents } = setup
  const { accountId, dir } = options
  const ctx: AccountContext = await actAsOperator({ sql: documents.sql, clock: documents.clock }, accountId)
  const owner = { account: accountId, public_url: documents.addresses.publicUrl }
  const mirror = await openMirrorFolder({ dir, folder }, owner)
  try {
    const isFirst = mirror.state.last === null && mirror.state.pass === null
    const estimate = isFirst && options.onEstimate && (await estimateMirror(setup, ctx, dir))
    if (estimate) options.onEstimate?.(estimate)
    const { pass, isNew } = await startPass(ctx, mirror, await describeSettings(setup, ctx), options.all)
    const isFull = pass.since === EVER
    const shared = await mirror.openShared({ keeps: !isFull || !isNew, reads: isFull })
    const done = await mirrorPassports(setup, ctx, { mirror, shared, pass, isFull, ...options })
    await removeWithdrawnFiles(ctx, mirror)
    const proofs = await mirrorProofs(documents, ctx, mirror)
    await writeShared(setup, ctx, shared)
    await shared.close()
    const files = mirror.listFiles()
    const manifest = await createManifest(documents, accountId, files)
    await mirror.finish(JSON.stringify(manifest), pass)
    await recordMirrorRun(ctx, { mirroredThrough: pass.settled, listedThroughUs: pass.after?.touchedUs ?? 0 })
    const { written, removed, bytes } = mirror.counts
    return {
      account: accountId,
      dir,
      ...done,
      proofs,
      written,
      removed,
      bytes,
      files: files.length,
      is_signed: 'proof' in manifest,
      mirrored_through: pass.settled,
    }
  } finally {
    await mirror.close()
  }
}

/** A hash of everything but passports that pages and documents depend on. The folder is public. */
async function describeSettings(
  { version, documents }: AccountMirrorSetup,
  ctx: AccountContext,
): Promise<string> {
  const { account } = await exportAccount(ctx.sql, ctx.accountId)
  // The signer of the brand is the issuer, with its encrypted key.
  const [{ signer: _, ...brand }, issuer] = await Promise.all([
    getBrand(ctx),
    findIssuer(ctx.sql, ctx.accountId),
  ])
  const formats = DOCUMENT_FORMATS.map(({ id }) => id)
  // In each period all documents are written again, with new signatures.
  const end = issuer?.isSigning ? getSignatureEnd(documents) : null
  const { nsUrl } = documents
  return hash('sha256', JSON.stringify({ version, nsUrl, formats, account, brand, issuer, end }), 'hex')
}

/** Continues the pass of a killed run, unless the settings have changed since. */
async function startPass(
  ctx: AccountContext,
  mirror: MirrorFolder,
  settings: string,
  all: boolean,
): Promise<{ pass: MirrorPass; isNew: boolean }> {
  const { state } = mirror
  const { last } = state
  if (state.pass?.settings === settings && (!all || state.pass.since === EVER))
    return { pass: state.pass, isNew: false }
  const settled = (await getSettledTime(ctx)).toISOString()
  const isFull = all || last === null || last.settings !== settings || state.pass !== null
  const pass: MirrorPass = { since: isFull ? EVER : last.settled, settled, settings, after: null }
  state.pass = pass
  if (isFull) state.proven_through = null
  await mirror.save()
  return { pass, isNew: true }
}

type PassInput = MirrorOptions & {
  mirror: MirrorFolder
  shared: MirrorGroup
  pass: MirrorPass
  isFull: boolean
}

async function mirrorPassports(
  setup: MirrorSetup,
  ctx: AccountContext,
  { mirror, shared, pass, isFull, progress }: PassInput,
): Promise<{ passports: number; left_out: number }> {
  let passports = 0
  let leftOut = 0
  // How far a killed run came is not known as a number.
  const total = isFull && pass.after === null ? await countAllPassports(ctx) : undefined
  const files = openMirroredFiles(mirror, isFull)
  const writeRows = async (rows: readonly MirroredRow[]) => {
    const linked = rows.map(({ id, model_id, lot, serial }) => ({ uuid: id, model: model_id, lot, serial }))
    const gtins = await findGtins(setup.documents.sql, ctx.accountId, linked)
    for (const row of rows) {
      const input = { row, gtins: gtins.get(row.id) ?? [], isFull, files }
      const { left_out, hasNewGtin } = await mirrorPassport(setup, mirror, shared, input)
      leftOut += left_out
      passports++
      progress?.(passports, total, mirror.counts)
      if (hasNewGtin && row.level !== 'i') await writeUnits(row)
    }
  }
  /** Addresses of units name the GTIN of their model, whose change does not touch them. */
  const writeUnits = async ({ id }: MirroredRow) => {
    const { shard } = (await findPublicPassport(setup.documents.sql, id)) ?? { shard: null }
    const at = atShard(ctx, shard ?? undefined)
    const window = { limit: PASSPORTS_PER_PAGE }
    for (let after = LAST_ID; ; ) {
      const { rows } = await listPassports(at, { levels: ['b', 'i'], parentId: id }, { ...window, after }, 0)
      await writeRows(rows)
      const last = rows.at(-1)
      if (last === undefined) return
      after = last.id
    }
  }
  const filter = { levels: ['m', 'b', 'i'] as const, since: new Date(pass.since) }
  for (;;) {
    const window = {
      limit: PASSPORTS_PER_PAGE,
      ...(pass.after === null ? { page: 1 } : { after: pass.after }),
    }
    const rows = (await listChangedPassports(ctx, filter, window)).slice(0, PASSPORTS_PER_PAGE)
    if (rows.length === 0) break
    for (let n = 0; n < rows.length; n += PASSPORTS_PER_SAVE) {
      const some = rows.slice(n, n + PASSPORTS_PER_SAVE)
      await writeRows(some)
      const last = some.at(-1)
      if (last !== undefined) pass.after = { touchedUs: last.touched_us, id: last.id }
      await mirror.save()
    }
  }
  // A run that was killed here lists the same ones again. A full pass has them all.
  if (!isFull) for await (const rows of listRecalledPassports(ctx, filter.since)) await writeRows(rows)
  return { passports, left_out: leftOut }
}

/** The vocabulary with its contexts, and the keys of the account with time stamps and status lists. */
async function writeShared(setup: MirrorSetup, ctx: AccountContext, shared: MirrorGroup): Promise<void> {
  const { sql, addresses } = setup.documents
  await writeVocabulary(setup, shared)
  const issuer = await findIssuer(sql, ctx.accountId)
  if (issuer === undefined) return
  const path = `issuers/${issuer.name}`
  const document = await buildIssuerDocument({ sql, addresses }, issuer.name)
  await shared.put({ path: `${path}/did.json`, body: JSON.stringify(document) })
  // With a path in PUBLIC_URL they belong above the folder.
  if (new URL(addresses.publicUrl).pathname === '/') {
    const metadata = await buildJwtIssuerMetadata({ sql, addresses }, issuer.name)
    await shared.put({ path: `.well-known/jwt-vc-issuer/${path}`, body: JSON.stringify(metadata) })
  }
  await mirrorTokens(ctx, shared, path)
  // The list has to say what the documents beside it say.
  forgetMessages(sql)
  for (let list = 1; ; list++) {
    const { status, body } = await setup.fetchPage(`/${path}/status/${list}`, '*/*')
    if (status !== 200) return
    await shared.put({ path: `${path}/status/${list}`, body })
    // Not at its own address, which is below that of a file.
    const token = await getStaticPage(setup, `/${path}/status/${list}/token`, '*/*')
    await shared.put({ path: `${path}/status/${list}.jwt`, body: token })
    const messages = await getStaticPage(setup, `/${path}/messages/${list}`, '*/*')
    await shared.put({ path: `${path}/messages/${list}`, body: messages })
  }
}
