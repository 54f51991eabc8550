/** Entity tags of documents and their elements. */
import { hash } from 'node:crypto'
import { isObject } from '../../kernel/values/data-object.ts'
import { PROOF_MEMBER } from '../../standards/en18223/names.ts'

export const buildEtag = (json: string): string => `"${hash('sha256', json, 'base64url').slice(0, 22)}"`

/** For a reader with a credential: a proof that was made for this answer alone does not count. */
export function buildPrivateEtag(value: unknown): string {
  const { [PROOF_MEMBER]: _, ...unsigned } = isObject(value) ? value : {}
  return buildEtag(JSON.stringify(isObject(value) ? unsigned : value))
}

/** The same of a value as JSON. Without a proof, the text needs not be parsed. */
export const buildPrivateEtagOfJson = (json: string): string =>
  json.includes(`"${PROOF_MEMBER}":`) ? buildPrivateEtag(JSON.parse(json)) : buildEtag(json)
