/** `carnet registry`: writes the lines for the EU registry to a file, and reads what it has answered. */
import { readFileSync } from 'node:fs'
import { actAsOperator } from '../../accounts/account/accounts.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import { LINE_STATES } from '../../passports/registry/entry.ts'
import { exportRegistryLines, LINE_FORMATS } from '../../passports/registry/export-lines.ts'
import {
  formatResultReport,
  MAX_RESULTS,
  type ResultReport,
  reportResults,
} from '../../passports/registry/parse-results.ts'
import { storeRegistryResults } from '../../passports/registry/store-results.ts'
import { sumRegistryEntries } from '../../passports/registry/sum-entries.ts'
import { explainFileError, requireNewPath, writeNewFile } from '../../transfer/new-file.ts'
import { ACCOUNT_OPTION, getAccountId } from '../command-line/account-arguments.ts'
import { type Command, CommandError } from '../command-line/command.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { onStore } from '../store/with-store.ts'

export const registryExport: Command = {
  usage: 'registry export --account A --to FILE [--state S] [--format F]',
  about: 'writes the lines for the EU registry to a file; lines that were ready count as exported then',
  options: {
    ...ACCOUNT_OPTION,
    to: { hint: 'FILE', about: 'the file to create' },
    state: { hint: 'S', about: `where the lines are: ${LINE_STATES.join(', ')}; the default is ready` },
    format: { hint: 'F', about: `${LINE_FORMATS.join(', ')}; the default is jsonl` },
  },
  run: onStore(
    args => ({
      accountId: getAccountId(args),
      path: args.get('to'),
      state: args.find('state') === undefined ? ('ready' as const) : args.getOneOf('state', LINE_STATES),
      format: args.find('format') === undefined ? ('jsonl' as const) : args.getOneOf('format', LINE_FORMATS),
    }),
    async (ctx, { accountId, path, state, format }) => {
      await requireNewPath(path, 'an export')
      const account = await actAsOperator(ctx, accountId)
      const { secretCipher } = buildWebhookSetup(ctx.config)
      const setup = { clock: ctx.clock, addresses: ctx.addresses, nsUrl: ctx.config.nsUrl, secretCipher }
      const lines = await writeNewFile(path, async put => {
        let count = format === 'csv' ? -1 : 0
        for await (const text of exportRegistryLines(setup, account, { state, format, marks: true })) {
          await put(Buffer.from(text))
          count += text.split('\n').length - 1
        }
        return count
      })
      const { states } = await sumRegistryEntries(account)
      const incomplete = states.get('incomplete') ?? 0
      const text = [`${path} has ${lines} lines.`]
      if (incomplete > 0)
        text.push(
          `${incomplete} passports have no line yet: the console lists what they lack, at /console/registry.`,
        )
      return { value: { path, lines, state, format, incomplete }, text: text.join('\n') }
    },
  ),
}

export const registryImport: Command = {
  usage: 'registry import --account A --from FILE',
  about: 'stores what the EU registry has answered; exit code 1 if a row could not be stored',
  options: {
    ...ACCOUNT_OPTION,
    from: { hint: 'FILE', about: 'a JSON file: {"results": [{"passport_id", "version_no", "state", …}]}' },
  },
  run: onStore(
    args => ({ accountId: getAccountId(args), path: args.get('from') }),
    async (ctx, { accountId, path }) => {
      const rows = readRows(path)
      const account = await actAsOperator(ctx, accountId)
      const report: ResultReport = { results: [], failed: [] }
      for (let start = 0; start < rows.length; start += MAX_RESULTS) {
        const results = rows.slice(start, start + MAX_RESULTS)
        const part = await reportResults({ results }, some => storeRegistryResults(account, some))
        report.results.push(...part.results.map(one => ({ ...one, index: one.index + start })))
        report.failed.push(...part.failed.map(one => ({ ...one, index: one.index + start })))
      }
      const value = formatResultReport(report)
      const { stored, unchanged, failed } = value.summary
      const errors = value.errors.map(({ index, error }) => `row ${index + 1}: ${error}`)
      return {
        value,
        text: [`${stored} results stored, ${unchanged} known before, ${failed} refused.`, ...errors].join(
          '\n',
        ),
        failure: failed === 0 ? undefined : `${failed} of ${rows.length} results were refused.`,
      }
    },
  ),
}

function readRows(path: string): unknown[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw explainFileError(error, path, 'read')
  }
  const sent: { results?: unknown } | null | undefined = tryParseJson(text)
  if (!Array.isArray(sent?.results) || sent.results.length === 0)
    throw new CommandError(
      `${path} must be JSON like {"results": [{"passport_id": "…", "version_no": 1, …}]}.`,
    )
  return sent.results
}
