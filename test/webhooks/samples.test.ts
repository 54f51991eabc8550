/**
 * Tests the code samples of docs/webhooks.md on requests that Carnet really signs: each accepts only the
 * valid ones.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { hasServiceSignature, isFromCarnet } from '../../docs/webhooks/verify.ts'
import { createWebhookSecret } from '../../src/webhooks/secret.ts'
import { signEvent } from '../../src/webhooks/sign.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const NOW = new Date()

type Case = {
  what: string
  body: string
  headers: Record<string, string>
  secret: string
  fromCarnet: boolean
  service: boolean
}

/** A valid request, one during rotation, and requests that were tampered with. */
function cases(): Case[] {
  const [secret, other] = [createWebhookSecret(), createWebhookSecret()]
  const data = { id: '06f4k2m8n0p2q4r6s8t0v2w4x6', category: 'textile', version_no: 2, name: 'Grüße ☂' }
  const sign = (standardWebhooks: string[], serviceSignature: string, at = NOW) =>
    signEvent(
      { id: '06f4k2m8n0p2q4r6s8t0v2w4x7', event: 'product.updated', data: JSON.stringify(data), at },
      { standardWebhooks, serviceSignature },
    )
  const { body, headers } = sign([secret], secret)
  const rotated = sign([secret, other], other)
  const old = sign([secret], secret, new Date(NOW.getTime() - 600_000))
  const no = { secret, fromCarnet: false, service: false }
  return [
    { what: 'as it is sent', body, headers, secret, fromCarnet: true, service: true },
    { what: 'rotated, the new secret', ...rotated, secret, fromCarnet: true, service: false },
    { what: 'rotated, the old secret', ...rotated, secret: other, fromCarnet: true, service: true },
    { what: 'another secret', body, headers, ...no, secret: other },
    { what: 'another body', headers, ...no, body: body.replace('textile', 'battery') },
    { what: 'another id', body, ...no, headers: { ...headers, 'webhook-id': 'x' }, service: true },
    { what: 'ten minutes old', ...old, ...no, service: true },
    { what: 'no time', body, ...no, headers: { ...headers, 'webhook-timestamp': '' }, service: true },
    {
      what: 'no signature',
      body,
      ...no,
      headers: { ...headers, 'webhook-signature': '', 'x-service-signature': '' },
    },
    {
      what: 'nonsense',
      body,
      ...no,
      headers: { ...headers, 'webhook-signature': 'v1, é', 'x-service-signature': 'sha256=é' },
    },
  ]
}

const CASES = cases()
const EXPECTED = CASES.map(one => [one.what, one.fromCarnet, one.service])

let folder: string

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'carnet-samples-'))
  writeFileSync(join(folder, 'cases.json'), JSON.stringify(CASES))
})

after(() => rmSync(folder, { recursive: true, force: true }))

const isThere = (command: string, ...words: string[]) => spawnSync(command, words).status === 0

function run(command: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
}

/** Lines such as `true false`, in the order of the cases. */
const answers = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line, i) => [CASES[i]?.what, ...line.split(' ').map(word => word.toLowerCase() === 'true')])

test('the standardwebhooks library agrees with the expected results of the samples', () => {
  for (const { what, body, headers, secret, fromCarnet } of CASES) {
    const judged = () => new Webhook(secret).verify(body, headers)
    if (fromCarnet) assert.ok(judged(), what)
    else assert.throws(judged, what)
  }
})

describe('the samples', () => {
  test('TypeScript', () => {
    const found = CASES.map(({ what, body, headers, secret }) => [
      what,
      isFromCarnet(Buffer.from(body), headers, secret),
      hasServiceSignature(Buffer.from(body), headers['x-service-signature'] ?? '', secret),
    ])
    assert.deepEqual(found, EXPECTED)
  })

  test('Python', { skip: !isThere('python3', '--version') }, () => {
    copyFileSync(join(DOCS, 'webhooks/verify.py'), join(folder, 'verify.py'))
    writeFileSync(
      join(folder, 'run.py'),
      `import json, verify
for c in json.load(open("cases.json", encoding="utf-8")):
    body, h, s = c["body"].encode(), c["headers"], c["secret"]
    print(verify.is_from_carnet(body, h, s), verify.has_service_signature(body, h["x-service-signature"], s))
`,
    )
    assert.deepEqual(answers(run('python3', '-B', 'run.py')), EXPECTED)
  })

  test('PHP', { skip: !isThere('php', '--version') }, () => {
    copyFileSync(join(DOCS, 'webhooks/verify.php'), join(folder, 'verify.php'))
    writeFileSync(
      join(folder, 'run.php'),
      `<?php require 'verify.php';
foreach (json_decode(file_get_contents('cases.json'), true) as $c) {
  $a = isFromCarnet($c['body'], $c['headers'], $c['secret']);
  $b = hasServiceSignature($c['body'], $c['headers']['x-service-signature'], $c['secret']);
  echo var_export($a, true), ' ', var_export($b, true), "\\n";
}
`,
    )
    assert.deepEqual(answers(run('php', 'run.php')), EXPECTED)
  })

  test('Java', { skip: !isThere('java', '--version') }, () => {
    const sample = readFileSync(join(DOCS, 'webhooks/Verify.java'), 'utf8')
    const at = sample.indexOf('public final class')
    const calls = CASES.map(({ body, headers, secret }) => {
      const entries = Object.entries(headers).map(
        ([name, value]) => `Map.entry(${java(name)}, ${java(value)})`,
      )
      return `go(${java(body)}, Map.ofEntries(${entries.join(', ')}), ${java(secret)});`
    })
    // One file, so that one process compiles and runs it: the sample's imports, our caller, the sample.
    writeFileSync(
      join(folder, 'Run.java'),
      `${sample.slice(0, at)}
class Run {
  static void go(String text, Map<String, String> h, String s) throws Exception {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    System.out.println(Verify.isFromCarnet(body, h, s, System.currentTimeMillis() / 1000) + " "
        + Verify.hasServiceSignature(body, h.get("x-service-signature"), s));
  }
  public static void main(String[] args) throws Exception { ${calls.join('\n')} }
}
${sample.slice(at)}`,
    )
    assert.deepEqual(
      answers(run('java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', 'Run.java')),
      EXPECTED,
    )
  })
})

/** A Java string literal in ASCII. */
const java = (text: string) =>
  `"${[...text]
    .flatMap(letter => letter.split(''))
    .map(unit =>
      /[\w .,:=+/-]/.test(unit) ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .join('')
    .replaceAll('\\u0022', '\\"')
    .replaceAll('\\u005c', '\\\\')}"`

test('the documentation shows the samples unchanged', () => {
  const paper = readFileSync(join(DOCS, 'webhooks.md'), 'utf8')
  for (const name of ['verify.ts', 'verify.py', 'verify.php', 'Verify.java']) {
    assert.ok(paper.includes(readFileSync(join(DOCS, 'webhooks', name), 'utf8').trim()), name)
  }
})
