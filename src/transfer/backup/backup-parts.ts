/** The files of a backup of a database with shards, in the order in which they are written and restored. */
import { getShardSchema, SHARED_TABLES } from '../../kernel/db/shards.ts'
import { invalidInput } from '../../kernel/errors/errors.ts'
import type { BackupTable } from '../tables.ts'

/** `shard`: whose tables it has; null: tables of `public`. */
export type BackupPart = { name: string; shard: number | null }

/** In the header of each file. `id` is the same in all files of a backup. */
export type BackupSet = {
  id: string
  part: string
  shards: readonly number[]
  /** The accounts with models on several of the shards. */
  spread: readonly { account: number; shards: readonly number[] }[]
}

export const SHARED_PART: BackupPart = { name: 'shared', shard: null }
const ACTORS_PART: BackupPart = { name: 'actors', shard: null }

/**
 * Shared tables come first: a GTIN is claimed before its product is visible, so no claim lacks its product.
 * Actors come last: versions and audit entries name them.
 */
export const listParts = (shards: readonly number[]): BackupPart[] => [
  SHARED_PART,
  ...shards.map(shard => ({ name: getShardSchema(shard), shard })),
  ACTORS_PART,
]

export const getPartFile = ({ name }: Pick<BackupPart, 'name'>): string => `${name}.backup`

/** Those of the tables of its schema that the part has. */
export function selectTables(part: BackupPart, tables: readonly BackupTable[]): readonly BackupTable[] {
  if (part.shard !== null) return tables
  return tables.filter(({ name }) =>
    part.name === ACTORS_PART.name
      ? name === 'actor'
      : name !== 'actor' && SHARED_TABLES.some(shared => shared === name),
  )
}

/** The rows of a shard that does not exist here get to one that does; without shards, to `public`. */
export function findTarget({ shard }: Pick<BackupPart, 'shard'>, shards: readonly number[]): number | null {
  if (shard === null || shards.includes(shard)) return shard
  return shards[shard % shards.length] ?? null
}

/** Throws `validation` if two shards of one account would become one. */
export function requireSeparateShards(
  { spread, shards: all }: Pick<BackupSet, 'spread' | 'shards'>,
  shards: readonly number[],
): void {
  for (const { account, shards: own } of spread) {
    const targets = new Set(own.map(shard => findTarget({ shard }, shards)))
    if (targets.size < own.length)
      throw invalidInput(
        `In the backup, account ${account} has products on the shards ${own.join(', ')}, of which two would become one here. Restore it onto at least ${Math.max(...all)} shards: "carnet shards create ${Math.max(...all)}" creates them in an empty database.`,
      )
  }
}

/** Returns true if a folder with these files is a backup, or the beginning of one. */
export const isBackupFolder = (names: readonly string[]): boolean =>
  names.some(name => name.startsWith(getPartFile(SHARED_PART)))
