/**
 * Parses the addresses of EN 18222 from the raw request target: an identifier in a path may contain encoded
 * slashes, or bare ones, so it is cut out before decoding.
 */
import { AppError } from '../../kernel/errors/errors.ts'
import { DPP_API_PATH } from '../../passports/documents/issuer-document.ts'
import { invalidQuery } from '../endpoint/query-parameters.ts'

export const DPP_PREFIX = `${DPP_API_PATH}/v1`

/** The target of a path. Identifiers and paths of elements are decoded. */
export type Target =
  | { kind: 'dpps' }
  | { kind: 'dpp' | 'dppByDate'; dppId: string }
  | { kind: 'element'; dppId: string; path: string }
  | { kind: 'dppByProductId'; productId: string }
  | { kind: 'dppIds' }
  | { kind: 'registration' }

/** The path of `url` below the prefix, and its raw query. */
export function splitTarget(url: string): { path: string; query: string } {
  const start = url.replace(/^https?:\/\/[^/?#]*/i, '')
  const [target = ''] = start.split('#', 1)
  const at = target.indexOf('?')
  const path = at < 0 ? target : target.slice(0, at)
  return { path: path.slice(DPP_PREFIX.length), query: at < 0 ? '' : target.slice(at + 1) }
}

const ELEMENTS = '/elements/'

/** Throws `not_found` for a path that EN 18222 does not have, `bad_request` for a broken identifier. */
export function parseTarget(path: string): Target {
  if (path === '/dpps') return { kind: 'dpps' }
  if (path === '/dppsByProductIds') return { kind: 'dppIds' }
  if (path === '/registerDPP') return { kind: 'registration' }
  const [, name = '', rest = ''] = /^\/(dpps|dppsByProductId|dppsByIdAndDate)\/(.+)$/s.exec(path) ?? []
  switch (name) {
    case 'dppsByProductId':
      return { kind: 'dppByProductId', productId: decodeId(rest) }
    case 'dppsByIdAndDate':
      return { kind: 'dppByDate', dppId: decodeId(rest) }
    case 'dpps': {
      const at = rest.lastIndexOf(ELEMENTS)
      if (at < 0) return { kind: 'dpp', dppId: decodeId(rest) }
      return {
        kind: 'element',
        dppId: decodeId(rest.slice(0, at)),
        path: decodeId(rest.slice(at + ELEMENTS.length)),
      }
    }
    default:
      throw new AppError('not_found', 'There is no such address. GET /dpp/v1/openapi.json lists all.')
  }
}

const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/

function decodeId(text: string): string {
  const decoded = tryDecode(text)
  if (decoded === undefined) {
    throw new AppError('bad_request', 'The identifier has a broken percent-encoding.')
  }
  if (CONTROL_CHARACTER.test(decoded)) {
    throw new AppError('bad_request', 'The identifier contains a control character.')
  }
  return decoded
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Reads query parameters, each at most once. Throws `validation` for others than `known`. */
export function readQueryText<K extends string>(
  query: string,
  known: readonly K[],
): Partial<Record<K, string>> {
  const values: Partial<Record<K, string>> = {}
  if (query === '') return values
  for (const [name, value] of new URLSearchParams(query)) {
    const found = known.find(one => one === name)
    if (found === undefined) {
      const all = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`
      throw invalidQuery(name, 'unknown_field', `This address has no parameter ${name}. ${all}`)
    }
    if (values[found] !== undefined) throw invalidQuery(name, 'duplicate', `Send ${name} once.`)
    values[found] = value
  }
  return values
}
