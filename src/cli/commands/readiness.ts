/** `carnet readiness`: what the law still wants of an account's products, or of one of them. */
import { actAsOperator } from '../../accounts/account/accounts.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { requireProductUuid } from '../../passports/read/find.ts'
import { fillAccountFacts, isRequiredGap, sumReadiness } from '../../passports/readiness/account-readiness.ts'
import { type ReadinessReport, reportPassport } from '../../passports/readiness/report-passport.ts'
import { getRules } from '../../readiness/rules.ts'
import { ACCOUNT_OPTION, getAccountId } from '../command-line/account-arguments.ts'
import { alignColumns, type Command, type CommandResult, formatTable } from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

export const readiness: Command = {
  usage: 'readiness --account A [--act X] [--product ID] [--fail]',
  about: 'shows what the law still wants of the active products of an account, or of one product',
  options: {
    ...ACCOUNT_OPTION,
    act: { hint: 'X', about: 'only this act, such as eu.battery.passport' },
    product: { hint: 'ID', about: 'the report of this product' },
    fail: { about: 'exit code 1 if a required rule of an act in force is not met, or only in part' },
  },
  run: onStore(
    args => ({
      accountId: getAccountId(args),
      act: args.find('act'),
      product: args.find('product'),
      fails: args.has('fail'),
    }),
    async (operator, { accountId, act, product, fails }) => {
      const ctx = await actAsOperator(operator, accountId)
      const { failure, ...result } =
        product === undefined
          ? await showAccount(ctx, act, () => !operator.stopping.aborted)
          : await showProduct(ctx, operator.addresses, product, act)
      return fails ? { ...result, failure } : result
    },
  ),
}

const describeRules = () => `Rules as of ${getRules().version}. This is advice, not legal advice.`

async function showAccount(
  ctx: AccountContext,
  act: string | undefined,
  goesOn: () => boolean,
): Promise<CommandResult> {
  await fillAccountFacts(ctx, goesOn)
  const { acts, pending, failing } = await sumReadiness(ctx, act)
  const rows = acts.map(one => [
    one.act,
    ...[one.in_scope, one.ready, one.incomplete, one.undetermined, one.nothing_asked].map(String),
    listGaps(one.by_rule),
  ])
  const table = formatTable(
    ['act', 'in scope', 'ready', 'incomplete', 'undetermined', 'nothing asked', 'most missing'],
    rows,
    'No act.',
  )
  const counts = Array.from(failing, ([id, n]) => `${n} of ${id}`)
  return {
    value: { rules_version: getRules().version, acts, pending },
    text: `${table}\n\n${describeRules()}`,
    failure: counts.length === 0 ? undefined : `Products without required information: ${counts.join(', ')}.`,
  }
}

const MAX_LISTED = 3

/** The rules that most products do not meet. */
function listGaps(byRule: Readonly<Record<string, { missing: number; partial: number }>>): string {
  const gaps = Object.entries(byRule).map(([id, { missing, partial }]) => ({ id, n: missing + partial }))
  const most = gaps.filter(({ n }) => n > 0).sort((a, b) => b.n - a.n)
  return most
    .slice(0, MAX_LISTED)
    .map(({ id, n }) => `${id} ${n}`)
    .join(', ')
}

async function showProduct(
  ctx: AccountContext,
  addresses: Parameters<typeof reportPassport>[1],
  id: string,
  act: string | undefined,
): Promise<CommandResult> {
  const report = await reportPassport(ctx, addresses, requireProductUuid(id), { act, detail: 'summary' })
  const failing = report.acts.filter(
    one => one.applies === true && one.status === 'in_force' && one.rules.some(isRequiredGap),
  )
  const names = failing.map(one => one.act).join(', ')
  return {
    value: report,
    text: `${report.acts.map(describeAct).join('\n')}\n\n${describeRules()}`,
    failure: failing.length === 0 ? undefined : `Required information is missing: ${names}.`,
  }
}

type Act = ReadinessReport['acts'][number]
type JudgedAct = Extract<Act, { applies: true }>

function describeAct(act: Act): string {
  if (act.applies === false) return `${act.title}: does not apply`
  if (act.applies === null) return `${act.title}: not known. ${act.question ?? ''}`.trimEnd()
  const { title, met, total, percent, rules, whole } = act
  const lines = rules.map(rule => [rule.outcome, rule.id, rule.title])
  const score = describeNothing(act) ?? `${met} of ${total}, ${percent} %`
  return [`${title}: ${score}${whole ? '' : ' (not all of its rules are known)'}`, alignColumns(lines, '  ')]
    .join('\n')
    .trimEnd()
}

/** Why nothing counts; undefined if something does. */
function describeNothing({ nothing_asked, units }: JudgedAct): string | undefined {
  switch (nothing_asked) {
    case undefined:
      return undefined
    case 'units':
      return `asked of its units: ${units?.lacking ?? 0} of ${units?.asked ?? 0} lack something`
    case 'check':
      return 'only a person can say what applies'
    case 'later':
      return 'nothing is due yet'
    case 'not_applicable':
      return 'asks nothing of this product'
  }
}
