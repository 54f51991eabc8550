/** The rules of all acts: read from files at the start, checked against the field table, and compiled. */
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { allCategories, type CompleteCategory } from '../categories/catalogue.ts'
import type { Field } from '../categories/field.ts'
import { getInUseTable, getInUseTables, useInUseFolder } from '../categories/in-use/table.ts'
import { listRuleFiles, RuleFileError, readRuleFile } from '../kernel/config/rule-files.ts'
import { toError } from '../kernel/errors/errors.ts'
import { once } from '../kernel/values/memo.ts'
import type { Act, ActFile, Condition, ConditionFile, DueDay, Rule, RuleFile, Severity } from './act.ts'
import { ACT_SCHEMA } from './act-schema.ts'
import { EVENTS_FACT, parseFact, parseParameterFact, type RuleFact } from './fact.ts'

const BUNDLED = join(import.meta.dirname, '..', '..', 'rules', 'acts')

/** Deeper conditions are mistakes: the deepest of the law has three. */
const MAX_CONDITION_DEPTH = 10

export type Rules = {
  /** By category. */
  acts: ReadonlyMap<string, readonly Act[]>
  ruleIds: ReadonlySet<string>
  /** The newest day on which any act was compared with the law. */
  version: string
}

/**
 * Reads the bundled acts and those of a further folder. Throws RuleFileError for the first problem.
 * `categories` are those whose fields the rules may name.
 */
export function loadRules(folder?: string, categories = allCategories()): Rules {
  getInUseTables()
  const folders = folder === undefined ? [BUNDLED] : [BUNDLED, folder]
  const files = folders.flatMap(one =>
    listRuleFiles(one).map(path => ({ path, act: readRuleFile(path, getValidator()) })),
  )
  const ids = new Map<string, string>()
  for (const { path, act } of files)
    for (const id of [act.id, ...act.rules.map(rule => rule.id)]) {
      const other = ids.get(id)
      if (other !== undefined) throw new RuleFileError(`${path}: "${id}" is already in ${other}.`)
      ids.set(id, path)
    }
  const acts = new Map(
    categories.map(category => [
      category.id,
      files
        .filter(({ act }) => coversCategory(act, category.id))
        .map(one => compileAct(one, category, categories)),
    ]),
  )
  return {
    acts,
    ruleIds: new Set(files.flatMap(({ act }) => act.rules.map(rule => rule.id))),
    version: files.map(({ act }) => act.version).reduce((newest, one) => (one > newest ? one : newest), ''),
  }
}

let ownFolder: string | undefined
let current: Rules | undefined

/** The rules of this process, read at the first call. Throws RuleFileError. */
export function getRules(): Rules {
  current ??= loadRules(ownFolder)
  return current
}

/** Adds the acts and the tables of products in use of an operator's folder to those that come with Carnet. */
export function useRuleFolder(folder: string | undefined): void {
  if (folder === ownFolder) return
  ownFolder = folder
  current = undefined
  useInUseFolder(folder)
}

const getValidator = once(() => {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, verbose: true })
  ajv.addFormat('date', isDate)
  return ajv.compile<ActFile>(ACT_SCHEMA)
})

/** Also refuses days that do not exist, such as 2027-02-30. */
const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true

const coversCategory = (act: ActFile, category: string): boolean =>
  act.category === '*' || act.category === category || act.category.includes(category)

type Source = { path: string; act: ActFile }

/** The facts and parameters that the texts of an act name. */
type Compiler = {
  act: ActFile
  category: CompleteCategory
  findFact: (text: string) => RuleFact
}

/** Throws RuleFileError. */
function compileAct(
  { path, act }: Source,
  category: CompleteCategory,
  categories: readonly CompleteCategory[],
): Act {
  const covered = categories.filter(({ id }) => coversCategory(act, id))
  const compiler = { act, category, findFact: createFactFinder(covered) }
  const within = <T>(place: string, compile: () => T): T => {
    try {
      return compile()
    } catch (error) {
      throw new RuleFileError(`${path}: ${place}: ${toError(error).message}.`)
    }
  }
  const scopes = Object.entries(act.scopes).map(
    ([name, one]) => [name, within(`scopes.${name}`, () => compileCondition(one, compiler))] as const,
  )
  return {
    ...act,
    due: within('due', () => compileDays(act.due, act.due_small, compiler)),
    counts: act.counts ?? (act.status === 'in_force' ? 'required' : 'recommended'),
    applies: within('applies', () => compileCondition(act.applies ?? true, compiler)),
    scopes: new Map(scopes),
    rules: act.rules
      .filter(rule => rule.categories?.includes(category.id) ?? true)
      .map(rule => within(rule.id, () => compileRule(rule, compiler))),
  }
}

/** A fact may be about a field that only another category of the act has: then it is never true. */
function createFactFinder(covered: readonly CompleteCategory[]): (text: string) => RuleFact {
  const facts = new Map<string, RuleFact>()
  const findField = (path: string) =>
    covered
      .values()
      .map(({ fields }) => findAtPath(fields, path.split('.')))
      .find(one => one !== undefined)
  return text => {
    const known = facts.get(text)
    if (known !== undefined) return known
    const fact = parseFact(text, findField)
    if (fact.path !== undefined && findField(fact.path) === undefined)
      throw new Error(`"${text}" names no field of ${covered.map(({ id }) => id).join(' or ')}`)
    if (fact.metric !== undefined && !covered.some(({ id }) => isMeasurable(id, fact.metric)))
      throw new Error(`"${text}" names no metric of ${covered.map(({ id }) => id).join(' or ')}`)
    facts.set(text, fact)
    return fact
  }
}

const isMeasurable = (category: string, metric = ''): boolean =>
  metric === EVENTS_FACT || getInUseTable(category).metricByName.has(metric)

function compileRule(file: RuleFile, compiler: Compiler): Rule {
  const { act, category, findFact } = compiler
  const met = file.met.map(facts => facts.map(findFact))
  const partial = (file.partial ?? []).map(facts => facts.map(findFact))
  const paths = [...met, ...partial]
    .flat()
    .flatMap(({ path }) => path ?? [])
    .filter(path => findAtPath(category.fields, path.split('.')) !== undefined)
  return {
    ...file,
    from: compileDays(file.from ?? null, undefined, compiler),
    met,
    partial,
    when: compileCondition(file.when ?? true, compiler),
    paths: [...new Set(paths)],
    severityIn: readSeverity(file, act),
  }
}

/** `small`: the day of small undertakings, as rule files without conditions say it. */
function compileDays(file: RuleFile['from'], small: string | undefined, compiler: Compiler): DueDay[] {
  const { sources: source } = compiler.act
  if (Array.isArray(file))
    return file.map(day => ({ ...day, when: compileCondition(day.when ?? true, compiler) }))
  const days: DueDay[] = []
  if (small !== undefined) {
    const when: Condition = { kind: 'parameter', fact: { parameter: 'small_undertaking', values: ['true'] } }
    days.push({ on: small, for: 'Small undertakings', source, when })
  }
  if (typeof file === 'string') days.push({ on: file, for: 'Everybody', source, when: { kind: 'always' } })
  return days
}

function readSeverity({ severity }: RuleFile, act: ActFile): (scope: string) => Severity {
  if (typeof severity === 'string') return () => severity
  const scopes = Object.keys(act.scopes)
  const isComplete =
    Object.keys(severity).every(one => scopes.includes(one)) && scopes.every(one => one in severity)
  if (!isComplete) throw new Error(`severity must name each scope once, which are ${scopes.join(', ')}`)
  return scope => severity[scope] ?? 'excluded'
}

function compileCondition(file: ConditionFile, compiler: Compiler, depth = 0): Condition {
  if (depth > MAX_CONDITION_DEPTH)
    throw new Error(`the condition is deeper than ${MAX_CONDITION_DEPTH} levels`)
  const inner = (one: ConditionFile) => compileCondition(one, compiler, depth + 1)
  if (file === true) return { kind: 'always' }
  if (file === '?') return { kind: 'ask' }
  if (typeof file === 'string') {
    const parameter = parseParameterFact(file)
    if (parameter === undefined) return { kind: 'fact', fact: compiler.findFact(file) }
    if (compiler.act.parameters?.[parameter.parameter] === undefined)
      throw new Error(`"${file}" is not one of the act's parameters`)
    return { kind: 'parameter', fact: parameter }
  }
  if ('not' in file) return { kind: 'not', of: inner(file.not) }
  return 'all' in file ? { kind: 'all', of: file.all.map(inner) } : { kind: 'any', of: file.any.map(inner) }
}

function findAtPath(fields: readonly Field[], [name, ...rest]: readonly string[]): Field | undefined {
  const field = fields.find(one => one.name === name)
  return field === undefined || rest.length === 0 ? field : findAtPath(field.fields ?? field.of ?? [], rest)
}
