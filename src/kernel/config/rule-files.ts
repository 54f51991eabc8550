/** Files of rules, of Carnet and of an operator: JSON, read and checked at the start. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toError } from '../errors/errors.ts'

/** A rule file that cannot be used: the file, the place in it, and what is wrong. */
export class RuleFileError extends Error {
  override name = 'RuleFileError'
}

/** As Ajv makes it of a schema. */
type Validator<T> = {
  (file: unknown): file is T
  errors?: { instancePath: string; message?: string; data?: unknown }[] | null
}

/** Throws RuleFileError. */
export function listRuleFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(name => name.endsWith('.json'))
      .sort()
      .map(name => join(folder, name))
  } catch (error) {
    throw new RuleFileError(`${folder} cannot be read: ${toError(error).message}.`)
  }
}

/** Throws RuleFileError for the first problem. */
export function readRuleFile<T>(path: string, validate: Validator<T>): T {
  let file: unknown
  try {
    file = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new RuleFileError(`${path} is not JSON: ${toError(error).message}.`)
  }
  if (validate(file)) return file
  const [error] = validate.errors ?? []
  const given = JSON.stringify(error?.data)?.slice(0, 60)
  throw new RuleFileError(`${path}: ${error?.instancePath || 'the file'} ${error?.message} (it is ${given}).`)
}
