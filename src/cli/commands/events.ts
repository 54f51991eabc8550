/** `carnet events`: the log of what happened to a batch or an item. */
import { actAsOperator } from '../../accounts/account/accounts.ts'
import { requireUuid } from '../../kernel/crypto/ids.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import { addEvent } from '../../passports/life/add-events.ts'
import { type LifeEvent, toEventJson } from '../../passports/life/event.ts'
import { listEvents } from '../../passports/life/read-events.ts'
import { ACCOUNT_OPTION, getAccountId } from '../command-line/account-arguments.ts'
import { type Arguments, type Command, formatTable, UsageError } from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

const PRODUCT_OPTION = {
  ...ACCOUNT_OPTION,
  product: { hint: 'ID', about: 'the id of the batch or item' },
} as const

/** A table on a screen; the API pages through longer logs. */
const MAX_LISTED = 500

export const eventsList: Command = {
  usage: 'events list --account A --product ID [--kind K]',
  about: 'lists the newest 500 events of a batch or item',
  options: { ...PRODUCT_OPTION, kind: { hint: 'K', about: 'only events of this kind' } },
  run: onStore(
    args => ({ accountId: getAccountId(args), uuid: readProduct(args), kind: args.find('kind') }),
    async (ctx, { accountId, uuid, kind }) => {
      const operator = await actAsOperator(ctx, accountId)
      const found = await listEvents(operator, uuid, { kind, limit: MAX_LISTED })
      const events = found.slice(0, MAX_LISTED)
      const value = events.map(toEventJson)
      const headings = ['NO.', 'AT', 'KIND', 'CORRECTED', 'RECORDED BY', 'NOTE']
      return { value, text: formatTable(headings, events.map(toCells), 'There is no event in this log.') }
    },
  ),
}

const toCells = ({ number, at, kind, correctedBy, recordedBy, data }: LifeEvent): string[] => [
  String(number),
  at,
  kind,
  correctedBy === null ? '' : `by ${correctedBy}`,
  recordedBy,
  Object.values(data.note ?? {})[0] ?? '',
]

export const eventsAdd: Command = {
  usage: 'events add --account A --product ID --event JSON [--dry-run]',
  about: 'adds an event to the log of a batch or item; nothing deletes it, a correction can withdraw it',
  options: {
    ...PRODUCT_OPTION,
    event: { hint: 'JSON', about: 'its kind, at, note and other members, as the API takes them' },
    'dry-run': { about: 'check it and store nothing' },
  },
  run: onStore(
    args => ({
      accountId: getAccountId(args),
      uuid: readProduct(args),
      event: readEvent(args),
      isDryRun: args.has('dry-run'),
    }),
    async (ctx, { accountId, ...input }) => {
      const value = toEventJson(await addEvent(await actAsOperator(ctx, accountId), input))
      const said = input.isDryRun ? 'would be stored' : 'is stored'
      return { value, text: `Event ${value.number}, ${value.kind} at ${value.at}, ${said}.` }
    },
  ),
}

const readProduct = (args: Arguments): string => requireUuid(args.get('product'), 'product')

function readEvent(args: Arguments): unknown {
  const event = tryParseJson(args.get('event'))
  if (event !== undefined) return event
  throw new UsageError(`--event is no JSON: write it as '{"kind": "repair", "at": "2029-05-04"}'.`)
}
