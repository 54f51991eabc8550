/** Arguments that several commands share: account ids and names. */

import { AppError } from '../../kernel/errors/errors.ts'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import { type Arguments, UsageError } from './command.ts'

/** The largest integer of PostgreSQL. */
const MAX_ACCOUNT_ID = 2_147_483_647
const MAX_NAME_LENGTH = 200

export const ACCOUNT_OPTION = { account: { hint: 'A', about: 'the id of the account' } }

/** The account that an argument names. Throws `not_found` for text that cannot be an id. */
export const getAccountId = (args: Arguments, name = 'account'): number => parseAccountId(args.get(name))

export function findAccountId(args: Arguments, name: string): number | undefined {
  const id = args.find(name)
  return id === undefined ? undefined : parseAccountId(id)
}

function parseAccountId(id: string): number {
  const number = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : Number.NaN
  if (number <= MAX_ACCOUNT_ID) return number
  throw new AppError('not_found', `There is no account "${id}". "carnet accounts list" shows all accounts.`)
}

/** A name of one line, 200 characters at most. Throws UsageError. */
export function parseName(args: Arguments, option: string): string {
  const name = args.get(option).trim()
  if (isLongerThan(name, MAX_NAME_LENGTH))
    throw new UsageError(`--${option} is longer than ${MAX_NAME_LENGTH} characters.`)
  if (!isOneLine(name)) throw new UsageError(`--${option} must be one line without control characters.`)
  return name
}
