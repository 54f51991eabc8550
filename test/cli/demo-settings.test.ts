/** Tests which settings the demo uses, and that it names the ignored ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeIgnoredSettings, resolveDemoConfig } from '../../src/cli/commands/demo.ts'

test('uses the settings for experiments, but has its own data, keys and addresses', async () => {
  const { config } = await resolveDemoConfig(
    {
      PORT: '0',
      ALLOW_INSECURE_WEBHOOKS: 'true',
      WEBHOOK_ALLOW_CIDRS: '10.20.0.0/16',
      ALLOW_QUERY_API_KEY: 'true',
      TRUSTED_PROXIES: '127.0.0.1',
      COUNTRY_HEADER: 'CF-IPCountry',
      GEO_MMDB_PATH: '/own.mmdb',
      DATA_DIR: '/elsewhere',
      DATABASE_URL: 'postgres://real.example/carnet',
      SECRET_KEY: 'a secret key that only tests know, long enough',
      PUBLIC_URL: 'https://pass.example',
      SMTP_URL: 'smtp://mail.example',
      MAIL_FROM: 'carnet@mail.example',
    },
    undefined,
    undefined,
  )
  assert.equal(config.allowInsecureWebhooks, true)
  assert.deepEqual(config.webhookAllowCidrs, ['10.20.0.0/16'])
  assert.equal(config.allowQueryApiKey, true)
  assert.deepEqual(config.trustedProxies, ['127.0.0.1'])
  assert.equal(config.countryHeader, 'cf-ipcountry')
  assert.equal(config.geoMmdbPath, '/own.mmdb')
  assert.equal(config.dataDir, './data/demo')
  assert.deepEqual([config.databaseUrl, config.secretKey, config.smtp], [undefined, undefined, undefined])
  assert.match(config.publicUrl, /^http:\/\/localhost:\d+$/)
})

test('lists the settings that it ignores in one line, and no others', () => {
  assert.equal(
    describeIgnoredSettings({
      DATABASE_URL: 'postgres://a',
      DATA_DIR: './x',
      WORKERS: ' ',
      PORT: '1',
      PATH: '/bin',
      HOME: '/',
    }),
    'The demo has its own data and addresses, in ./data/demo: it ignores DATABASE_URL, DATA_DIR.',
  )
  assert.equal(
    describeIgnoredSettings({ TRUSTED_PROXIES: '127.0.0.1', COUNTRY_HEADER: 'x', LOG_LEVEL: 'info' }),
    undefined,
  )
})
