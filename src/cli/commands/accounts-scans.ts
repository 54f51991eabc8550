/** `carnet accounts scans`: whether the scans of an account are counted, and when a code counts as cloned. */
import { isCategory } from '../../passports/core/check-data.ts'
import {
  type CloneRules,
  DEFAULT_CLONE_RULES,
  getScanSettings,
  type ScanSettings,
  setScanSettings,
} from '../../scans/settings.ts'
import { getAccountId } from '../command-line/account-arguments.ts'
import { type Arguments, type Command, CommandError, UsageError } from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

const RULE_NAMES = Object.keys(DEFAULT_CLONE_RULES)

export const accountsScans: Command = {
  usage:
    'accounts scans ID [--on | --off] [--category textile=off,…] [--clones countries=3,devices=10,… | off | default]',
  about: 'shows or changes how the scans of an account are counted',
  positionals: ['ID'],
  options: {
    on: { about: 'count scans, except in categories that are off' },
    off: { about: 'count no scans; nothing about readers is recorded' },
    category: { hint: 'textile=off', about: 'count the scans of a category: on or off' },
    clones: {
      hint: 'countries=3,…',
      about: `when an item's code counts as cloned: ${RULE_NAMES.join(', ')}; the others keep their default`,
    },
  },
  run: onStore(
    args => ({
      accountId: getAccountId(args, 'ID'),
      on: readSwitch(args),
      categories: readCategories(args.find('category')),
      cloneRules: readClones(args.find('clones')),
    }),
    async (ctx, input) => {
      const { accountId, ...change } = input
      const isChange = Object.values(change).some(value => value !== undefined)
      const settings = isChange ? await setScanSettings(ctx, input) : await getScanSettings(ctx, accountId)
      return { value: { id: String(accountId), ...settings }, text: describe(accountId, settings) }
    },
  ),
}

function readSwitch(args: Arguments): boolean | undefined {
  if (args.has('on') && args.has('off')) throw new UsageError('--on and --off exclude each other.')
  return args.has('on') ? true : args.has('off') ? false : undefined
}

function readCategories(text: string | undefined): Record<string, boolean> | undefined {
  const wrong = () => new UsageError(`--category is "${text}": it must be like textile=off,battery=on.`)
  return readPairs(text, wrong, (name, value) => {
    if (value !== 'on' && value !== 'off') throw wrong()
    if (!isCategory(name)) throw new CommandError(`There is no category "${name}", as given in --category.`)
    return [name, value === 'on']
  })
}

function readClones(text: string | undefined): Partial<CloneRules> | null | undefined {
  if (text === 'off') return null
  if (text === 'default') return {}
  const wrong = () =>
    new UsageError(
      `--clones is "${text}": it must be off, default, or whole numbers for ${RULE_NAMES.join(', ')}.`,
    )
  return readPairs(text, wrong, (name, value) => {
    const rule = RULE_NAMES.find(one => one === name)
    if (rule === undefined || !/^\d{1,9}$/.test(value)) throw wrong()
    return [rule, Number(value)]
  })
}

/** `a=1,b=2` as an object, each name once. */
function readPairs<T>(
  text: string | undefined,
  wrong: () => UsageError,
  read: (name: string, value: string) => readonly [string, T],
): Record<string, T> | undefined {
  if (text === undefined) return undefined
  const pairs = text.split(',').map(part => {
    const [name = '', value = '', ...more] = part.split('=').map(word => word.trim())
    if (more.length > 0) throw wrong()
    return read(name, value)
  })
  const names = new Set(pairs.map(([name]) => name))
  if (names.size !== pairs.length) throw wrong()
  return Object.fromEntries(pairs)
}

function describe(accountId: number, { on, off_categories: off, clone_rules: rules }: ScanSettings): string {
  const counted = on ? 'Scans are counted' : 'Scans are not counted'
  const except =
    off.length === 0
      ? ''
      : on
        ? `, except in ${off.join(', ')}`
        : ` (also switched off separately: ${off.join(', ')})`
  const clones =
    rules === null
      ? 'Carnet does not look for cloned codes.'
      : `A code counts as possibly cloned if its scans of one day come from ${rules.countries} countries and ${rules.devices} devices, ` +
        `from ${rules.many_countries} countries, or are ${rules.scans} by ${rules.scan_devices} devices.`
  return `Account ${accountId}: ${counted}${except}. ${clones}`
}
