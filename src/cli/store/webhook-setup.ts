/** Builds what webhooks need from the settings: the key of their secrets, and the allowed addresses. */
import type { Config } from '../../kernel/config/config.ts'
import { createSecretCipher } from '../../kernel/crypto/secret-cipher.ts'
import { createAddressList } from '../../kernel/http/ip-ranges.ts'
import type { WebhookSetup } from '../../webhooks/manage-webhooks.ts'
import { getOrCreateSecretKey } from './secret-key.ts'

export function buildWebhookSetup(config: Config): WebhookSetup {
  const { oldSecretKey, allowInsecureWebhooks, webhookAllowCidrs } = config
  return {
    secretCipher: createSecretCipher(
      getOrCreateSecretKey(config),
      oldSecretKey === undefined ? [] : [oldSecretKey],
    ),
    policy: { allowInsecureLoopback: allowInsecureWebhooks, allowed: createAddressList(webhookAllowCidrs) },
  }
}
