/** `carnet serve`: the production server. */

import { setTimeout as pause } from 'node:timers/promises'
import { buildSetUpUrl, createSetUpLink } from '../../accounts/people/one-time-links.ts'
import { type Config, ConfigError, findMalformedLines, readConfig } from '../../kernel/config/config.ts'
import type { Environment } from '../../kernel/config/environment-reader.ts'
import { findMisspelledSettings } from '../../kernel/config/misspelled-settings.ts'
import { RuleFileError } from '../../kernel/config/rule-files.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { toError } from '../../kernel/errors/errors.ts'
import { createLog, type Log } from '../../kernel/errors/log.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import { findCountryFileProblem } from '../../scans/country.ts'
import { type Command, type CommandCall, CommandError } from '../command-line/command.ts'
import { connectToParent, isWorkerProcess } from '../server/parent-process.ts'
import { probePort } from '../server/ports.ts'
import { runServer } from '../server/run-server.ts'
import { runSupervisor } from '../server/run-supervisor.ts'
import type { Store } from '../store/store.ts'

export const serve: Command = {
  usage: 'serve',
  about: 'starts the server; it reads its settings from the environment and from .env',
  run: async call => {
    const { env } = call
    if (isWorkerProcess()) return serveAsWorkerProcess(env)
    const config = await readConfigWithPort(env)
    const log = createLog(config)
    for (const warning of [...findMalformedLines(), ...findMisspelledSettings(env)]) log.warn(warning)
    const problem = await findCountryFileProblem(config.geoMmdbPath)
    if (problem !== undefined)
      log.warn(`GEO_MMDB_PATH cannot be read, so the bundled file is used: ${problem}`)
    const isSingle = config.workers === 1 || config.role === 'worker'
    const run = isSingle ? runServer : runSupervisor
    await run({ config, log, env }, (store, address, signal) =>
      announce(call, config, log, store, address, signal),
    )
    return undefined
  },
}

const LINK_RETRY_MS = 2_000

/** Logs the address. Prints the set-up link for the owner until the owner has an account. */
async function announce(
  { json, env, print }: CommandCall,
  { publicUrl: url, role }: Config,
  log: Log,
  { sql, location: data }: Store,
  address: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (address === undefined || role === 'worker') {
    const message = address === undefined ? 'Worker started, without a port' : 'Worker started'
    log.info({ address, data }, `${message} (ROLE=worker)`)
    if (json) print(`${JSON.stringify({ url: null, address: address ?? null, set_up_url: null })}\n`)
    return
  }
  log.info({ address, url, data }, 'Carnet is listening')
  const token = await createLinkPatiently(sql, log, signal)
  const link = token === undefined ? undefined : buildSetUpUrl(url, token)
  if (json) print(`${JSON.stringify({ url, address, set_up_url: link ?? null })}\n`)
  else if (link !== undefined && env.LOG_FORMAT === 'json' && log.isLevelEnabled('info')) {
    const message = 'nobody owns this Carnet yet: create the account of the owner at this link'
    log.info({ set_up_url: link }, message)
  } else if (link !== undefined) {
    print(`\nNobody owns this Carnet yet. Create the owner's account here, once:\n\n  ${link}\n\n`)
  }
}

/** Tries until it works or the server stops: the server serves already, so no error may end it. */
async function createLinkPatiently(sql: Sql, log: Log, signal: AbortSignal): Promise<string | undefined> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<undefined>()
  signal.addEventListener('abort', () => stop(undefined), { once: true })
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      return await Promise.race([createSetUpLink({ sql, clock: systemClock }), stopped])
    } catch (error) {
      const reason = toError(error).message
      if (isFirst) log.warn({ reason }, 'cannot find out yet whether somebody owns this Carnet; trying again')
      await pause(LINK_RETRY_MS, undefined, { signal }).catch(() => undefined)
    }
  }
  return undefined
}

/** Here the supervisor announces and warns. It gets the reason if this process cannot start. */
async function serveAsWorkerProcess(env: Environment): Promise<undefined> {
  try {
    const config = await readConfigWithPort(env)
    const log = createLog(config).child({ process: env.PROCESS_NAME })
    await runServer({ config, log, env }, async () => {})
  } catch (error) {
    if (error instanceof CommandError || error instanceof ConfigError || error instanceof RuleFileError)
      connectToParent().send({ type: 'failed', reason: error.message })
    throw error
  } finally {
    if (process.connected) process.disconnect?.()
  }
}

/** The settings. `PORT=0` becomes a free port, so that addresses are right. */
async function readConfigWithPort(env: Environment): Promise<Config> {
  const config = readConfig(env)
  if (config.port !== 0 || config.role === 'worker') return config
  const port = await probePort(config.host, 0)
  if (port === undefined) throw new CommandError(`HOST is ${config.host}, where no port can be opened.`)
  return readConfig({ ...env, PORT: String(port) })
}
