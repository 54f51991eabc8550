/** `carnet accounts registry`, `carnet accounts backup-url`: what the EU registry gets of an account. */
import { withActor } from '../../accounts/account/actors.ts'
import {
  parseBackupUrl,
  type RegistrySettings,
  readRegistrySettings,
  setBackupUrl,
  setRegistryUse,
} from '../../accounts/account/registry-settings.ts'
import { ACCOUNT_OPTION, getAccountId } from '../command-line/account-arguments.ts'
import { type Arguments, type Command, type CommandResult, UsageError } from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

export const accountsRegistry: Command = {
  usage: 'accounts registry --account A [--on | --off]',
  about: 'shows or changes whether lines for the EU registry are made for the passports of an account',
  options: {
    ...ACCOUNT_OPTION,
    on: { about: 'make a line for each passport; a worker does it in the background' },
    off: { about: 'make no more lines; those that exist stay as they are' },
  },
  run: onStore(
    args => ({ accountId: getAccountId(args), isOn: readSwitch(args) }),
    async (ctx, { accountId, isOn }) =>
      describe(
        isOn === undefined
          ? await readRegistrySettings(ctx.sql, accountId)
          : await setRegistryUse(await withActor(ctx, accountId), isOn),
      ),
  ),
}

export const accountsBackupUrl: Command = {
  usage: 'accounts backup-url --account A [--url U]',
  about: 'shows or changes where copies of the passports of an account are published',
  options: {
    ...ACCOUNT_OPTION,
    url: { hint: 'U', about: 'an https address without a slash at the end, or none' },
  },
  run: onStore(
    args => ({ accountId: getAccountId(args), url: args.find('url') }),
    async (ctx, { accountId, url }) => {
      if (url === undefined) return describe(await readRegistrySettings(ctx.sql, accountId))
      const parsed = url === 'none' ? null : parseBackupUrl(url, ctx.addresses.publicUrl)
      return describe(await setBackupUrl(await withActor(ctx, accountId), parsed))
    },
  ),
}

function readSwitch(args: Arguments): boolean | undefined {
  if (args.has('on') && args.has('off')) throw new UsageError('--on and --off exclude each other.')
  return args.has('on') ? true : args.has('off') ? false : undefined
}

function describe({ isOn, backupBaseUrl }: RegistrySettings): CommandResult {
  const use = isOn
    ? 'The passports of this account are prepared for the EU registry.'
    : 'The passports of this account are not prepared for the EU registry.'
  const copies =
    backupBaseUrl === null
      ? 'There is no address of copies, which each line needs: see "carnet accounts backup-url".'
      : `Copies are at ${backupBaseUrl}/p/{id}.`
  return { value: { registry: isOn, backup_base_url: backupBaseUrl }, text: `${use} ${copies}` }
}
