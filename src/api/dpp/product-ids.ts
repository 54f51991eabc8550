/** The identifiers of passports for a list of product identifiers, in pages (ReadDPPIdsByProductIds). */
import { createHmac } from 'node:crypto'
import { isEqualInConstantTime } from '../../kernel/crypto/crypto.ts'
import { deriveKey } from '../../kernel/crypto/secret-cipher.ts'
import { AppError, invalidField } from '../../kernel/errors/errors.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { invalidQuery } from '../endpoint/query-parameters.ts'

export const MAX_PRODUCT_IDS = 100

/** The body is `{"productIds": […]}` or a list. Throws `validation`. Repeated ids are left out. */
export function readProductIds(body: unknown): string[] {
  const list = Array.isArray(body) ? body : isObject(body) ? body.productIds : undefined
  const path = Array.isArray(body) ? [] : ['productIds']
  if (!Array.isArray(list))
    throw invalidField(['productIds'], 'required', 'productIds must be a list of texts.')
  if (list.length < 1 || list.length > MAX_PRODUCT_IDS) {
    throw invalidField(path, 'length', `Send 1 to ${MAX_PRODUCT_IDS} product identifiers.`)
  }
  const wrong = list.findIndex(one => typeof one !== 'string')
  if (wrong >= 0) throw invalidField([...path, wrong], 'type', 'Each product identifier must be a text.')
  return [...new Set<string>(list)]
}

/** Throws `validation` for anything but 1 to 100. */
export function readLimit(text: string | undefined): number {
  if (text === undefined) return MAX_PRODUCT_IDS
  if (!/^[1-9]\d{0,2}$/.test(text) || Number(text) > MAX_PRODUCT_IDS) {
    throw invalidQuery('limit', 'max', `limit must be a whole number from 1 to ${MAX_PRODUCT_IDS}.`)
  }
  return Number(text)
}

/** A cursor holds a position in the list that it was made for, and proves that this server made it. */
export function createCursors(secretKey: string) {
  const key = deriveKey(secretKey, 'carnet dpp cursors')
  const sign = (position: number, ids: readonly string[]) =>
    createHmac('sha256', key)
      .update(JSON.stringify([position, ids]))
      .digest('base64url')
  return {
    build: (position: number, ids: readonly string[]) => `${position}.${sign(position, ids)}`,
    /** Throws `bad_request` for a cursor of another list. An empty one counts as absent. */
    read(cursor: string | undefined, ids: readonly string[]): number {
      if (cursor === undefined || cursor === '') return 0
      const [, position = '', signature = ''] = /^([1-9]\d{0,2})\.([\w-]{43})$/.exec(cursor) ?? []
      if (position === '' || !isEqualInConstantTime(signature, sign(Number(position), ids))) {
        throw new AppError(
          'bad_request',
          'cursor must be the nextCursor of an earlier answer to the same list.',
        )
      }
      return Number(position)
    },
  }
}

export type Cursors = ReturnType<typeof createCursors>
