/**
 * Tests that docs/security.md says what the code does: the tests that it names show the defence, and its
 * rights, events and figures are those of the code.
 */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { MAX_ATTEMPTS_PER_SOURCE } from '../src/accounts/people/attempt-limits.ts'
import { hashCommonPassword } from '../src/accounts/people/common-passwords.ts'
import { MIN_PASSWORD_LENGTH } from '../src/accounts/people/password.ts'
import { CONSOLE_ROUTES } from '../src/console/routes.ts'
import { listCode, readDocument, readRows, readSection } from './markdown.ts'

const PAGE = 'docs/security.md'

/** The beginning of each threat in the table, with titles of tests in the files that its row names, in order. */
const SHOWN: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "reading another account's data": [
    ["404 for another account's product"],
    ['of another account: 404, the same page'],
  ],
  'protected fields on public pages': [['appear only for their audience, on every level']],
  'guessing passwords': [
    ['the list of breached passwords is sorted', 'verifies a hash with other parameters'],
    ['from many networks are delayed one after another'],
    ['too many attempts for an e-mail from one network'],
  ],
  'locking people out': [
    ['do not lock the person out'],
    ['the link then lets only the right password pass'],
    ['works while the password is blocked by failed attempts'],
  ],
  'finding out which e-mail addresses have an account': [
    ['rejects a wrong one and a missing hash'],
    ['an unknown e-mail, or one without an account, gets the same page'],
    ['an unknown e-mail and a wrong password get the same page'],
    ['an unknown e-mail gets the same offer'],
  ],
  'a browser left open': [
    [
      'protects keys, webhooks, people, passkeys, sessions',
      'renews the session token',
      'end thirty days after',
    ],
  ],
  'forged forms of other sites': [['a cross-site request changes nothing', 'either header is enough']],
  'scripts in data': [
    ['is shown as text:', 'a page has no script, no inline style and no handler'],
    ['every response has nosniff, HSTS and policies', 'unsafe-inline'],
  ],
  'hostile logos and spreadsheets': [
    ['keeps nothing of', 'the output has only allowed elements'],
    ['does not trust the sizes that an archive claims'],
  ],
  'hostile pictures and PDFs': [
    ['are refused, or come out as clean pictures and PDFs', 'that take too long end only their process'],
    ["'sandbox'"],
  ],
  'learning where a photo was taken': [['is turned as its metadata says, and keeps none of it']],
  'pictures before their publication': [
    ['is 404 until a passport shows the picture'],
    ['are chosen before publication'],
  ],
  'something public by mistake': [['is 410 at its address', 'cannot be stored again']],
  'documents that not everyone may read': [
    ['is the same 404 as for one that does not exist', 'is for the key and the session of the account'],
  ],
  'names that manipulate a terminal': [
    ['may contain no control or bidirectional characters', 'output to a terminal'],
  ],
  'webhooks, or files from addresses': [
    ['are checked at every call', 'are not reached by redirects'],
    ['follows redirects to other addresses of the same kind'],
  ],
  'floods of requests': [
    ['300 wrong keys, then 429', 'each key has its own limit'],
    ['never reads is disconnected'],
    ['a network that requests too many uncached pages'],
    ['refuse other files beyond the limit'],
    ['are listed in chunks'],
  ],
  'many large bodies at a time': [['gets 503 with Retry-After', 'sent a byte at a time, hold nothing']],
  'one reader, account or link': [
    ['take turns and are counted', 'the networks of one provider leave a permit for others'],
    ['the networks of a site and of a provider share a bucket'],
  ],
  'expensive answers': [
    ['a file has a limit of labels and of pixels'],
    ['rejects a second export at the same time'],
  ],
  'secrets at rest': [
    ['a key is dpp_live_, 36 random characters'],
    ['removing an endpoint deletes both of its secrets'],
  ],
  'stolen signing keys': [
    ['the private parts of replaced keys are gone', 'signatures of a revoked key are not served'],
  ],
  'altered histories': [
    ['the database itself rejects changing or deleting a version'],
    ['the database role of the server'],
    ['names the passport whose history was altered', 'a file forged with a new checksum'],
  ],
  'forged or readable backups': [
    ['nobody can change a backup without the key', 'the file is private', 'never by the file'],
  ],
  'a static export that leaves its folder': [['cannot leave the folder', 'through a symlink']],
  'printed codes that change their meaning': [['codes of units of the first account resolve to them']],
  'claiming or signing with the name': [
    ['is the approved company with the approved identifiers', 'is the service in every format'],
    ['of another account is refused, with a way out', 'is refused by every call that would claim it'],
  ],
  'inflated counts of readers': [
    ['limits the readers of a network and passport', 'counts an IPv6 /32 as one network'],
  ],
}

describe('the threats in docs/security.md', () => {
  const rows = readRows(readSection(PAGE, 'Threats and defences'))
  for (const [threat = '', , shownBy = ''] of rows) {
    test(threat, () => {
      const [, titles = []] = Object.entries(SHOWN).find(([start]) => threat.startsWith(start)) ?? []
      const files = listCode(shownBy)
      assert.equal(titles.length, files.length, 'each file has its tests in this file')
      const missing = files.flatMap((file, i) => {
        const text = readDocument(file)
        return (titles[i] ?? []).filter(title => !text.includes(title)).map(title => `${file}: ${title}`)
      })
      assert.deepEqual(missing, [])
    })
  }

  test('are all those of this file', () => {
    assert.equal(rows.length, Object.keys(SHOWN).length)
  })
})

/** Names what a form of the console is about, as the table of rights calls it. */
const NAMES: Readonly<Record<string, string>> = {
  products: 'products',
  import: 'products',
  drafts: 'drafts',
  media: 'files',
  scans: 'the counting of scans',
  'settings/access-links': 'access links',
  webhooks: 'pause, test and repeat webhooks',
  registry: 'registry lines',
  'settings/brand': 'the look of pages',
  'settings/offers': 'offers',
}

test('editors may change what docs/security.md says, and nothing else', () => {
  const row = readRows(readSection(PAGE, 'Who is trusted with what')).find(([who]) => who === 'editor')
  const sections = CONSOLE_ROUTES.filter(
    ({ method, access }) => method === 'POST' && access === 'editor',
  ).map(({ path }) => /^\/console\/(settings\/[\w-]+|[\w-]+)/.exec(path)?.[1] ?? path)
  const unnamed = [...new Set(sections)].filter(section => !row?.[1]?.includes(NAMES[section] ?? '?'))
  assert.deepEqual(unnamed, [])
  assert.deepEqual(
    Object.keys(NAMES).filter(section => !sections.includes(section)),
    [],
  )
})

test('the security events are those of the code', () => {
  const [, source = ''] =
    /type SecurityEvent =\n((?: {2}\| '\w+'\n)+)/.exec(
      readDocument('src/kernel/monitoring/security-events.ts'),
    ) ?? []
  const events = Array.from(source.matchAll(/'(\w+)'/g), ([, event = '']) => event)
  const rows = readRows(readSection(PAGE, 'What the log contains'))
  assert.deepEqual(rows.flatMap(([names = '']) => listCode(names)).toSorted(), events.toSorted())
})

test('the figures of passwords are those of the code', () => {
  const page = readDocument(PAGE)
  const list = statSync(join(import.meta.dirname, '../assets/common-passwords.bin'))
  const breached = list.size / hashCommonPassword('x').length
  const sentence = `refuses ${breached.toLocaleString('en')} passwords from breaches that have at least ${MIN_PASSWORD_LENGTH} characters`
  assert.ok(page.includes(sentence), sentence)
  assert.ok(page.includes(` ${MAX_ATTEMPTS_PER_SOURCE} tries for each source`))
})
