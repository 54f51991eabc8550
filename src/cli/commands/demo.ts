/** `carnet demo`: starts a server with demo data within a minute. */
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { type Config, readConfig } from '../../kernel/config/config.ts'
import type { Environment } from '../../kernel/config/environment-reader.ts'
import { SETTING_NAMES } from '../../kernel/config/misspelled-settings.ts'
import { createLog, type Log } from '../../kernel/errors/log.ts'
import { type Command, CommandError } from '../command-line/command.ts'
import { prepareDemo } from '../demo/demo-account.ts'
import { readDemoNotes } from '../demo/demo-notes.ts'
import { type DemoSummary, formatDemoSummary } from '../demo/demo-summary.ts'
import { findFreePort } from '../server/ports.ts'
import { runServer } from '../server/run-server.ts'
import { ServerAlreadyRunning } from '../store/embedded-store.ts'

const DATA_DIR = './data/demo'
const EVERY_INTERFACE = '0.0.0.0'

export const demo: Command = {
  usage: 'demo [--lan] [--port N]',
  about: `starts a server with a demo account and passports, on a database of its own in ${DATA_DIR}`,
  options: {
    lan: { about: 'open the demo to the local network and show a QR code for a phone' },
    port: { hint: 'N', about: 'the port to try first (3000)' },
  },
  run: async ({ args, env, json, print }) => {
    const port = args.findInteger('port', 1, 65_535)
    const lan = args.has('lan') ? findLanAddress() : undefined
    const warn = (sentence: string) => process.stderr.write(`${sentence}\n`)
    if (args.has('lan') && lan === undefined) {
      warn('This machine has no address in a local network, so no phone can reach the demo.')
    }
    const show = (sheet: DemoSummary) =>
      print(json ? `${JSON.stringify(sheet)}\n` : formatDemoSummary(sheet, lan !== undefined))
    const ignored = describeIgnoredSettings(env)
    if (ignored !== undefined) warn(ignored)
    const { asked, config, log } = await resolveDemoConfig(env, port, lan)
    const tell = (sentence: string) => (json ? undefined : warn(sentence))
    tell('Starting the demo and its database …')
    try {
      await runServer({ config, log, env }, async (store, _address, signal) => {
        if (asked !== config.port) warn(`Port ${asked} is in use: the demo runs on port ${config.port}.`)
        tell(`The server listens on ${config.publicUrl}. Preparing the demo account and its first product …`)
        const { mediaPlace } = config
        await prepareDemo(store, {
          dataDir: DATA_DIR,
          mediaPlace,
          signal,
          onReady: show,
          onProgress: tell,
        })
      })
    } catch (error) {
      const { summary } = error instanceof ServerAlreadyRunning ? readDemoNotes(DATA_DIR) : {}
      if (summary === undefined) throw error
      warn('The demo is running already. This is what it printed:')
      show(summary)
    }
    return undefined
  },
}

/** The demo uses these settings. The others belong to a real installation, or the demo decides them. */
const PASSED_SETTINGS = `
  ALLOW_INSECURE_WEBHOOKS WEBHOOK_ALLOW_CIDRS ALLOW_QUERY_API_KEY TRUSTED_PROXIES COUNTRY_HEADER
  GEO_MMDB_PATH METRICS_TOKEN SLOW_QUERY_MS PG_BIN_DIR LOG_FORMAT`
  .trim()
  .split(/\s+/)
const USED_SETTINGS: readonly string[] = [...PASSED_SETTINGS, 'PORT', 'HOST', 'LOG_LEVEL']

/** Names the settings of the environment that the demo ignores; undefined when there are none. */
export function describeIgnoredSettings(env: Environment): string | undefined {
  const names = SETTING_NAMES.filter(name => (env[name] ?? '').trim() !== '' && !USED_SETTINGS.includes(name))
  if (names.length === 0) return undefined
  return `The demo has its own data and addresses, in ${DATA_DIR}: it ignores ${names.join(', ')}.`
}

/** The demo's settings, without those of a real installation. `asked` is the requested port. */
export async function resolveDemoConfig(
  env: Environment,
  port: number | undefined,
  lan: string | undefined,
): Promise<{ asked: number; config: Config; log: Log }> {
  const requested = readConfig({
    PORT: port === undefined ? env.PORT : String(port),
    HOST: lan === undefined ? env.HOST : EVERY_INTERFACE,
    DATA_DIR,
    LOG_LEVEL: env.LOG_LEVEL ?? 'warn',
    ...Object.fromEntries(PASSED_SETTINGS.map(name => [name, env[name]])),
  })
  const free = await findFreePort(requested.host, requested.port)
  if (free === undefined)
    throw new CommandError(`No port from ${requested.port} on is free on ${requested.host}.`)
  const publicUrl = `http://${lan ?? 'localhost'}:${free}`
  const config = { ...requested, port: free, publicUrl, nsUrl: `${publicUrl}/ns/dpp` }
  return { asked: requested.port === 0 ? free : requested.port, config, log: createLog(config) }
}

/** Bridges of containers and virtual machines, and tunnels: no phone is behind them. */
const VIRTUAL = /^(docker|br-|veth|virbr|vmnet|vboxnet|tun|tap|utun|zt|wg|tailscale|lxc|cni|flannel)/i
const HOME = /^192\.168\./
const PRIVATE = /^(10\.|172\.(1[6-9]|2\d|3[01])\.)/
const LINK_LOCAL = /^169\.254\./

type Interfaces = NodeJS.Dict<Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[]>

/** The likeliest IPv4 address: a home network's first, a container bridge's last; undefined without any. */
export function findLanAddress(interfaces: Interfaces = networkInterfaces()): string | undefined {
  const candidates = Object.entries(interfaces).flatMap(([name, addresses]) =>
    (addresses ?? [])
      .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !LINK_LOCAL.test(address))
      .map(({ address }) => ({ address, rank: rank(name, address) })),
  )
  return candidates.sort((a, b) => a.rank - b.rank)[0]?.address
}

function rank(name: string, address: string): number {
  if (VIRTUAL.test(name)) return 3
  if (HOME.test(address)) return 0
  return PRIVATE.test(address) ? 1 : 2
}
