/** The hash of a version for the EU registry. The law has published no recipe; ours is only in this file. */
import { hash } from 'node:crypto'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { canonicalize } from './canonicalize.ts'

/** `document` is the public compressed document of EN 18223. Returns SHA-256 in hex. */
export function hashRegistryContent(document: DataObject): string {
  const { '@context': _context, passportRecord: _record, proof: _proof, ...content } = document
  return hash('sha256', canonicalize(content), 'hex')
}
