/** Runs a command line: finds the command, prints the result, reports errors with an exit code. */

import { ConfigError, readEnvironment } from '../kernel/config/config.ts'
import type { Environment } from '../kernel/config/environment-reader.ts'
import { RuleFileError } from '../kernel/config/rule-files.ts'
import { AppError, toError } from '../kernel/errors/errors.ts'
import { escapeForTerminal, escapeJsonForTerminal } from '../kernel/values/characters.ts'
import { systemClock } from '../kernel/values/clock.ts'
import {
  alignColumns,
  type Command,
  CommandError,
  formatHelp,
  parseArguments,
  UsageError,
} from './command-line/command.ts'
import { describeDatabaseError } from './command-line/database-errors.ts'
import { Stopped } from './command-line/stop-signals.ts'
import { VERSION } from './command-line/version.ts'
import { COMMANDS } from './commands.ts'

type Io = { out: (text: string) => void; err: (text: string) => void }

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

/** Runs a command line with the environment of this process. Returns the exit code. */
export async function runProcess(words: readonly string[], io: Io): Promise<number> {
  try {
    return await runCommandLine(words, readEnvironment(), io)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    io.err(`${error.message}\n`)
    return FAILED
  }
}

/** Returns the exit code: 0 done, 1 failed, 2 wrong usage, 130 or 143 after a signal. */
export async function runCommandLine(words: readonly string[], env: Environment, io: Io): Promise<number> {
  const name = findName(words)
  if (name === undefined) return answerWithoutCommand(words, io)
  let usage = name
  try {
    const command = await COMMANDS[name]?.load()
    if (command === undefined) return WRONG_USAGE
    usage = command.usage
    return await runCommand(command, words.slice(name.split(' ').length), env, io)
  } catch (error) {
    return reportError(error, usage, isLogged(name, env) ? { ...io, err: text => io.err(logLine(text)) } : io)
  }
}

async function runCommand(
  command: Command,
  words: readonly string[],
  env: Environment,
  io: Io,
): Promise<number> {
  const args = parseArguments(command, words)
  if (args.has('help')) {
    io.out(formatHelp(command))
    return DONE
  }
  const json = args.has('json')
  const result = await command.run({ args, json, env, print: io.out })
  if (result === undefined) return DONE
  io.out(
    json
      ? `${escapeJsonForTerminal(JSON.stringify(result.value, null, 2))}\n`
      : `${escapeForTerminal(result.text)}\n`,
  )
  if (result.failure === undefined) return DONE
  io.err(`${escapeForTerminal(result.failure)}\n`)
  return result.exitCode ?? FAILED
}

/** Commands are one to three words; the longest name wins. */
function findName(words: readonly string[]): string | undefined {
  return [3, 2, 1].map(length => words.slice(0, length).join(' ')).find(name => Object.hasOwn(COMMANDS, name))
}

function answerWithoutCommand(words: readonly string[], io: Io): number {
  const [first, second] = words
  const inGroup = Object.keys(COMMANDS).filter(name => name.startsWith(`${first} `))
  const names = inGroup.length > 0 ? inGroup : Object.keys(COMMANDS)
  const isHelp = (word: string | undefined) => word === '--help' || word === '-h'
  if (first === undefined || isHelp(first) || (inGroup.length > 0 && isHelp(second))) {
    const write = first === undefined ? io.err : io.out
    write(formatOverview(names))
    return first === undefined ? WRONG_USAGE : DONE
  }
  if (first === '--version') {
    io.out(`${VERSION}\n`)
    return DONE
  }
  const message =
    inGroup.length > 0 && second === undefined
      ? `${first} what?`
      : `There is no command "${first}${inGroup.length > 0 ? ` ${second}` : ''}".`
  io.err(`${message}\n${formatOverview(names)}`)
  return WRONG_USAGE
}

function formatOverview(names: readonly string[]): string {
  const rows = names.map(name => [`carnet ${name}`, COMMANDS[name]?.about ?? ''])
  return `Usage: carnet COMMAND [options]; each has --help and --json.\n\n${alignColumns(rows, '  ')}\n`
}

/** The last error of a server belongs in its log. */
const isLogged = (name: string, env: Environment) => name === 'serve' && env.LOG_FORMAT === 'json'

const FATAL = 60
const logLine = (text: string) =>
  `${JSON.stringify({ level: FATAL, time: systemClock.now().toISOString(), msg: text.trimEnd() })}\n`

function reportError(error: unknown, usage: string, io: Io): number {
  if (error instanceof UsageError) {
    io.err(`${escapeForTerminal(error.message)}\nUsage: carnet ${usage}\n`)
    return WRONG_USAGE
  }
  io.err(`${escapeForTerminal(describeFailure(error))}\n`)
  return error instanceof Stopped ? error.exitCode : FAILED
}

const EXPECTED = [CommandError, ConfigError, RuleFileError, Stopped]

/** One sentence for an expected error. A bug keeps its stack, which is needed to fix it. */
function describeFailure(error: unknown): string {
  if (EXPECTED.some(kind => error instanceof kind)) return toError(error).message
  if (error instanceof AppError) {
    const details = error.details?.slice(1).map(detail => `\n${detail.message}`) ?? []
    return [error.details?.[0]?.message ?? error.message, ...details].join('')
  }
  return (
    describeDatabaseError(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error))
  )
}
