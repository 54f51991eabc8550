/** Words that several commands read alike: account numbers and names. */
import { isLongerThan, isOneLine } from '../../kernel/characters.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Arguments, UsageError } from './command.ts'

/** Of PostgreSQL's integer. */
const LARGEST = 2_147_483_647
const LONGEST_NAME = 200

/** The number an account id stands for. Throws `not_found`: what cannot be an id names no account. */
export function accountNumber(id: string): number {
  const number = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : Number.NaN
  if (number <= LARGEST) return number
  throw new AppError('not_found', `There is no account "${id}". "carnet accounts list" shows all.`)
}

/** A name as a person writes one: one line, 200 characters at most. Throws UsageError. */
export function readName(args: Arguments, option: string): string {
  const name = args.get(option).trim()
  if (isLongerThan(name, LONGEST_NAME))
    throw new UsageError(`--${option} is longer than ${LONGEST_NAME} characters.`)
  if (!isOneLine(name)) {
    throw new UsageError(`--${option} has characters that cannot be shown.`)
  }
  return name
}
