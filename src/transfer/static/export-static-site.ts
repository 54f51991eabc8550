/** Exports an account's public pages as files that any web server can serve at the same addresses. */
import { exportAccount } from '../../accounts/account/export-rows.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getSearchPath } from '../../kernel/db/shards.ts'
import { invalidInput, isDiskFull, unavailable } from '../../kernel/errors/errors.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import { exportAddresses, type PassportLine } from '../../passports/copies/export-rows.ts'
import {
  buildRedirects,
  type PageTarget,
  type PublicPassport,
  type StaticPages,
  writePassportPages,
  writeVocabulary,
} from './passport-pages.ts'
import { openStaticExport, withFolderLock } from './resumable-export.ts'
import type { SafeFolder } from './safe-folder.ts'

type StaticSiteSetup = StaticPages & { clock: Clock; openPool: () => Sql }
/** `written`: with what an earlier run has written. */
type StaticProgress = (passports: number, written: { files: number; bytes: number }) => void
type StaticSiteOptions = { accountId: number; dir: string; progress?: StaticProgress }
export type StaticSiteResult = {
  dir: string
  passports: number
  /** Passports that an interrupted earlier run had already written. */
  kept: number
  files: number
  bytes: number
  /** GS1 addresses that cannot be files, because their lot or serial contains a slash. */
  left_out: number
  sha256: string
}

/**
 * Throws `validation` unless the folder is empty or an unfinished export, `unavailable` while another process
 * writes.
 */
export const exportStaticSite = (
  setup: StaticSiteSetup,
  options: StaticSiteOptions,
): Promise<StaticSiteResult> => withFolderLock(options.dir, folder => write(setup, options, folder))

async function write(
  setup: StaticSiteSetup,
  options: StaticSiteOptions,
  folder: SafeFolder,
): Promise<StaticSiteResult> {
  const { accountId, dir } = options
  const site = await openStaticExport(
    { clock: setup.clock, dir, folder },
    { account: accountId, public_url: setup.publicUrl },
  )
  const { last, passports: kept } = site.resumed
  let { passports, left_out } = site.resumed
  const pool = setup.openPool()
  try {
    if (last === null) await writeVocabulary(setup, site)
    const sql = await pool.reserve()
    const { account, shards } = await exportAccount(sql, accountId)
    const { audience_profile = 'contract', withdrawn_files = 0 } = account
    const { audience_profile: before = 'contract' } = site.resumed
    if (last !== null && before !== audience_profile) throw changedAudience(dir)
    if (last !== null && (site.resumed.withdrawn_files ?? 0) !== withdrawn_files) throw withdrawnSince(dir)
    const first = last?.shard === undefined ? 0 : shards.indexOf(last.shard)
    for (const [i, shard] of shards.slice(first).entries()) {
      if (shard !== null) await sql`select set_config('search_path', ${getSearchPath(shard)}, false)`
      const addresses = exportAddresses(sql, accountId, i === 0 ? last : null)
      for await (const { passport, gtins, pages } of readAhead(setup, addresses)) {
        await writePassportPages(setup, site, idFromUuid(passport.uuid), pages)
        left_out += await writeRedirects(site, passport, gtins)
        const { level, uuid } = passport
        await site.save({
          last: { level, uuid, ...(shard !== null && { shard }) },
          passports: ++passports,
          left_out,
          audience_profile,
          withdrawn_files,
        })
        options.progress?.(passports, site.written)
      }
    }
    return { dir, passports, kept, left_out, ...(await site.finish()) }
  } catch (error) {
    if (!isDiskFull(error)) throw error
    throw unavailable(
      `The disk of ${dir} is full. Free some space and run the same command again: it continues there.`,
    )
  } finally {
    await site.close()
    await pool.end({ timeout: 0 })
  }
}

/** Passports that are read together, while pages of earlier ones are written. */
const PASSPORTS_PER_READ = 8

/** In the order of the lines. After an error nothing is under way any more. */
async function* readAhead<L extends { passport: PassportLine }>(
  { openPassport }: StaticPages,
  lines: AsyncIterable<L>,
): AsyncGenerator<L & { pages: PublicPassport }> {
  let reading: Promise<(L & { pages: PublicPassport })[]> | undefined
  const read = (group: readonly L[]) =>
    Promise.all(
      group.map(async line => ({ ...line, pages: await openPassport(idFromUuid(line.passport.uuid)) })),
    )
  try {
    for await (const group of takeGroups(lines)) {
      const earlier = reading
      reading = read(group)
      // Its error is thrown when it is its turn.
      reading.catch(() => undefined)
      if (earlier !== undefined) yield* await earlier
    }
    if (reading !== undefined) yield* await reading
  } finally {
    await reading?.catch(() => undefined)
  }
}

async function* takeGroups<L>(lines: AsyncIterable<L>): AsyncGenerator<L[]> {
  let group: L[] = []
  for await (const line of lines) {
    if (group.push(line) < PASSPORTS_PER_READ) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

const changedAudience = (dir: string) =>
  invalidInput(
    `The account's audience profile has changed since ${dir} was begun. Export into an empty folder: earlier pages show other fields.`,
  )

const withdrawnSince = (dir: string) =>
  invalidInput(
    `A file of the account was withdrawn since ${dir} was begun. Delete ${dir}, which may have it, and export into an empty folder.`,
  )

/** Returns how many GS1 addresses cannot be files. */
async function writeRedirects(
  site: PageTarget,
  passport: PassportLine,
  gtins: readonly string[],
): Promise<number> {
  const redirects = buildRedirects(passport, gtins)
  if (redirects === undefined) return gtins.length
  await site.put(...redirects)
  return 0
}
