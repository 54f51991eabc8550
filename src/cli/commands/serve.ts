/** `carnet serve`: the server for real use. */
import { buildSetUpUrl, createSetUpLink } from '../../accounts/people/one-time-links.ts'
import { systemClock } from '../../kernel/clock.ts'
import {
  type Config,
  ConfigError,
  type Environment,
  findMalformedLines,
  readConfig,
} from '../../kernel/config/config.ts'
import { findMisspelledSettings } from '../../kernel/config/misspelled-settings.ts'
import { createLog } from '../../kernel/log.ts'
import { findCountryFileProblem } from '../../scans/country.ts'
import { type Command, Refusal } from '../command-line/command.ts'
import { isMember, supervisor } from '../server/parent-process.ts'
import { tryPort } from '../server/ports.ts'
import { serveUntilStopped } from '../server/run-server.ts'
import { superviseUntilStopped } from '../server/run-supervisor.ts'

export const serve: Command = {
  usage: 'serve',
  about: 'starts the server; settings are read from the environment and from .env',
  options: {},
  run: async ({ env, json, print }) => {
    if (isMember()) return serveAsMember(env)
    const config = await settingsWithPort(env)
    const log = createLog(config)
    for (const sentence of [...findMalformedLines(), ...findMisspelledSettings(env)]) log.warn(sentence)
    const unread = await findCountryFileProblem(config.geoMmdbPath)
    if (unread !== undefined)
      log.warn(`GEO_MMDB_PATH cannot be read, and the bundled file is used: ${unread}`)
    const isOne = config.workers === 1 || config.role === 'worker'
    const run = isOne ? serveUntilStopped : superviseUntilStopped
    await run({ config, log, env }, async (store, address) => {
      if (address === undefined) {
        log.info({ data: store.place }, 'Carnet works, and listens nowhere (ROLE=worker)')
        if (json) print(`${JSON.stringify({ url: null, address: null, set_up_url: null })}\n`)
        return
      }
      if (config.role === 'worker') {
        log.info({ address, data: store.place }, 'Carnet works, and tells how it is (ROLE=worker)')
        if (json) print(`${JSON.stringify({ url: null, address, set_up_url: null })}\n`)
        return
      }
      log.info({ address, url: config.publicUrl, data: store.place }, 'Carnet listens')
      const token = await createSetUpLink({ sql: store.sql, clock: systemClock })
      const link = token === undefined ? undefined : buildSetUpUrl(config.publicUrl, token)
      if (json) print(`${JSON.stringify({ url: config.publicUrl, address, set_up_url: link ?? null })}\n`)
      else if (link !== undefined && env.LOG_FORMAT === 'json' && log.isLevelEnabled('info')) {
        log.info(
          { set_up_url: link },
          'nobody owns this Carnet yet: make the account of the owner there, once',
        )
      } else if (link !== undefined) {
        print(`\nNobody owns this Carnet yet. Make the owner's account here, once:\n\n  ${link}\n\n`)
      }
    })
    return undefined
  },
}

/** One of several: its supervisor has said what there is to say, and is told why it could not begin. */
async function serveAsMember(env: Environment): Promise<undefined> {
  try {
    const config = await settingsWithPort(env)
    const log = createLog(config).child({ process: env.PROCESS_NAME })
    await serveUntilStopped({ config, log, env }, async () => {})
  } catch (error) {
    if (error instanceof Refusal || error instanceof ConfigError)
      supervisor().tell({ carnet: 'refused', sentence: error.message })
    throw error
  } finally {
    if (process.connected) process.disconnect?.()
  }
}

/** The settings, with a free port where they leave it open (`PORT=0`), so that addresses name the true one. */
export async function settingsWithPort(env: Environment): Promise<Config> {
  const config = readConfig(env)
  if (config.port !== 0 || config.role === 'worker') return config
  const port = await tryPort(config.host, 0)
  if (port === undefined) throw new Refusal(`HOST is ${config.host}, where no port can be had.`)
  return readConfig({ ...env, PORT: String(port) })
}
