/** `carnet offers …`: lists, adds, changes and deletes a kind of record, with an option for each member. */
import { actAsOperator } from '../../accounts/account/accounts.ts'
import type { RecordId } from '../../accounts/account/audit.ts'
import { idFromUuid, requireUuid } from '../../kernel/crypto/ids.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import {
  changeRecord,
  createRecord,
  deleteRecord,
  listRecords,
  type RecordStore,
} from '../../passports/core/store-records.ts'
import { RECORD_STORES } from '../../passports/records/record-stores.ts'
import { listRecordMembers, type MemberOfRecord, type RecordValues } from '../../records/record.ts'
import { toRecordJson } from '../../records/record-json.ts'
import { ACCOUNT_OPTION, getAccountId } from '../command-line/account-arguments.ts'
import { type Arguments, type Command, formatTable, UsageError } from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

export function recordsList(id: RecordId): Command {
  const store = RECORD_STORES[id]
  const { many } = store.type.names
  return {
    usage: `${many} list --account A`,
    about: `lists the ${many} of an account`,
    options: ACCOUNT_OPTION,
    run: onStore(getAccountId, async (ctx, accountId) => {
      const records = await listRecords(await actAsOperator(ctx, accountId), store)
      const rows = records.map(record => [idFromUuid(record.id), store.describe(record)])
      return {
        value: records.map(record => toRecordJson(store.type, record)),
        text: formatTable(['ID', store.type.names.one.toUpperCase()], rows, `The account has no ${many}.`),
      }
    }),
  }
}

export function recordsAdd(id: RecordId): Command {
  const store = RECORD_STORES[id]
  const { article, one, many } = store.type.names
  const required = listRecordMembers(store.type.members).filter(([, { required }]) => required)
  const needed = required.map(([name, member]) => `--${toOption(name)} ${HINTS[member.type]}`)
  return {
    usage: `${many} add --account A ${needed.join(' ')} [OPTIONS]`,
    about: `adds ${article} ${one} to an account`,
    options: { ...ACCOUNT_OPTION, ...listOptions(store) },
    run: onStore(
      args => ({ accountId: getAccountId(args), sent: readOptions(store, args) }),
      async (ctx, { accountId, sent }) => {
        const record = await createRecord(await actAsOperator(ctx, accountId), store, sent)
        return report(store, record, 'was added')
      },
    ),
  }
}

export function recordsChange(id: RecordId): Command {
  const store = RECORD_STORES[id]
  const { article, one, many } = store.type.names
  return {
    usage: `${many} change ID --account A [OPTIONS]`,
    about: `changes ${article} ${one}; what has no option stays, and "null" empties it`,
    positionals: ['ID'],
    options: { ...ACCOUNT_OPTION, ...listOptions(store) },
    run: onStore(
      args => ({
        accountId: getAccountId(args),
        id: requireUuid(args.get('ID'), one),
        sent: readOptions(store, args),
      }),
      async (ctx, { accountId, ...change }) =>
        report(store, await changeRecord(await actAsOperator(ctx, accountId), store, change), 'was changed'),
    ),
  }
}

export function recordsDelete(id: RecordId): Command {
  const store = RECORD_STORES[id]
  const { article, one, many } = store.type.names
  return {
    usage: `${many} delete ID --account A`,
    about: `deletes ${article} ${one}`,
    positionals: ['ID'],
    options: ACCOUNT_OPTION,
    run: onStore(
      args => ({ accountId: getAccountId(args), id: requireUuid(args.get('ID'), one) }),
      async (ctx, { accountId, id }) =>
        report(store, await deleteRecord(await actAsOperator(ctx, accountId), store, id), 'was deleted'),
    ),
  }
}

const HINTS: Readonly<Record<MemberOfRecord['type'], string>> = {
  line: 'TEXT',
  text: 'TEXT',
  texts: 'JSON',
  choice: 'NAME',
  link: 'URL',
  countries: 'CODES',
  whole: 'N',
  position: 'N',
  flag: 'yes|no',
  day: 'DAY',
  product: 'ID',
}

const toOption = (member: string) => member.replaceAll('_', '-')

function listOptions({ type }: RecordStore) {
  const options = listRecordMembers(type.members).map(([name, member]) => [
    toOption(name),
    { hint: HINTS[member.type], about: describeOption(member) },
  ])
  return Object.fromEntries(options)
}

/** A phrase without the full stop. */
function describeOption(member: MemberOfRecord): string {
  const about = member.description.replace(/\.$/, '')
  if (member.type === 'choice') return `${about}: ${member.values.join(', ')}`
  if (member.type === 'texts') return `${about}, as in {"en": "…"}`
  return member.type === 'countries' ? `${about}, separated by commas` : about
}

function readOptions({ type }: RecordStore, args: Arguments): RecordValues {
  const sent = listRecordMembers(type.members).flatMap(([name, member]) => {
    const option = toOption(name)
    const typed = args.find(option)
    return typed === undefined ? [] : [[name, readOption(member, option, typed)] as const]
  })
  return Object.fromEntries(sent)
}

/** As the API takes it; what does not fit is refused there, with the member's name. */
function readOption(member: MemberOfRecord, option: string, typed: string): unknown {
  if (typed === 'null') return member.type === 'countries' ? [] : null
  switch (member.type) {
    case 'texts': {
      const texts = tryParseJson(typed)
      if (texts !== undefined) return texts
      throw new UsageError(`--${option} must be a JSON object with a text for each language.`)
    }
    case 'countries':
      return typed.split(',').map(code => code.trim())
    case 'whole':
    case 'position':
      return Number(typed)
    case 'flag':
      return typed === 'yes' ? true : typed === 'no' ? false : typed
    default:
      return typed
  }
}

const report = (store: RecordStore, record: Parameters<RecordStore['describe']>[0], done: string) => ({
  value: toRecordJson(store.type, record),
  text: `${store.describe(record)} (${idFromUuid(record.id)}) ${done}.`,
})
