/** Opens the store for the work of one command and closes it again, whatever the outcome. */
import type { OperatorContext } from '../../accounts/account/context.ts'
import { type Config, readConfig } from '../../kernel/config/config.ts'
import type { Environment } from '../../kernel/config/environment-reader.ts'
import { createLog } from '../../kernel/errors/log.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import type { Addresses } from '../../passports/core/record.ts'
import type { Arguments, Command, CommandResult } from '../command-line/command.ts'
import { runUntilSignal } from '../command-line/stop-signals.ts'
import { type OpenOptions, openStore, type Store } from './store.ts'

export type StoreContext = OperatorContext & {
  addresses: Addresses
  store: Store
  config: Config
  /** Aborted by a stop signal. The store is closed then. */
  stopping: AbortSignal
}

const COMMAND_OPTIONS: OpenOptions = { name: 'carnet command', mustExist: true }
/** For commands that may create the store. */
export const CREATES_STORE: OpenOptions = { ...COMMAND_OPTIONS, mustExist: false }

/** The run of a command that works on the store. `parse` comes first, so wrong arguments open nothing. */
export const onStore =
  <Input>(
    parse: (args: Arguments) => Input,
    work: (ctx: StoreContext, input: Input) => Promise<CommandResult>,
    options = COMMAND_OPTIONS,
  ): Command['run'] =>
  async ({ args, env }) => {
    const input = parse(args)
    const config = readConfig(env)
    return withOpenStore(env, config, options, (store, stopping) => {
      const { sql, addresses } = store
      return work({ sql, clock: systemClock, addresses, store, config, stopping }, input)
    })
  }

/**
 * Runs `work` on the store. A stop signal closes the store, which ends every statement of the work. Logs only
 * warnings, unless LOG_LEVEL is set: a command prints its result and one sentence.
 */
export function withOpenStore<T>(
  env: Environment,
  config: Config,
  options: OpenOptions,
  work: (store: Store, stopping: AbortSignal) => Promise<T>,
): Promise<T> {
  const log = createLog({ ...config, logLevel: env.LOG_LEVEL === undefined ? 'warn' : config.logLevel })
  return runUntilSignal(async stopping => {
    const store = await openStore(config, log, options)
    let closed: Promise<void> | undefined
    const close = () => {
      closed ??= store.stop()
      return closed
    }
    stopping.addEventListener('abort', () => close().catch(() => undefined))
    try {
      stopping.throwIfAborted()
      return await work(store, stopping)
    } finally {
      await close()
    }
  })
}
