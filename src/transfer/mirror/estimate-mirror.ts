/** Measures some passports of an account before its first mirror is written: time, room and files of all. */
import { readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccountContext } from '../../accounts/account/context.ts'
import { findGtins } from '../../passports/copies/export-rows.ts'
import { MIRROR_PATHS } from '../../passports/documents/sign-manifest.ts'
import { samplePassports } from '../../passports/read/sample.ts'
import { countAllPassports } from '../../passports/read/totals.ts'
import { openSafeFolder } from '../static/safe-folder.ts'
import { openMirroredFiles } from './mirror-files.ts'
import { openMirrorFolder } from './mirror-folder.ts'
import { type MirroredRow, type MirrorSetup, mirrorPassport } from './mirror-passport.ts'

/** For all passports. `files` and `freeFiles` count folders, too: both take an inode. */
export type MirrorEstimate = {
  passports: number
  ms: number
  bytes: number
  files: number
  freeBytes: number
  /** Undefined for a disk that does not limit them. */
  freeFiles: number | undefined
}

const SAMPLE = 20
/** The first ones load code. */
const WARM_UP = 2
/** With fewer the run itself is as quick. */
const MIN_PASSPORTS = 10 * SAMPLE
const BLOCK_BYTES = 512

/**
 * Writes a sample into the folder of the mirror's state and deletes it. Undefined for few passports. Files
 * that passports share count for each passport of the sample that alone shows them: the room may be less.
 */
export async function estimateMirror(
  setup: MirrorSetup,
  ctx: AccountContext,
  dir: string,
  minPassports = MIN_PASSPORTS,
): Promise<MirrorEstimate | undefined> {
  const passports = await countAllPassports(ctx)
  if (passports < minPassports) return undefined
  const rows = await samplePassports(ctx, SAMPLE)
  const sampleDir = join(dir, MIRROR_PATHS.state, 'sample')
  await rm(sampleDir, { recursive: true, force: true })
  try {
    const { ms, bytes, files } = await measure(setup, ctx, { sampleDir, rows })
    const { bavail, bsize, files: inodes, ffree } = await statfs(dir)
    const times = passports / rows.length
    return {
      passports,
      ms: ms * passports,
      bytes: Math.round(bytes * times),
      files: Math.round(files * times),
      freeBytes: bavail * bsize,
      freeFiles: inodes === 0 ? undefined : ffree,
    }
  } finally {
    await rm(sampleDir, { recursive: true, force: true })
  }
}

type Sample = { sampleDir: string; rows: readonly MirroredRow[] }

/** `ms`: for each passport. */
async function measure(
  setup: MirrorSetup,
  ctx: AccountContext,
  { sampleDir, rows }: Sample,
): Promise<{ ms: number; bytes: number; files: number }> {
  const folder = await openSafeFolder(sampleDir)
  const mirror = await openMirrorFolder(
    { dir: sampleDir, folder },
    { account: ctx.accountId, public_url: '' },
  )
  try {
    const shared = await mirror.openShared({ keeps: true, reads: false })
    const files = openMirroredFiles(mirror, true)
    const linked = rows.map(({ id, model_id, lot, serial }) => ({ uuid: id, model: model_id, lot, serial }))
    const gtins = await findGtins(setup.documents.sql, ctx.accountId, linked)
    let began = performance.now()
    for (const [n, row] of rows.entries()) {
      if (n === Math.min(WARM_UP, rows.length - 1)) began = performance.now()
      await mirrorPassport(setup, mirror, shared, {
        row,
        gtins: gtins.get(row.id) ?? [],
        isFull: true,
        files,
      })
    }
    const ms = (performance.now() - began) / Math.max(1, rows.length - WARM_UP)
    await shared.close()
    return { ms, ...(await measureFolder(sampleDir)) }
  } finally {
    await mirror.close()
  }
}

/** The bytes that the disk has given, in whole blocks. */
async function measureFolder(dir: string): Promise<{ bytes: number; files: number }> {
  let bytes = 0
  let files = 0
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const { blocks, size } = await stat(join(entry.parentPath, entry.name))
    // Some file systems count no blocks.
    bytes += Math.max(blocks * BLOCK_BYTES, entry.isFile() ? size : 0)
    files++
  }
  return { bytes, files }
}
