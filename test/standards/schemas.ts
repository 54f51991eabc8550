/** The schemas that documents of standards must pass. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/
const isTime = (text: string) => !Number.isNaN(Date.parse(text))
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uri: text => URL.canParse(text),
  date: text => /^\d{4}-\d{2}-\d{2}$/.test(text) && isTime(text),
  'date-time': text => RFC_3339.test(text) && isTime(text),
}

type SchemaName = 'untp-0.7.0-facts' | 'registry-line' | 'cirpass2-registry' | 'idta-aas-3.1'

/** Compiles a schema into a function that throws, with all errors, if a document is not valid. */
export function compileSchema(name: SchemaName): (document: unknown) => void {
  const schema = JSON.parse(readFileSync(new URL(`schemas/${name}.schema.json`, import.meta.url), 'utf8'))
  // The pattern for texts of the AAS schema counts halves of surrogate pairs.
  const options = { allErrors: true, strict: false, unicodeRegExp: name !== 'idta-aas-3.1' }
  const ajv = schema.$schema.includes('2019-09') ? new Ajv2019(options) : new Ajv2020(options)
  for (const [format, isValid] of Object.entries(FORMATS)) ajv.addFormat(format, isValid)
  const validate = ajv.compile(schema)
  return document => {
    assert.ok(validate(document), `${name}: ${JSON.stringify(validate.errors?.slice(0, 5))}`)
  }
}
