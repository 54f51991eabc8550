/** `carnet media`: withdraws a file that was published by mistake, and lists what accounts ask for. */

import { actAsOperator } from '../../accounts/account/accounts.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import { getMediaOrFetch } from '../../media/fetch/media-fetch.ts'
import { listFileUrls, MEDIA_ID } from '../../media/files/media-file.ts'
import { findWithdrawal } from '../../media/files/withdrawn-media.ts'
import { openMediaStore } from '../../media/store/open-media-store.ts'
import { type WithdrawnResult, withdrawMedia } from '../../media/upkeep/withdraw-media.ts'
import {
  type ListedWithdrawal,
  listOtherOwners,
  listWithdrawals,
  MAX_REASON_LENGTH,
} from '../../media/upkeep/withdrawal-requests.ts'
import { countUses } from '../../media/uses/list-uses.ts'
import { ACCOUNT_OPTION, findAccountId, getAccountId } from '../command-line/account-arguments.ts'
import {
  type Arguments,
  type Command,
  type CommandResult,
  formatTable,
  UsageError,
} from '../command-line/command.ts'
import { onStore, type StoreContext } from '../store/with-store.ts'

export const mediaWithdraw: Command = {
  usage: 'media withdraw FILE --account A --reason TEXT --yes',
  about:
    'withdraws a picture or document for good: its bytes are deleted, its address answers 410, and passports say when and why',
  positionals: ['FILE'],
  options: {
    ...ACCOUNT_OPTION,
    reason: { hint: 'TEXT', about: 'why; everybody can read it on the pages of the passports' },
    yes: { about: 'withdraw it; without this, the command only says what would happen' },
  },
  run: onStore(
    args => ({
      file: parseFile(args.get('FILE')),
      accountId: getAccountId(args),
      reason: parseReason(args),
      isConfirmed: args.has('yes'),
    }),
    async (ctx, { file, accountId, reason, isConfirmed }) => {
      const account = await actAsOperator(ctx, accountId)
      const id = await findFileId(account, file)
      const passports = (await countUses(account, [id])).get(id) ?? 0
      if (!isConfirmed) return describePlan({ id, accountId, passports })
      const mediaStore = openMediaStore(ctx.config.mediaPlace)
      const withdrawn = await withdrawMedia({ ...account, mediaStore }, { id, reason })
      const others = await listOtherOwners(ctx.sql, accountId, id)
      return describeWithdrawal(ctx, withdrawn, { accountId, passports, others })
    },
  ),
}

/** A digest, the id of a fetched file, or an address that has the digest. */
function parseFile(text: string): string {
  const [, digest] = /(?:^|\/[md]\/)([0-9a-f]{64})(?:$|[/?#])/i.exec(text.trim()) ?? []
  if (digest !== undefined) return digest.toLowerCase()
  if (/^[0-9a-z]{26}$/.test(text)) return text
  throw new UsageError(
    `"${text.slice(0, 100)}" is no file: give its SHA-256 (64 hexadecimal digits), or its address with /m/ or /d/.`,
  )
}

function parseReason(args: Arguments): string {
  const reason = args.get('reason').trim()
  if (isLongerThan(reason, MAX_REASON_LENGTH))
    throw new UsageError(`--reason is longer than ${MAX_REASON_LENGTH} characters.`)
  if (!isOneLine(reason)) throw new UsageError('--reason must be one line without control characters.')
  return reason
}

/** Also of a file that was withdrawn before: the same command again repeats what was interrupted. */
async function findFileId(account: AccountContext, file: string): Promise<string> {
  if (MEDIA_ID.test(file) && (await findWithdrawal(account, file)) !== undefined) return file
  const found = await getMediaOrFetch(account, file)
  if ('fetch' in found) throw notFound('file')
  return found.file.id
}

type Plan = { id: string; accountId: number; passports: number }

function describePlan({ id, accountId, passports }: Plan): CommandResult {
  const value = { id, account: String(accountId), passports, withdrawn_at: null }
  const text = `The file ${id} of account ${accountId} is used by ${countProducts(passports)}, now or in an earlier version.`
  const failure = 'Nothing was withdrawn. This cannot be undone: add --yes to withdraw the file.'
  return { value, text, failure }
}

const countProducts = (count: number): string => (count === 1 ? '1 product' : `${count} products`)

const CACHES = [
  'Servers answer pictures from memory for up to 10 minutes; restart them to end that at once.',
  'Pages and documents of passports say it within a second; copies of them are kept for up to 11 minutes, of earlier versions for an hour.',
  'Browsers and CDNs keep a picture or public document for up to a year: purge the addresses below in your CDN. Nobody can purge browsers.',
]

const COPIES =
  'Backups, account exports, static exports and mirrors that were made before still have the bytes: delete them, or run this command again after a restore. The next run of "carnet mirror" removes them from a mirror.'

function describeWithdrawal(
  { addresses: { publicUrl } }: StoreContext,
  { id, width, wasPublic, withdrawnAt, reason, isNew }: WithdrawnResult,
  { accountId, passports, others }: { accountId: number; passports: number; others: readonly number[] },
): CommandResult {
  const purge = listFileUrls(publicUrl, { id, width })
  const value = {
    id,
    account: String(accountId),
    withdrawn_at: withdrawnAt.toISOString(),
    reason,
    newly_withdrawn: isNew,
    was_public: wasPublic,
    passports,
    other_accounts: others.map(String),
    purge,
    caches: CACHES,
    copies: COPIES,
  }
  const day = withdrawnAt.toISOString()
  const lines = [
    isNew
      ? `The file ${id} of account ${accountId} is withdrawn, and its bytes are deleted.`
      : `The file ${id} of account ${accountId} was withdrawn on ${day} (${reason}). What was left of its bytes is deleted.`,
    `${countProducts(passports)} referred to it and say so.`,
    ...(others.length === 0
      ? []
      : [
          `Other accounts have the same bytes (${others.join(', ')}): the address stays open while one of them shows the file. Withdraw it there, too.`,
        ]),
    ...(wasPublic ? CACHES : []),
    COPIES,
    ...(wasPublic ? ['Addresses to purge:', ...purge] : []),
  ]
  return { value, text: lines.join('\n') }
}

export const mediaWithdrawals: Command = {
  usage: 'media withdrawals [--account A]',
  about: 'lists the files that accounts ask to withdraw, and those that were withdrawn',
  options: ACCOUNT_OPTION,
  run: onStore(
    args => findAccountId(args, 'account'),
    async (ctx, accountId) => list(await listWithdrawals(ctx.sql, accountId)),
  ),
}

function list(found: readonly ListedWithdrawal[]): CommandResult {
  const value = found.map(({ account, id, askedAt, withdrawnAt, reason }) => ({
    account: String(account),
    id,
    state: withdrawnAt === null ? 'asked' : 'withdrawn',
    asked_at: askedAt?.toISOString() ?? null,
    withdrawn_at: withdrawnAt?.toISOString() ?? null,
    reason,
  }))
  const rows = value.map(one => [
    one.state,
    one.account,
    one.id,
    one.withdrawn_at ?? one.asked_at ?? '',
    one.reason,
  ])
  const none = 'No account asks to withdraw a file, and none was withdrawn.'
  return { value, text: formatTable(['STATE', 'ACCOUNT', 'FILE', 'AT', 'REASON'], rows, none) }
}
