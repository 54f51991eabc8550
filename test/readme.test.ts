/**
 * Tests that each sentence of README's list of features names what exists: calls, commands, console pages,
 * documents, and tests that show it. A sentence that changes needs its entry here.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ENDPOINTS } from '../src/api/endpoints.ts'
import { allCategories } from '../src/categories/catalogue.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { CONSOLE_ROUTES } from '../src/console/routes.ts'
import { LANGUAGES } from '../src/i18n/catalogue.ts'
import { MAX_DETAILS } from '../src/kernel/errors/errors.ts'
import { FORMAT_NAMES } from '../src/site/passport/formats.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

type Proof = {
  /** Operations of the API. */
  calls?: readonly string[]
  commands?: readonly string[]
  /** Paths of console pages. */
  pages?: readonly string[]
  /** Values of `?format=`. */
  formats?: readonly string[]
  /** A part of a file each, most of them the title of a test. */
  texts?: readonly (readonly [file: string, text: string])[]
  /** The values that the sentence counts or lists, as the code has them now. */
  says?: string
}

const listWords = (words: readonly string[]) => `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
const CATEGORY_WORDS: Record<string, string> = {
  textile: 'textiles',
  battery: 'batteries',
  furniture: 'furniture',
}
const CONSOLE_LANGUAGES: Record<string, string> = { en: 'English', de: 'German' }
const consoleLanguages = readdirSync(join(ROOT, 'locales/console')).filter(name => name.endsWith('.json'))

const PROOFS: Readonly<Record<string, Proof>> = {
  'Passports for textiles, batteries and furniture, on three levels: model, batch, item.': {
    says: `for ${listWords(allCategories().map(({ id }) => CATEGORY_WORDS[id] ?? id))}, on three levels: model, batch, item.`,
    calls: ['createProduct', 'createChildren'],
    texts: [['src/passports/units/check-unit.ts', "UnitLevel = 'batch' | 'item'"]],
  },
  'All versions are kept, and a chain of hashes shows later changes to them.': {
    calls: ['listVersions', 'getVersion'],
    texts: [
      ['test/transfer/account.test.ts', 'a file forged with a new checksum is detected by its hashes'],
      ['test/kernel/embedded-access.test.ts', 'the database role of the server'],
    ],
  },
  'A correction of a model can be applied to the units already sold.': {
    calls: ['updateProduct', 'previewRefresh', 'refreshProduct'],
    texts: [
      ['test/api/refresh.test.ts', 'refreshes one item, then a batch with its items, then all'],
      ['test/console/journeys.test.ts', 'a correction reaches units issued before'],
    ],
  },
  "Public pages without JavaScript, with labels in 24 languages, dark mode, print layout and the brand's logo and colour.":
    {
      says: `in ${LANGUAGES.length} languages`,
      texts: [
        ['test/site/browser.test.ts', 'one request, no script, no message, no cookie'],
        ['assets/passport.css', 'prefers-color-scheme: dark'],
        ['assets/passport.css', '@media print'],
        ['test/site/print.test.ts', 'a passport printed by a browser'],
        ['test/site/brand.test.ts', 'shows its name and accent at once'],
        ['test/site/brand.test.ts', 'shows its logo from our own origin'],
      ],
    },
  'The same data as JSON-LD.': {
    formats: ['jsonld'],
    texts: [
      ['test/standards/same-facts.test.ts', 'The forms of random passports hold the same values'],
      ['test/standards/all-forms.ts', 'renderJsonLd'],
    ],
  },
  'Signed documents ([EN 18223, UNTP, SD-JWT VC](docs/standards.md)) that say who signed and until when they may be trusted, and `carnet verify`, which prints what it has checked and what is not proven.':
    {
      formats: ['en', 'vc', 'vc-jwt', 'sd-jwt'],
      commands: ['verify', 'accounts signing'],
      texts: [
        ['test/api/dpp-signing.test.ts', 'a signature says until when it is valid'],
        ['test/api/issuer-identity.test.ts', 'is not named by the next signature after a withdrawal'],
        ['test/cli/verify.test.ts', 'Not proven:'],
        ['test/cli/altered-files.test.ts', 'a thousand alterations are refused, or stand under "not proven"'],
      ],
    },
  'Pictures and documents beside the facts.': {
    calls: ['createMedia'],
    pages: ['/console/media'],
  },
  'The operator can withdraw one for good if it must not be public.': {
    commands: ['media withdraw'],
    texts: [['test/media/withdraw.test.ts', 'a public document that is withdrawn']],
  },
  'Recalls on the page of every unit beneath the recalled product, and in every format.': {
    calls: ['setRecall', 'endRecall', 'listRecalls'],
    texts: [
      ['test/site/recalls.test.ts', 'on all levels beneath it and on no other, within a second'],
      ['test/site/recalls-in-documents.test.ts', 'in all of its languages while it holds'],
      ['test/site/recalls-in-documents.test.ts', 'is named by the badge and by the snippet of a shop'],
    ],
  },
  'Readiness reports: what EU acts still ask of a product, with the source of each rule.': {
    calls: ['getProductReadiness', 'getReadiness'],
    commands: ['readiness'],
    pages: ['/console/readiness'],
    texts: [
      ['test/api/readiness.test.ts', 'of the worked example: 15 of 37 for an item'],
      ['test/console/readiness.test.ts', 'names each rule with its question, source and hint'],
    ],
  },
  'Offers beside the facts: repair, spare parts, take-back.': {
    calls: ['listOffers', 'createOffer'],
    pages: ['/console/settings/offers'],
    texts: [
      ['test/site/offers.test.ts', 'stands after the key facts and has kinds in the order of the account'],
    ],
  },
  'Access links show protected fields to those who have the link: authorities, or readers with a legitimate interest.':
    {
      commands: ['access-links create'],
      pages: ['/console/settings/access-links'],
      texts: [
        ['test/site/protected.test.ts', 'appear only for their audience, on every level'],
        ['test/site/access.test.ts', 'a cookie opens only its own passport, and a forged one opens none'],
      ],
    },
  'GS1 Digital Link resolver, QR codes as SVG, printable label sheets.': {
    calls: ['getQr'],
    texts: [
      ['test/site/resolver.test.ts', 'each of the four forms redirects to its passport'],
      ['test/qr/svg.test.ts', 'any passport address decodes to itself'],
      ['test/console/labels.test.ts', 'label sheet formats'],
    ],
  },
  'Console in English and German: products, units, drafts, imports from XLSX and CSV, labels, scans, webhooks, people and their roles, passkeys, audit log.':
    {
      says: `in ${listWords(consoleLanguages.map(name => CONSOLE_LANGUAGES[name.slice(0, 2)] ?? name).toSorted())}:`,
      pages: [
        '/console/products',
        '/console/drafts',
        '/console/import',
        '/console/scans',
        '/console/webhooks',
        '/console/settings/people',
        '/console/settings/passkeys',
        '/console/settings/audit',
      ],
      texts: [
        ['test/transfer/read-spreadsheet.test.ts', 'XLSX'],
        ['test/transfer/read-spreadsheet.test.ts', 'CSV'],
        ['test/console/journeys.test.ts', 'labels of a batch are printed'],
      ],
    },
  'Without JavaScript, all of it works but passkeys.': {
    texts: [['test/console/journeys.test.ts', 'for (const [viewport, javaScriptEnabled] of [']],
  },
  'REST API with OpenAPI 3.1, bulk create-or-update, idempotency keys, dry runs, and up to 100 validation errors of a request in one answer.':
    {
      says: `up to ${MAX_DETAILS} validation errors of a request`,
      calls: ['syncProducts', 'getOpenapi'],
      texts: [
        ['src/api/openapi/document.ts', "openapi: '3.1"],
        ['test/api/idempotency.test.ts', 'executed once, answered twice, here and by another process'],
        ['test/api/dry-run.test.ts', '?dry_run=true succeeds as the real call would'],
        ['test/api/all-violations.test.ts', 'lists at most 100 violations, and says that there are more'],
      ],
    },
  '[Reference](docs/api.md); on a running server also at `/docs`.': {
    texts: [
      ['docs/api.md', '# '],
      ['test/api/docs.test.ts', 'has a section for every call'],
    ],
  },
  'Webhooks signed by the Standard Webhooks specification, with retries, a log and replay.': {
    commands: ['webhooks replay', 'webhooks deliveries'],
    texts: [
      ['test/webhooks/samples.test.ts', 'the standardwebhooks library agrees'],
      ['test/webhooks/sending-again.test.ts', 'replay starts six new attempts for events that were given up'],
    ],
  },
  'Scan statistics without cookies or stored IP addresses, and a warning when a code seems to have been copied.':
    {
      calls: ['getScans', 'getProductScans'],
      texts: [
        ['test/cli/scans.test.ts', 'no IP address or user agent is in the database'],
        ['test/scans/events.test.ts', 'a cloned code'],
      ],
    },
  'Operations: one PostgreSQL (embedded or your own), backups with restore drills, Prometheus metrics, zero-downtime restarts, account export, export as static pages, a signed copy at a second host.':
    {
      commands: ['backup', 'backup drill', 'export', 'mirror'],
      texts: [
        [
          'test/kernel/embedded-postgres.test.ts',
          'a killed database is restarted with all acknowledged data',
        ],
        ['test/cli/backup-drill.test.ts', 'restores the newest backup, checks it'],
        ['test/api/operator.test.ts', 'GET /metrics'],
        ['test/cli/several.test.ts', 'a rolling restart under load: every request is answered'],
        ['test/transfer/account.test.ts', 'export and import of an account'],
        ['test/transfer/static.test.ts', 'export --static'],
        ['test/transfer/mirror.test.ts', 'has every file in its manifest, which somebody else can verify'],
      ],
    },
  'Several servers may share one database.': {
    texts: [['test/cli/four-processes.test.ts', 'each of the four processes rejects a revoked key']],
  },
  'A [Citus cluster](docs/scale.md) is there to be tried out.': {
    commands: ['shards create'],
    texts: [
      ['docs/scale.md', 'So this is to try out, not yet to run a service on.'],
      ['test/citus/cluster.test.ts', 'has a coordinator without shards, and two workers'],
    ],
  },
}

/** The sentences of the list, without marks of Markdown. */
const sentences = (/^## Features$(.*?)^## /ms.exec(read('README.md'))?.[1] ?? '')
  .split(/^- /m)
  .slice(1)
  .map(item => item.replaceAll(/\*\*|\s+/g, mark => (mark === '**' ? '' : ' ')).trim())
  .flatMap(item => item.split(/(?<=\.) (?=[A-Z[])/))

const findMissing = (what: string, named: readonly string[] = [], known: readonly string[]) =>
  named.filter(name => !known.includes(name)).map(name => `${what} ${name}`)

describe("README's list of features", () => {
  for (const sentence of sentences) {
    test(sentence, () => {
      const proof = PROOFS[sentence]
      assert.ok(proof, 'the sentence has its entry in this file')
      const { calls, commands, pages, formats, texts = [], says = '' } = proof
      assert.ok(sentence.includes(says), `the code says: ${says}`)
      assert.deepEqual(
        [
          ...findMissing(
            'call',
            calls,
            ENDPOINTS.map(({ id }) => id),
          ),
          ...findMissing('command', commands, Object.keys(COMMANDS)),
          ...findMissing(
            'page',
            pages,
            CONSOLE_ROUTES.map(({ path }) => path),
          ),
          ...findMissing('format', formats, FORMAT_NAMES.split(', ')),
          ...texts.filter(([file, text]) => !read(file).includes(text)),
        ],
        [],
      )
    })
  }

  test('has each sentence of this file', () => {
    assert.deepEqual(sentences.toSorted(), Object.keys(PROOFS).toSorted())
  })
})
