/** Tests that the lists of settings, commands, calls, formats, errors, events and acts in the documentation are complete. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { buildDppOpenapi } from '../src/api/dpp/openapi.ts'
import { DETAIL_CATALOGUE, ERROR_CATALOGUE } from '../src/api/endpoint/error-catalogue.ts'
import { STATUS } from '../src/api/endpoint/errors.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { SETTING_NAMES } from '../src/kernel/config/misspelled-settings.ts'
import { DOCUMENT_FORMATS } from '../src/passports/documents/formats.ts'
import { REGISTRY_STATES } from '../src/passports/registry/entry.ts'
import { ALTERNATE_FORMATS, HTML } from '../src/site/passport/formats.ts'
import { EVENT_TYPES } from '../src/webhooks/insert-events.ts'
import { listCode, readRows, readSection } from './markdown.ts'

const OPERATING = 'docs/operating.md'
const STANDARDS = 'docs/standards.md'

test('docs/operating.md lists all settings', () => {
  const rows = readRows(readSection(OPERATING, 'Settings'))
  const named = rows.flatMap(([names = '']) => listCode(names))
  assert.deepEqual(named.toSorted(), SETTING_NAMES.toSorted())
})

/** `webhooks pause|resume ID` is two commands. */
function listCommands(usage: string): string[] {
  const words = usage.split(' ')
  const spellings = words.slice(0, 3).reduce<string[]>((found, word) => {
    const starts = found.length === 0 ? [''] : found
    return starts.flatMap(start => word.split('|').map(one => `${start} ${one}`.trim()))
  }, [])
  return spellings.map(words => {
    const parts = words.split(' ')
    const lengths = [3, 2, 1].map(length => parts.slice(0, length).join(' '))
    return lengths.find(name => Object.hasOwn(COMMANDS, name)) ?? words
  })
}

const listOptions = (usage: string): string[] => usage.match(/--[a-z][a-z0-9-]*/g) ?? []

describe('the commands in docs/operating.md', () => {
  const rows = readRows(readSection(OPERATING, 'Command line'))
  const usages = rows.flatMap(([cell = '']) => listCode(cell))

  test('are all commands', () => {
    const named = new Set(usages.flatMap(listCommands))
    assert.deepEqual([...named].toSorted(), Object.keys(COMMANDS).toSorted())
  })

  test('have the options of the code', async () => {
    const loaded = await Promise.all(
      Object.entries(COMMANDS).map(async ([name, entry]) => [name, await entry.load()] as const),
    )
    const wrong = loaded.flatMap(([name, { usage }]) => {
      const own = [...rows, ...readRows(readSection(OPERATING, 'Start commands'))].filter(([cell = '']) =>
        listCode(cell).some(text => listCommands(text).includes(name) || text.startsWith(`npm run ${name} `)),
      )
      const written = own.map(row => row.join(' ')).join(' ')
      return listOptions(usage)
        .filter(option => !written.includes(option))
        .map(option => `${name} ${option}`)
    })
    const invented = usages.flatMap(text => {
      const known = loaded
        .filter(([name]) => listCommands(text).includes(name))
        .flatMap(([, { options = {} }]) => Object.keys(options).map(option => `--${option}`))
      return listOptions(text)
        .filter(option => !known.includes(option))
        .map(option => `${text}: ${option}`)
    })
    assert.deepEqual([...wrong, ...invented], [])
  })
})

describe('docs/standards.md', () => {
  test('lists the calls of /dpp/v1', () => {
    const { paths } = buildDppOpenapi(
      { publicUrl: 'https://a.example', apiUrl: 'https://a.example/api/v1' } as never,
      '1',
    )
    const calls = Object.entries(paths as object).flatMap(([path, methods]) =>
      Object.keys(methods as object)
        .filter(method => /^(?:get|post|patch|delete)$/.test(method))
        .map(method => `${method.toUpperCase()} ${path.replace('{elementIdPath}', '{path}')}`),
    )
    const rows = ['Reading', 'Writing'].flatMap(title => readRows(readSection(STANDARDS, title)))
    const listed = rows.flatMap(([call = '']) => listCode(call)).map(call => call.replace(/\?.*$/, ''))
    assert.deepEqual([...listed, 'POST /registerDPP'].toSorted(), calls.toSorted())
    assert.ok(readSection(STANDARDS, 'What is not there').includes('`POST /registerDPP`'))
  })

  test("lists the formats at a passport's address, each with its media type", () => {
    const formats = [HTML, ...ALTERNATE_FORMATS, ...DOCUMENT_FORMATS]
    const shared = formats.filter(({ id }) => id === 'en-full')
    const rows = readRows(readSection(STANDARDS, "At the passport's address"))
    assert.deepEqual(
      rows.map(([id = '', type = '']) => [listCode(id)[0], listCode(type)[0]]),
      formats.map(format => [format.id, shared.includes(format) ? undefined : format.mediaTypes[0]]),
    )
  })

  test('lists the states of entries for the registry', () => {
    const rows = readRows(readSection(STANDARDS, 'EU registry'))
    assert.deepEqual(
      rows.flatMap(([state = '']) => listCode(state)),
      [...REGISTRY_STATES],
    )
  })
})

describe('docs/api.md', () => {
  const rows = readRows(readSection('docs/api.md', 'Errors'))

  test('lists all error codes, each with its status', () => {
    const listed = rows.flatMap(([status = '', code = '']) =>
      /^\d+$/.test(status) ? [`${listCode(code)[0]} ${status}`] : [],
    )
    const known = Object.keys(ERROR_CATALOGUE).map(
      code => `${code} ${(STATUS as Record<string, number>)[code]}`,
    )
    assert.deepEqual(listed.toSorted(), known.toSorted())
  })

  test('lists all codes of a violation', () => {
    const listed = rows.flatMap(([codes = '']) => listCode(codes))
    assert.deepEqual(listed.toSorted(), Object.keys(DETAIL_CATALOGUE).toSorted())
  })
})

test('docs/webhooks.md lists all events', () => {
  const rows = readRows(readSection('docs/webhooks.md', 'Start'))
  const listed = rows.flatMap(([events = '']) => listCode(events)).filter(event => event !== 'webhook.test')
  assert.deepEqual(listed.toSorted(), EVENT_TYPES.toSorted())
})

test('docs/readiness.md lists all acts', () => {
  const acts = readdirSync(join(import.meta.dirname, '../rules/acts')).map(name =>
    name.replace(/\.json$/, ''),
  )
  const listed = readRows(readSection('docs/readiness.md', 'The acts')).flatMap(([act = '']) => listCode(act))
  assert.deepEqual(listed.toSorted(), acts.toSorted())
})
