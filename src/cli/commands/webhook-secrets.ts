/** `carnet webhooks rotate`, `activate`, `carnet secrets reseal`: change secrets without a pause. */
import { activateSecret, resealSecrets, rotateSecret } from '../../webhooks/rotate-secret.ts'
import type { Command } from '../command-line/command.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { onStore } from '../store/with-store.ts'
import { buildWebhookCommand } from './webhook-arguments.ts'

export const webhooksRotate = buildWebhookCommand({
  usage: 'webhooks rotate ID',
  about:
    'creates a new secret, shown only now; for 24 hours webhook-signature is signed with both, and X-Service-Signature with the old one',
  async run(ctx, wanted) {
    const rotated = await rotateSecret(ctx, buildWebhookSetup(ctx.config), wanted)
    const { id, url, secret, ...rest } = rotated
    const text = [
      `${secret}\n\nThat is the new secret of webhook ${id}. Save it now: it is not shown again.`,
      `Until ${rest.old_secret_until} the old secret signs too. "carnet webhooks activate ${id}" signs X-Service-Signature with the new one at once.`,
    ].join('\n')
    return { value: { id, url, secret, ...rest }, text }
  },
})

export const webhooksActivate = buildWebhookCommand({
  usage: 'webhooks activate ID',
  about: 'signs X-Service-Signature with the new secret now, not only after 24 hours',
  async run(ctx, id) {
    const webhook = await activateSecret(ctx, id)
    return { value: webhook, text: `The newest secret of webhook ${webhook.id} signs X-Service-Signature.` }
  },
})

export const secretsReseal: Command = {
  usage: 'secrets reseal',
  about:
    'encrypts stored secrets again with SECRET_KEY; reads them with OLD_SECRET_KEY or SECRET_KEY; all or none',
  run: onStore(
    () => undefined,
    async ctx => {
      const { sealer } = buildWebhookSetup(ctx.config)
      const done = await resealSecrets(ctx, sealer)
      const text = `${done.sealed_anew} secrets are encrypted again with key ${sealer.fingerprint}; ${done.already_current} already were.`
      return { value: { ...done, key: sealer.fingerprint }, text }
    },
  ),
}
