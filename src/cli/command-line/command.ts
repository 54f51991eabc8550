/** Defines commands. Parsing, help and error messages are the same for all. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { Environment } from '../../kernel/config/environment-reader.ts'

/** `hint` names an option's value (`N`, `full|read`); without it the option is a switch. */
type CommandOptions = Readonly<Record<string, { hint?: string; about: string }>>

export type Command = {
  /** The text after `carnet `. */
  usage: string
  about: string
  options?: CommandOptions
  /** Names of the required arguments without a dash, in order. */
  positionals?: readonly string[]
  /** A last argument that an option can replace. */
  optionalPositional?: string
  /** The last argument may be given several times: `getAll`. */
  takesMany?: true
  run: (call: CommandCall) => Promise<CommandResult | undefined>
}

/**
 * `value` is printed with `--json`, `text` without it. `failure` goes to stderr; the exit code is then 1, or
 * `exitCode`.
 */
export type CommandResult = { value: unknown; text: string; failure?: string | undefined; exitCode?: number }

export type CommandCall = {
  args: Arguments
  json: boolean
  env: Environment
  /** Writes to stdout at once, for commands that keep running. */
  print: (text: string) => void
}

/** Wrong arguments: exit code 2, printed with the usage line. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The command cannot be carried out: exit code 1, printed as one sentence. */
export class CommandError extends Error {
  override name = 'CommandError'
}

export type Arguments = ReturnType<typeof createArguments>

const COMMON: CommandOptions = {
  json: { about: 'print the result as one JSON value' },
  help: { about: 'print this help' },
}

/** Parses the words of a command. With `--help` nothing is required. Throws UsageError. */
export function parseArguments(command: Command, words: readonly string[]): Arguments {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } }
  for (const [name, { hint }] of Object.entries(command.options ?? {})) {
    options[name] = { type: hint === undefined ? 'boolean' : 'string' }
  }
  const { values, positionals } = parse(words, options)
  const { positionals: required = [], optionalPositional } = command
  const names = optionalPositional === undefined ? required : [...required, optionalPositional]
  const most = command.takesMany ? Number.POSITIVE_INFINITY : names.length
  if (!values.help) requirePositionals(required, most, positionals)
  const named = Object.fromEntries(
    names.flatMap((name, n) => (n in positionals ? [[name, positionals[n]]] : [])),
  )
  return createArguments({ ...values, ...named }, positionals.slice(names.length - 1))
}

function parse(words: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    const read = parseArgs({ args: [...words], options, strict: true, allowPositionals: true, tokens: true })
    const names = read.tokens.flatMap(token => (token.kind === 'option' ? [token.name] : []))
    // One of the two values would be ignored silently.
    const twice = names.find((name, i) => names.indexOf(name) !== i)
    if (twice !== undefined) throw new UsageError(`--${twice} is given twice.`)
    return read
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [sentence = 'The options cannot be parsed'] = error.message.split(/[.\n]/)
    throw new UsageError(`${sentence}.`)
  }
}

function requirePositionals(names: readonly string[], max: number, given: readonly string[]): void {
  const missing = names[given.length]
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`)
  const extra = given[max]
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}".`)
}

/** `last`: all values of the last argument. */
function createArguments(found: Readonly<Record<string, unknown>>, last: readonly string[]) {
  const find = (name: string): string | undefined => {
    const value = found[name]
    if (typeof value !== 'string') return undefined
    if (value.trim() === '') throw new UsageError(`${label(name)} is empty.`)
    return value
  }
  const get = (name: string): string => {
    const value = find(name)
    if (value === undefined) throw new UsageError(`${label(name)} is missing.`)
    return value
  }
  return {
    find,
    get,
    /** All values of the last argument, of a command that takes many. */
    getAll: (): readonly string[] => last,
    has: (name: string): boolean => found[name] === true,
    getOneOf<T extends string>(name: string, allowed: readonly T[]): T {
      const value = get(name)
      const one = allowed.find(candidate => candidate === value)
      if (one === undefined) throw new UsageError(`${label(name)} must be one of ${allowed.join(', ')}.`)
      return one
    },
    findInteger(name: string, min: number, max: number): number | undefined {
      const text = find(name)
      if (text === undefined) return undefined
      const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
      if (number >= min && number <= max) return number
      throw new UsageError(`--${name} is "${text}": it must be a whole number from ${min} to ${max}.`)
    },
  }
}

/** As in a usage line: arguments in capitals, options with dashes. */
const label = (name: string) => (name === name.toUpperCase() ? name : `--${name}`)

export function formatHelp(command: Command): string {
  const rows = Object.entries({ ...command.options, ...COMMON }).map(([name, { hint, about }]) => [
    `--${name}${hint === undefined ? '' : ` ${hint}`}`,
    about,
  ])
  const { usage, about } = command
  const sentence = `${about.charAt(0).toUpperCase()}${about.slice(1)}.`
  return `carnet ${usage}\n\n${sentence}\n\n${alignColumns(rows, '  ')}\n`
}

export const formatTable = (headings: readonly string[], rows: readonly string[][], none: string): string =>
  rows.length === 0 ? none : alignColumns([headings, ...rows])

export function alignColumns(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
  }
  return rows
    .map(row => indent + row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
    .map(line => line.trimEnd())
    .join('\n')
}
