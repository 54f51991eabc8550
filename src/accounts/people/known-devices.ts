/**
 * Marks browsers in which a person has signed in, so that attempts of others cannot lock them out there. A
 * mark grants no access: it only decides which attempts are counted together.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { isEqualInConstantTime } from '../../kernel/crypto/crypto.ts'
import { deriveKey } from '../../kernel/crypto/secret-cipher.ts'

export const DEVICE_LIFETIME_MS = 180 * 86_400_000
/** Several people may share a browser. */
const MAX_MARKS = 3
const MARK = /^([\w-]{16})\.(\d{13})\.([\w-]{22})$/

export function createKnownDevices(secretKey: string) {
  const key = deriveKey(secretKey, 'carnet known devices')
  const sign = (id: string, time: string, email: string) =>
    createHmac('sha256', key).update(`${id} ${time} ${email}`).digest('base64url').slice(0, 22)
  const isFor = (mark: string, email: string, now: Date) => {
    const [, id = '', time = '', signature = ''] = MARK.exec(mark) ?? []
    if (id === '' || Number(time) + DEVICE_LIFETIME_MS <= now.getTime()) return false
    return isEqualInConstantTime(signature, sign(id, time, email))
  }
  const parseMarks = (value: string | undefined) => value?.split('~').slice(0, MAX_MARKS) ?? []
  return {
    /** The cookie's value after a sign-in: a new mark before the others. */
    add(value: string | undefined, email: string, now: Date): string {
      const id = randomBytes(12).toString('base64url')
      const time = String(now.getTime())
      const others = parseMarks(value).filter(mark => MARK.test(mark) && !isFor(mark, email, now))
      return [`${id}.${time}.${sign(id, time, email)}`, ...others].slice(0, MAX_MARKS).join('~')
    },
    /** The id of the valid mark for the e-mail. */
    find: (value: string | undefined, email: string, now: Date): string | undefined =>
      parseMarks(value)
        .find(mark => isFor(mark, email, now))
        ?.slice(0, 16),
  }
}
