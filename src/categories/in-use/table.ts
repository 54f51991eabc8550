/**
 * Tables of products in use: which metrics an item of a category may have measured, and which kinds of events
 * a unit may have. They are data (`rules/in-use/`), checked when they are read.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { listRuleFiles, RuleFileError, readRuleFile } from '../../kernel/config/rule-files.ts'
import { once } from '../../kernel/values/memo.ts'
import type { Audience } from '../field.ts'
import { IN_USE_SCHEMA, type LIFE_STATES } from './table-schema.ts'

const BUNDLED = join(import.meta.dirname, '..', '..', '..', 'rules', 'in-use')
const COMMON = '*'

export type LifeState = (typeof LIFE_STATES)[number]

export type Metric = {
  name: string
  /** Its place in stored rows: never another's, never moved. */
  slot: number
  unit: string
  /** A counter only grows. */
  kind: 'gauge' | 'counter'
  min?: number
  max?: number
  /** Its place among the metrics that a page draws. */
  chart?: number
  source: readonly string[]
  /** By language; only in files of an operator. */
  label?: Readonly<Record<string, string>>
}

export type EventKind = {
  kind: string
  audience: readonly Audience[]
  isNegative: boolean
  /** Members beyond those of each event, such as `parts`. */
  fields: readonly string[]
  /** The passport ceases to exist with it. */
  ends: boolean
  state?: LifeState
  /** Only the server writes it. */
  isByServer: boolean
  label?: Readonly<Record<string, string>>
}

export type InUseTable = {
  category: string
  version: string
  /** Who may read measurements. */
  audience: readonly Audience[]
  /** In the order of their slots. */
  metrics: readonly Metric[]
  metricByName: ReadonlyMap<string, Metric>
  events: ReadonlyMap<string, EventKind>
}

type EventFile = Pick<EventKind, 'kind' | 'state' | 'label'> & {
  audience?: Audience[]
  negative?: boolean
  fields?: string[]
  ends?: boolean
  by?: 'server'
}

export type InUseFile = Pick<InUseTable, 'category' | 'version' | 'audience' | 'metrics'> & {
  events: EventFile[]
}

export type InUseTables = { common: InUseTable; byCategory: ReadonlyMap<string, InUseTable> }

/**
 * Reads the bundled tables and those in the folder `in-use` of an operator's folder. A category has one file.
 * Throws RuleFileError for the first problem.
 */
export function loadInUseTables(folder?: string): InUseTables {
  const own = folder === undefined ? undefined : join(folder, 'in-use')
  const folders = own !== undefined && existsSync(own) ? [BUNDLED, own] : [BUNDLED]
  const files = new Map<string, { path: string; file: InUseFile }>()
  for (const path of folders.flatMap(listRuleFiles)) {
    const file = readRuleFile(path, getValidator())
    const other = files.get(file.category)
    if (other !== undefined)
      throw new RuleFileError(`${path}: "${file.category}" is already in ${other.path}.`)
    checkMetrics(path, file.metrics)
    checkUnique(
      path,
      'the kind',
      file.events.map(({ kind }) => kind),
    )
    files.set(file.category, { path, file })
  }
  const commonFile = files.get(COMMON)
  if (commonFile === undefined) throw new RuleFileError(`${BUNDLED} has no table for "${COMMON}".`)
  const common = completeTable(commonFile.file, [])
  const commonKinds = [...common.events.values()]
  return {
    common,
    byCategory: new Map(
      Array.from(files.values(), ({ file }) => [file.category, completeTable(file, commonKinds)]),
    ),
  }
}

const getValidator = once(() =>
  new Ajv2020({ strict: false, verbose: true }).compile<InUseFile>(IN_USE_SCHEMA),
)

function checkMetrics(path: string, metrics: readonly Metric[]): void {
  checkUnique(
    path,
    'the metric',
    metrics.map(({ name }) => name),
  )
  checkUnique(
    path,
    'the slot',
    metrics.map(({ slot }) => slot),
  )
  checkUnique(
    path,
    'the place of a chart',
    metrics.flatMap(({ chart }) => chart ?? []),
  )
  const wrong = metrics.find(({ min = -Infinity, max = Infinity }) => min > max)
  if (wrong !== undefined) throw new RuleFileError(`${path}: ${wrong.name} has a min above its max.`)
}

function checkUnique(path: string, what: string, all: readonly (string | number)[]): void {
  const double = all.find((one, i) => all.indexOf(one) !== i)
  if (double !== undefined) throw new RuleFileError(`${path}: ${what} "${double}" is there twice.`)
}

/** A kind of the category stands in place of the common one of its name. */
function completeTable(file: InUseFile, common: readonly EventKind[]): InUseTable {
  const metrics = file.metrics.toSorted((a, b) => a.slot - b.slot)
  const own = file.events.map(event => completeKind(event, file.audience))
  return {
    category: file.category,
    version: file.version,
    audience: file.audience,
    metrics,
    metricByName: new Map(metrics.map(metric => [metric.name, metric])),
    events: new Map([...common, ...own].map(event => [event.kind, event])),
  }
}

const completeKind = (file: EventFile, audience: readonly Audience[]): EventKind => ({
  kind: file.kind,
  audience: file.audience ?? audience,
  isNegative: file.negative ?? false,
  fields: file.fields ?? [],
  ends: file.ends ?? false,
  isByServer: file.by === 'server',
  ...(file.state === undefined ? {} : { state: file.state }),
  ...(file.label === undefined ? {} : { label: file.label }),
})

let ownFolder: string | undefined
let current: InUseTables | undefined

/** Adds the tables of an operator's folder to those that come with Carnet. */
export function useInUseFolder(folder: string | undefined): void {
  ownFolder = folder
  current = undefined
}

/** Read at the first call. Throws RuleFileError. */
export function getInUseTables(): InUseTables {
  current ??= loadInUseTables(ownFolder)
  return current
}

/** A category without a file of its own has the common kinds of events, and no metrics. */
export const getInUseTable = (category: string): InUseTable =>
  getInUseTables().byCategory.get(category) ?? getInUseTables().common
