/** Explains a GTIN that is valid, but hardly the number of a product that the whole world has for it. */
import { toGtin14 } from '../../gs1/gtin.ts'
import { classifyGtin, derivePieceGtin, type GtinKind } from '../../gs1/gtin-kind.ts'
import { expandUpcE } from '../../gs1/meant-gtin.ts'
import { type Problem, type ProblemKey, problem } from '../problems.ts'

const PROBLEM_KEYS: Readonly<Record<GtinKind, ProblemKey>> = {
  restricted: 'gtin_restricted',
  coupon: 'gtin_coupon',
  reserved: 'gtin_unused',
  publication: 'gtin_publication',
  unlisted: 'gtin_unlisted',
  package: 'gtin_package',
  variable: 'gtin_variable',
}

/** Undefined for the usual number of a product. `gtin` must be valid. */
export function explainGtinKind(gtin: string): Problem | undefined {
  const found = classifyGtin(gtin)
  if (found === undefined) return undefined
  const { kind, prefix } = found
  const upcA = kind === 'restricted' ? expandUpcE(gtin) : undefined
  if (upcA !== undefined) return problem('gtin_upc_e', { prefix, meant: upcA })
  const facts = kind === 'package' ? { prefix, meant: derivePieceGtin(toGtin14(gtin)) } : { prefix }
  return problem(PROBLEM_KEYS[kind], facts)
}
