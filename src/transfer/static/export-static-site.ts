/** Exports an account's public pages as files that any web server can serve at the same addresses. */
import { exportAccount } from '../../accounts/export-rows.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getSearchPath } from '../../kernel/db/shards.ts'
import { assert, invalidInput, isDiskFull, unavailable } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { exportAddresses, type PassportLine } from '../../passports/copies/export-rows.ts'
import {
  buildRedirects,
  type PageTarget,
  type PreparedPages,
  preparePassportPages,
  type StaticPages,
  writePassportPages,
  writeVocabulary,
} from './passport-pages.ts'
import { openStaticExport, withFolderLock } from './resumable-export.ts'
import type { SafeFolder } from './safe-folder.ts'

type StaticSiteSetup = StaticPages & { clock: Clock; openPool: () => Sql }
type StaticSiteOptions = { accountId: number; dir: string; progress?: (passports: number) => void }
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
  const pages = limitRequests(setup)
  const pool = setup.openPool()
  try {
    if (last === null) await writeVocabulary(pages, site)
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
      for await (const { passport, gtins, prepared } of prepareAhead(pages, addresses)) {
        await writePassportPages(pages, site, idFromUuid(passport.uuid), prepared)
        left_out += await writeRedirects(site, passport, gtins)
        const { level, uuid } = passport
        await site.save({
          last: { level, uuid, ...(shard !== null && { shard }) },
          passports: ++passports,
          left_out,
          ...{ audience_profile, withdrawn_files },
        })
        options.progress?.(passports)
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

/** A server makes pages for as many readers of one network as may wait. */
const MAX_REQUESTS = 32

function limitRequests(setup: StaticPages): StaticPages {
  const permits = new Semaphore({ capacity: MAX_REQUESTS })
  return {
    ...setup,
    async fetchPage(path, accept) {
      const page = await permits.run(() => setup.fetchPage(path, accept))
      assert(page !== undefined, 'a permit is waited for without limit')
      return page
    },
  }
}

/** Passports whose pages are fetched while those of an earlier one are written. */
const MAX_PREPARED = 3

/** In the order of the lines. After an error nothing is under way any more. */
async function* prepareAhead<L extends { passport: PassportLine }>(
  setup: StaticPages,
  lines: AsyncIterable<L>,
): AsyncGenerator<L & { prepared: PreparedPages }> {
  const ahead: { line: L; preparing: Promise<PreparedPages> }[] = []
  try {
    for await (const line of lines) {
      const preparing = preparePassportPages(setup, idFromUuid(line.passport.uuid))
      // Its error is thrown when it is its turn.
      preparing.catch(() => undefined)
      ahead.push({ line, preparing })
      if (ahead.length < MAX_PREPARED) continue
      yield* takeFirst(ahead)
    }
    while (ahead.length > 0) yield* takeFirst(ahead)
  } finally {
    await Promise.allSettled(ahead.map(({ preparing }) => preparing))
  }
}

async function* takeFirst<L>(ahead: { line: L; preparing: Promise<PreparedPages> }[]) {
  const first = ahead.shift()
  if (first !== undefined) yield { ...first.line, prepared: await first.preparing }
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
