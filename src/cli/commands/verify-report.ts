/** The report of `carnet verify` keeps what it checked apart from what a file only says. */
import type { SignatureError } from '../../standards/signing/signature-error.ts'
import { alignColumns, type CommandResult } from '../command-line/command.ts'

/** A file that could not be checked, because what that needs is not at hand. */
export const UNKNOWN = 2

/** `name` is that in `--json`. `text` is for people; by default the value. Null is not printed to people. */
export type VerifiedFact = { name: string; label: string; value: unknown; text?: string | null }

export type VerifyReport = {
  form: string | null
  /** The identifier of a passport, its version, and a DID: null unless each was checked. */
  passport: string | null
  versionNo: number | null
  signedBy: string | null
  /** Null if all that was checked is right. */
  problem: { code: string; reason: string; exitCode?: number } | null
  heading: string
  proven: readonly VerifiedFact[]
  notProven: readonly VerifiedFact[]
}

export function renderReport(report: VerifyReport): CommandResult {
  const { form, passport, versionNo, signedBy, problem, heading, proven, notProven } = report
  const value = {
    ok: problem === null,
    form,
    passport,
    version_no: versionNo,
    signed_by: signedBy,
    reason: problem?.reason ?? null,
    code: problem?.code ?? null,
    ...toObject(proven),
    not_proven: toObject(notProven),
  }
  const text = [heading, ...renderFacts(proven)]
  const rest = renderFacts(notProven)
  if (rest.length > 0) text.push('Not proven:', ...rest)
  return {
    value,
    text: text.join('\n'),
    ...(problem !== null && { failure: problem.reason }),
    ...(problem?.exitCode !== undefined && { exitCode: problem.exitCode }),
  }
}

/** Reports a file that was refused: nothing in it is proven, so nothing of it is printed. */
export const renderRefusal = ({ code, message }: SignatureError, form: string | null): CommandResult =>
  renderReport({
    form,
    passport: null,
    versionNo: null,
    signedBy: null,
    proven: [],
    notProven: [],
    problem: { code, reason: message, ...(code === 'unknown_key' && { exitCode: UNKNOWN }) },
    heading: code === 'unknown_key' ? 'Not checked.' : 'Not valid.',
  })

const toObject = (facts: readonly VerifiedFact[]) =>
  Object.fromEntries(facts.map(({ name, value }) => [name, value]))

function renderFacts(facts: readonly VerifiedFact[]): string[] {
  const rows = facts.flatMap(({ label, value, text }) => {
    const shown = text === undefined ? value : text
    return shown === null || shown === undefined ? [] : [[toOneLine(label), toOneLine(shown)]]
  })
  return rows.length === 0 ? [] : [alignColumns(rows, '  ')]
}

const MAX_TEXT_LENGTH = 300

/** A file cannot add lines of its own to what is printed. */
function toOneLine(value: unknown): string {
  const text = typeof value === 'string' && !/[\r\n\t]/.test(value) ? value : JSON.stringify(value)
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text
}
