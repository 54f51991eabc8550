/** `carnet webhooks rotate`, `carnet secrets`: changing the keys without a gap. */
import { activateSecret, resealSecrets, rotateSecret } from '../../webhooks/rotate-secret.ts'
import type { Command } from '../command-line/command.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { withStore } from '../store/with-store.ts'
import { enterWebhookAccount, parseWebhookTarget, WEBHOOK_OPTIONS } from './webhook-arguments.ts'

export const webhooksRotate: Command = {
  usage: 'webhooks rotate ID',
  about:
    'makes a new secret, shown this once; for 24 hours both sign webhook-signature, and the old one X-Service-Signature',
  optionalPositional: 'ID',
  options: WEBHOOK_OPTIONS,
  run: ({ args, env }) => {
    const wanted = parseWebhookTarget(args)
    return withStore(env, async ctx => {
      const rotated = await rotateSecret(
        await enterWebhookAccount(ctx, wanted),
        buildWebhookSetup(ctx.config),
        wanted.id,
      )
      const { id, url, secret, ...rest } = rotated
      const text = [
        `${secret}\n\nThat is the new secret of webhook ${id}. Keep it now: it is not shown again.`,
        `Until ${rest.old_secret_until} the old one signs too; "carnet webhooks activate ${id}" moves X-Service-Signature earlier.`,
      ].join('\n')
      return { value: { id, url, secret, ...rest }, text }
    })
  },
}

export const webhooksActivate: Command = {
  usage: 'webhooks activate ID',
  about: 'lets the new secret sign X-Service-Signature from now on, without waiting for the 24 hours to end',
  optionalPositional: 'ID',
  options: WEBHOOK_OPTIONS,
  run: ({ args, env }) => {
    const wanted = parseWebhookTarget(args)
    return withStore(env, async ctx => {
      const webhook = await activateSecret(await enterWebhookAccount(ctx, wanted), wanted.id)
      return { value: webhook, text: `The newest secret of webhook ${webhook.id} signs X-Service-Signature.` }
    })
  },
}

export const secretsReseal: Command = {
  usage: 'secrets reseal',
  about:
    'seals what is stored anew under SECRET_KEY, after OLD_SECRET_KEY or itself has opened it; all of it or nothing',
  options: {},
  run: ({ env }) =>
    withStore(env, async ctx => {
      const { sealer } = buildWebhookSetup(ctx.config)
      const done = await resealSecrets(ctx, sealer)
      const text = `${done.sealed_anew} sealed anew under key ${sealer.fingerprint}, ${done.already_current} were already.`
      return { value: { ...done, key: sealer.fingerprint }, text }
    }),
}
