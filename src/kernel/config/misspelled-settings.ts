/** Finds settings with misspelled names, which would silently have no effect. */
import { countEdits } from '../values/edit-distance.ts'
import type { Environment } from './environment-reader.ts'

/** Every name that some part of Carnet reads from the environment. */
export const SETTING_NAMES: readonly string[] = `
  PORT HOST PUBLIC_URL NS_URL DPP_ID_BASE DATABASE_URL DATABASE_OWNER_URL DATA_DIR PG_BIN_DIR
  SECRET_KEY OLD_SECRET_KEY MEDIA_URL MEDIA_ACCESS_KEY MEDIA_SECRET_KEY
  ROLE WORKER_PORT WORKERS TRUSTED_PROXIES GEO_MMDB_PATH COUNTRY_HEADER
  ALLOW_QUERY_API_KEY ANY_ACCEPT ALLOW_INSECURE_WEBHOOKS WEBHOOK_ALLOW_CIDRS SMTP_URL MAIL_FROM SECURITY_CONTACT
  OPERATOR_EMAIL SERVICE_NAME SIGNATURE_DAYS
  TSA_URL RULES_DIR BACKUP_DIR BACKUP_EVERY BACKUP_KEEP METRICS_TOKEN SLOW_QUERY_MS LOG_LEVEL LOG_FORMAT`
  .trim()
  .split(/\s+/)

const PREFIX = 'CARNET_'
/** Shorter names are similar to too many others. */
const MIN_CHECKED_LENGTH = 6
/** From this length on, two edits rarely lead to another word. */
const MIN_LENGTH_FOR_TWO_EDITS = 9

/** One sentence for each name in the environment that is similar to one of ours. Values are not read. */
export function findMisspelledSettings(env: Environment): string[] {
  return Object.keys(env)
    .filter(name => env[name] !== undefined && !SETTING_NAMES.includes(name))
    .flatMap(name => {
      const meant = findIntended(name)
      return meant === undefined
        ? []
        : [`The setting ${name} is unknown and has no effect. Did you mean ${meant}?`]
    })
    .sort()
}

function findIntended(name: string): string | undefined {
  const plain = name.toUpperCase().replaceAll('-', '_')
  const bare = plain.startsWith(PREFIX) ? plain.slice(PREFIX.length) : plain
  if (SETTING_NAMES.includes(bare)) return bare
  if (bare.length < MIN_CHECKED_LENGTH) return undefined
  const maxEdits = bare.length >= MIN_LENGTH_FOR_TWO_EDITS ? 2 : 1
  return SETTING_NAMES.find(
    setting => setting.length >= MIN_CHECKED_LENGTH && countEdits(bare, setting) <= maxEdits,
  )
}
