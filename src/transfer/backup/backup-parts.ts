/** The files of a backup of a database with shards, in the order in which they are written and restored. */
import { getShardSchema, SHARED_TABLES } from '../../kernel/db/shards.ts'
import type { BackupTable } from './tables.ts'

/** `shard`: whose tables it has; null: tables of `public`. */
export type BackupPart = { name: string; shard: number | null }

/** In the header of each file. `id` is the same in all files of a backup. */
export type BackupSet = { id: string; part: string; shards: readonly number[] }

export const SHARED_PART: BackupPart = { name: 'shared', shard: null }
const ACTORS_PART: BackupPart = { name: 'actors', shard: null }

/**
 * What is shared comes first: a GTIN is claimed before its product is visible, so no claim lacks its product.
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
export function findTarget({ shard }: BackupPart, shards: readonly number[]): number | null {
  if (shard === null || shards.includes(shard)) return shard
  return shards[shard % shards.length] ?? null
}

/** Whether a folder with these files is a backup, or the beginning of one. */
export const isBackupFolder = (names: readonly string[]): boolean =>
  names.some(name => name.startsWith(getPartFile(SHARED_PART)))
