/** `carnet accounts`: creates and lists accounts, and sets their plans and quotas. */
import {
  type AccountWithUsage,
  createAccountByOperator,
  listAccounts,
  setPlan,
} from '../../accounts/account/accounts.ts'
import { AUDIENCE_PROFILES, setAudienceProfile } from '../../accounts/account/audience-profile.ts'
import { closeAccount, reopenAccount } from '../../accounts/account/close-account.ts'
import { setIndexing } from '../../accounts/account/indexing.ts'
import { setOperatorAccount } from '../../accounts/account/operator-accounts.ts'
import { LEVELS, type PassportLevel, type QuotaOverrides } from '../../accounts/account/plans.ts'
import { getAccountId, parseName } from '../command-line/account-arguments.ts'
import { type Arguments, type Command, formatTable, UsageError } from '../command-line/command.ts'
import { CREATES_STORE, onStore } from '../store/with-store.ts'

const PLAN_OPTION = { plan: { hint: 'P', about: 'free, beta, pro, business or enterprise' } }

const getId = (args: Arguments): number => getAccountId(args, 'ID')

export const accountsCreate: Command = {
  usage: 'accounts create --name N --plan P',
  about: 'creates an account; other commands call its id A',
  options: { name: { hint: 'N', about: 'the name of the account' }, ...PLAN_OPTION },
  run: onStore(
    args => ({ name: parseName(args, 'name'), plan: args.get('plan') }),
    async (ctx, input) => {
      const account = await createAccountByOperator(ctx, input)
      return describe(account, `on the plan ${account.plan}`)
    },
    CREATES_STORE,
  ),
}

export const accountsList: Command = {
  usage: 'accounts list',
  about: 'lists the accounts with their plans and usage',
  run: onStore(
    () => undefined,
    async ctx => {
      const accounts = await listAccounts(ctx)
      const rows = accounts.map(account => [
        account.id,
        account.name,
        formatPlan(account),
        ...LEVELS.map(level => String(account.used[level])),
        formatLimits(account),
      ])
      const headings = ['ID', 'NAME', 'PLAN', 'MODELS', 'BATCHES', 'ITEMS', 'OVER THE PLAN']
      return { value: accounts, text: formatTable(headings, rows, 'There are no accounts.') }
    },
  ),
}

const formatPlan = ({ plan, closed_at, operator }: AccountWithUsage): string =>
  [plan, ...(closed_at === null ? [] : ['closed']), ...(operator ? ['operator'] : [])].join(', ')

const formatLimits = ({ quota, requests_per_minute: rate }: AccountWithUsage): string =>
  [...formatQuota(quota), ...(rate === undefined ? [] : [`${rate} requests a minute`])].join(', ')

const formatQuota = (quota: QuotaOverrides): string[] =>
  LEVELS.flatMap(level => (quota[level] === undefined ? [] : [`${level} ${quota[level]}`]))

export const accountsSetPlan: Command = {
  usage: 'accounts set-plan ID --plan P [--quota model=1,batch=2,item=3] [--requests-per-minute N]',
  about: 'changes the plan of an account; the options replace limits of the plan',
  positionals: ['ID'],
  options: {
    ...PLAN_OPTION,
    quota: { hint: 'model=1,batch=2,item=3', about: 'how many passports of each level the account may have' },
    'requests-per-minute': { hint: 'N', about: 'how many requests each API key may make in a minute' },
  },
  run: onStore(
    args => ({
      accountId: getId(args),
      quota: parseQuota(args.find('quota')),
      plan: args.get('plan'),
      // A hundred million or more is a typing error.
      requestsPerMinute: args.findInteger('requests-per-minute', 1, 99_999_999),
    }),
    async (ctx, input) => {
      const account = await setPlan(ctx, input)
      const over = Object.entries(input.quota).map(([level, count]) => `${level} ${count}`)
      const quota = over.length === 0 ? '' : `, with a quota of ${over.join(', ')}`
      const { plan, requestsPerMinute: rate } = input
      const more = rate === undefined ? quota : `${quota}, with ${rate} requests a minute`
      return describe(account, `on the plan ${plan}${more}`)
    },
  ),
}

export const accountsSetIndexing: Command = {
  usage: 'accounts set-indexing ID --search-engines yes|no',
  about: 'allows search engines to list the products of an account, or asks them not to; the default is yes',
  positionals: ['ID'],
  options: { 'search-engines': { hint: 'yes|no', about: 'whether search engines may list them' } },
  run: onStore(
    args => ({
      accountId: getId(args),
      indexable: args.getOneOf('search-engines', ['yes', 'no']) === 'yes',
    }),
    async (ctx, input) => {
      const account = await setIndexing(ctx, input)
      const may = input.indexable ? 'may' : 'are asked not to'
      return { value: account, text: `Search engines ${may} list the models of "${account.name}".` }
    },
  ),
}

export const accountsSetAudience: Command = {
  usage: 'accounts set-audience ID --profile contract|law',
  about:
    'chooses who sees protected fields of an account: as documented, or as the law names; the default is contract',
  positionals: ['ID'],
  options: { profile: { hint: 'contract|law', about: 'which audiences the fields have' } },
  run: onStore(
    args => ({ accountId: getId(args), profile: args.getOneOf('profile', AUDIENCE_PROFILES) }),
    async (ctx, input) => {
      const account = await setAudienceProfile(ctx, input)
      const by = input.profile === 'law' ? 'the audiences of the law' : 'the documented audiences'
      return { value: account, text: `The passports of "${account.name}" have ${by}.` }
    },
  ),
}

export const accountsOperator: Command = {
  usage: 'accounts operator ID on|off',
  about: 'marks an account of your own people: its owners answer requests for verification in the console',
  positionals: ['ID', 'STATE'],
  run: onStore(
    args => ({ accountId: getId(args), isOperator: args.getOneOf('STATE', ['on', 'off']) === 'on' }),
    async (ctx, input) => {
      const account = await setOperatorAccount(ctx, input)
      const text = input.isOperator
        ? `Owners of "${account.name}" answer requests for verification in the console.`
        : `Owners of "${account.name}" no longer answer requests for verification.`
      return { value: account, text }
    },
  ),
}

export const accountsClose: Command = {
  usage: 'accounts close ID',
  about: 'closes an account: its keys and people can no longer change anything; its public pages stay',
  positionals: ['ID'],
  run: onStore(getId, async (ctx, accountId) => describe(await closeAccount(ctx, accountId), 'closed')),
}

export const accountsReopen: Command = {
  usage: 'accounts reopen ID',
  about: 'opens a closed account again, as it was',
  positionals: ['ID'],
  run: onStore(getId, async (ctx, accountId) => describe(await reopenAccount(ctx, accountId), 'open')),
}

const describe = (account: { id: string; name: string }, state: string) => ({
  value: account,
  text: `Account ${account.id} "${account.name}" is ${state}.`,
})

/** `model=1,batch=2` as numbers. Throws UsageError. */
export function parseQuota(text: string | undefined): QuotaOverrides {
  const quota: QuotaOverrides = {}
  for (const part of text?.split(',') ?? []) {
    const [, name, count] = /^\s*([a-z]+)\s*=\s*(\d{1,15})\s*$/.exec(part) ?? []
    const level: PassportLevel | undefined = LEVELS.find(one => one === name)
    if (level === undefined || quota[level] !== undefined) {
      throw new UsageError(
        `--quota is "${text}": it must be whole numbers like model=1,batch=2,item=3, each level once at most.`,
      )
    }
    quota[level] = Number(count)
  }
  return quota
}
