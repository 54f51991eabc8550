/** The house rules as data: which folder may import which, who owns a table, and what no file may do. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import ts from 'typescript'

const ARROWS: Record<string, readonly string[]> = {
  'main.ts': ['cli'],
  api: [
    'records',
    'passports',
    'scans',
    'media',
    'accounts',
    'readiness',
    'standards',
    'categories',
    'gs1',
    'qr',
    'kernel',
  ],
  site: ['passports', 'scans', 'media', 'accounts', 'standards', 'categories', 'gs1', 'qr', 'i18n', 'kernel'],
  console: [
    'transfer',
    'passports',
    'scans',
    'media',
    'webhooks',
    'accounts',
    'readiness',
    'categories',
    'qr',
    'i18n',
    'records',
    'kernel',
  ],
  worker: ['transfer', 'passports', 'webhooks', 'scans', 'media', 'accounts', 'kernel'],
  cli: [
    'api',
    'site',
    'console',
    'worker',
    'transfer',
    'passports',
    'webhooks',
    'scans',
    'media',
    'accounts',
    'readiness',
    'standards',
    'records',
    'kernel',
  ],
  transfer: ['passports', 'media', 'accounts', 'categories', 'gs1', 'kernel'],
  passports: [
    'readiness',
    'standards',
    'webhooks',
    'media',
    'categories',
    'records',
    'accounts',
    'gs1',
    'i18n',
    'kernel',
  ],
  scans: ['webhooks', 'accounts', 'kernel'],
  webhooks: ['accounts', 'kernel'],
  media: ['accounts', 'kernel'],
  records: ['accounts', 'categories', 'kernel'],
  accounts: ['kernel', 'gs1'],
  readiness: ['categories', 'kernel'],
  standards: ['categories', 'kernel'],
  categories: ['gs1', 'i18n', 'kernel'],
  gs1: [],
  qr: ['kernel'],
  i18n: [],
  kernel: [],
}

/**
 * The rules inside a folder: each sub-folder and what it may import. '.' stands for the files beside the
 * sub-folders.
 */
const INNER_ARROWS: Record<string, Record<string, readonly string[]>> = {
  api: {
    '.': [
      'categories',
      'drafts',
      'endpoint',
      'life',
      'in-use',
      'media',
      'openapi',
      'products',
      'readiness',
      'recalls',
      'records',
      'registry',
      'scans',
      'service',
      'units',
    ],
    door: ['.', 'docs', 'dpp', 'endpoint', 'media', 'service'],
    drafts: ['endpoint', 'products'],
    'in-use': ['endpoint', 'products'],
    recalls: ['endpoint', 'products'],
    life: ['endpoint', 'products'],
    units: ['endpoint', 'products'],
    categories: ['endpoint'],
    docs: ['endpoint'],
    dpp: ['endpoint'],
    media: ['endpoint'],
    openapi: ['endpoint'],
    products: ['endpoint'],
    readiness: ['endpoint'],
    records: ['endpoint'],
    registry: ['endpoint'],
    scans: ['endpoint'],
    service: ['endpoint'],
    endpoint: [],
  },
  passports: {
    core: [],
    read: ['core'],
    write: ['core', 'read', 'readiness'],
    units: ['core', 'read', 'write'],
    sync: ['core', 'write', 'readiness'],
    copies: ['core', 'read'],
    access: ['core', 'read'],
    signed: ['core'],
    documents: ['core', 'read', 'signed'],
    readiness: ['core', 'in-use', 'read'],
    registry: ['core', 'read', 'documents'],
    drafts: ['core', 'read', 'write', 'readiness'],
    'in-use': ['core', 'read'],
    offers: ['core', 'read'],
    records: ['core', 'offers'],
    recalls: ['core', 'read'],
    life: ['core', 'read'],
    story: ['core', 'read'],
  },
  cli: {
    '.': ['commands', 'command-line'],
    commands: ['demo', 'server', 'store', 'command-line'],
    demo: ['store', 'command-line'],
    server: ['store', 'command-line'],
    store: ['command-line'],
    'command-line': [],
  },
  console: {
    '.': [
      'brand',
      'developer',
      'drafts',
      'keys',
      'offers',
      'media',
      'page',
      'products',
      'readiness',
      'recalls',
      'registry',
      'scans',
      'settings',
      'sign-in',
      'spreadsheets',
      'units',
    ],
    brand: ['settings', 'media', 'product-data', 'page'],
    keys: ['developer', 'page'],
    drafts: ['products', 'readiness', 'media', 'product-data', 'page'],
    media: ['product-data', 'page'],
    products: ['units', 'readiness', 'recalls', 'scans', 'media', 'product-data', 'page'],
    recalls: ['product-data', 'page'],
    readiness: ['product-data', 'page'],
    registry: ['product-data', 'page'],
    offers: ['records', 'product-data', 'page'],
    records: ['settings', 'product-data', 'page'],
    settings: ['sign-in', 'product-data', 'page'],
    units: ['product-data', 'page'],
    scans: ['product-data', 'page'],
    spreadsheets: ['product-data', 'page'],
    'product-data': ['page'],
    developer: ['page'],
    'sign-in': ['page'],
    page: [],
  },
  accounts: {
    people: ['account', 'identity', 'issuer', 'limits'],
    issuer: ['account', 'identity'],
    brand: ['account'],
    idempotency: ['account'],
    identity: ['account'],
    keys: ['account'],
    limits: ['account'],
    placement: ['account'],
    account: [],
  },
  categories: {
    'check-file': ['check', 'names', '.'],
    check: ['schema', 'names', '.'],
    schema: ['names', '.'],
    names: ['.'],
    'in-use': ['.'],
    '.': [],
  },
  kernel: {
    'http-out': ['concurrency', 'config', 'errors', 'http', 'values'],
    monitoring: ['crypto', 'db', 'errors', 'http', 'values'],
    db: ['concurrency', 'crypto', 'errors', 'values'],
    http: ['concurrency', 'crypto', 'errors', 'values'],
    'postgres-server': ['crypto', 'db', 'errors', 'process'],
    process: ['crypto', 'db', 'errors', 'values'],
    config: ['db', 'errors', 'values'],
    text: ['concurrency', 'errors'],
    concurrency: ['values'],
    crypto: ['errors'],
    errors: ['values'],
    values: [],
  },
  site: {
    '.': ['resolver', 'media', 'passport', 'json-ld', 'page', 'http'],
    media: ['passport', 'page', 'http'],
    resolver: ['passport', 'page', 'http'],
    passport: ['json-ld', 'page', 'http'],
    'json-ld': ['page', 'http'],
    page: ['http'],
    http: [],
  },
  media: {
    upkeep: ['files', 'prepare', 'store', 'uses'],
    fetch: ['files', 'upkeep'],
    prepare: ['files'],
    uses: ['files'],
    files: [],
    store: [],
  },
  transfer: {
    spreadsheets: [],
    backup: ['.'],
    accounts: ['.'],
    static: ['.'],
    mirror: ['static', '.'],
    '.': [],
  },
}

/** The rules for the top folders. */
const FOLDER_ARROWS: Record<string, readonly string[]> = {
  scripts: ['bench', 'test', 'src'],
  bench: ['test', 'src'],
  test: ['src'],
  src: [],
}

/** SQL names a table only in its owner's folder and in `migrations/`. */
const TABLES: Record<string, readonly string[]> = {
  accounts: [
    'plan',
    'account',
    'account_usage',
    'actor',
    'api_key',
    'person',
    'membership',
    'person_session',
    'one_time_link',
    'password_link',
    'browser_link',
    'sign_in_attempt',
    'audit_entry',
    'idempotency_key',
    'brand',
    'brand_logo',
    'rate_share',
    'passkey',
    'passkey_challenge',
    'issuer',
    'issuer_key',
    'account_identity',
    'approved_name',
    'verification_request',
  ],
  passports: [
    'content',
    'passport',
    'passport_version',
    'passport_status',
    'gtin_claim',
    'released_gtin',
    'passport_count',
    'dpp_alias',
    'dpp_id_base',
    'offer',
    'access_link',
    'refresh_job',
    'content_units',
    'sku_claim',
    'readiness_facts',
    'draft',
    'signed_document',
    'recall_change',
    'life_event',
    'unit_life',
    'daily_root',
    'daily_root_block',
    'registry_entry',
    'registry_fill',
    'credential_status',
    'signed_status_list',
    'measurement',
    'measurement_latest',
    'metric_slot',
  ],
  transfer: ['sheet_import', 'sheet_chunk', 'sheet_mapping', 'mirror_run'],
  media: [
    'media',
    'media_usage',
    'media_fetch',
    'media_use',
    'public_media',
    'withdrawn_media',
    'withdrawal_request',
  ],
  webhooks: ['event', 'webhook_endpoint', 'webhook_delivery', 'webhook_lease', 'webhook_attempt'],
  scans: [
    'scan_day',
    'scan_account_span',
    'scan_model_span',
    'scan_total',
    'scan_salt',
    'scan_visitor',
    'scan_item_hour',
    'scan_writer',
    'scan_setting',
    'scan_cleaning',
  ],
  kernel: ['schema_migration', 'shard_migration'],
}

const SRC = join(import.meta.dirname, '../src')
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
const source = new Map(files.map(name => [name, readFileSync(join(SRC, name), 'utf8')]))
const roomOf = (name: string) => name.split('/')[0] ?? name

/** The relative imports of a file in `folder`. */
const listImports = (text: string, folder: string): string[] =>
  Array.from(text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g), ([, path]) => join(folder, path ?? ''))

const imports = (name: string): string[] =>
  listImports(source.get(name) ?? '', dirname(name)).filter(path => !path.startsWith('..'))

describe('folders of src', () => {
  test('every import is allowed by the table', () => {
    const wrong = files.flatMap(name =>
      imports(name)
        .filter(path => roomOf(path) !== roomOf(name) && !ARROWS[roomOf(name)]?.includes(roomOf(path)))
        .map(path => `${name} → ${path}`),
    )
    assert.deepEqual(wrong, [])
  })

  test('every import inside a folder is allowed by its table', () => {
    const subFolderOf = (name: string) => (name.split('/').length > 2 ? (name.split('/')[1] ?? '.') : '.')
    const wrong = files.flatMap(name => {
      const arrows = INNER_ARROWS[roomOf(name)]
      if (arrows === undefined) return []
      const from = subFolderOf(name)
      if (!(from in arrows)) return [`${name} is in a sub-folder that the table lacks`]
      return imports(name)
        .filter(path => roomOf(path) === roomOf(name) && subFolderOf(path) !== from)
        .filter(path => !arrows[from]?.includes(subFolderOf(path)))
        .map(path => `${name} → ${path}`)
    })
    assert.deepEqual(wrong, [])
  })

  test('every entry of the table is used, and there are no more than agreed', () => {
    const used = new Set(
      files.flatMap(name => imports(name).map(path => `${roomOf(name)} → ${roomOf(path)}`)),
    )
    const arrows = Object.entries(ARROWS).flatMap(([from, all]) => all.map(to => `${from} → ${to}`))
    assert.deepEqual(
      arrows.filter(arrow => !used.has(arrow)),
      [],
    )
    const floorOf = (room: string): number => 1 + Math.max(0, ...(ARROWS[room] ?? []).map(floorOf))
    const rooms = Object.keys(ARROWS)
    const size = { rooms: rooms.length, floors: Math.max(...rooms.map(floorOf)), arrows: arrows.length }
    assert.deepEqual(size, { rooms: 20, floors: 8, arrows: 91 })
  })

  test('every folder is in the table', () => {
    assert.deepEqual(
      [...new Set(files.map(roomOf))].filter(room => !(room in ARROWS)),
      [],
    )
  })
})

describe('source, tests, benchmarks and scripts', () => {
  const ROOT = join(SRC, '..')
  const all = Object.keys(FOLDER_ARROWS).flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => join(folder, name)),
  )
  const importsOf = new Map(
    all.map(name => [name, listImports(readFileSync(join(ROOT, name), 'utf8'), dirname(name))]),
  )

  test('a folder imports only what the table allows', () => {
    const wrong = all.flatMap(name =>
      (importsOf.get(name) ?? [])
        .map(path => ({ path, from: roomOf(name), to: roomOf(path) }))
        .filter(({ from, to }) => from !== to && to in FOLDER_ARROWS && !FOLDER_ARROWS[from]?.includes(to))
        .map(({ path }) => `${name} → ${path}`),
    )
    assert.deepEqual(wrong, [])
  })

  const findFiles = (pattern: RegExp) =>
    all.filter(name => pattern.test(readFileSync(join(ROOT, name), 'utf8')))

  test('no comment begins with a clause that lacks its sentence', () => {
    const clause = /^[ \t]*(?:\/\*\*(?:\n[ \t]*\*)?|\/\/) *(?:What|Whether|Of|As many|All that) /m
    assert.deepEqual(findFiles(clause), [])
  })

  test('no literal is spread into another one only for its layout', () => {
    assert.deepEqual(findFiles(/^[ \t]*\.\.\.(?:\{ |\[[^[\]]*\],$)/m), [])
  })

  /** The test runner does not follow promises: see test/untracked-promises.ts. */
  test('no describe waits before it names its tests', () => {
    const waiting = /\bdescribe\((?:[^()]|\([^()]*\))*?\basync\b/
    const begin = (name: string) => readFileSync(join(ROOT, name), 'utf8').split(/\b(?=describe\()/)
    const wrong = all.filter(
      name =>
        name.endsWith('.test.ts') && begin(name).some(part => waiting.test(part.split('=>', 1)[0] ?? '')),
    )
    assert.deepEqual(wrong, [])
  })

  test('there are no circular imports', () => {
    const state = new Map<string, 'open' | 'done'>()
    const circles: string[] = []
    const visit = (name: string, trail: readonly string[]) => {
      if (state.get(name) === 'done') return
      if (state.get(name) === 'open') {
        circles.push([...trail.slice(trail.indexOf(name)), name].join(' → '))
        return
      }
      state.set(name, 'open')
      for (const next of importsOf.get(name) ?? []) if (importsOf.has(next)) visit(next, [...trail, name])
      state.set(name, 'done')
    }
    for (const name of all) visit(name, [])
    assert.deepEqual(circles, [])
  })
})

describe('Citus', () => {
  const outside = files.filter(name => !name.startsWith('kernel/db/'))
  const uses = (pattern: RegExp, allowed: RegExp) =>
    outside.filter(name => !allowed.test(name) && pattern.test(source.get(name) ?? ''))

  test('is asked for only by the database folder and by what opens connections', () => {
    assert.deepEqual(uses(/\bpg_dist_|\bcitus_[a-z]/, /^$/), [])
    assert.deepEqual(uses(/isDistributed|hasCitus/, /^cli\/(store|server)\//), [])
  })
})

describe('files', () => {
  test('there are no barrel files and no catch-all folders', () => {
    const bad = /(^|\/)(index|utils?|lib|common|helpers?|types)(\.ts|\/)/
    assert.deepEqual(
      files.filter(name => bad.test(name)),
      [],
    )
  })

  test('no file has over 400 lines, nine in ten have under 200', () => {
    const lines = files.map(name => ({ name, lines: source.get(name)?.split('\n').length ?? 0 }))
    assert.deepEqual(
      lines.filter(file => file.lines > 400),
      [],
    )
    const long = lines.filter(file => file.lines > 201)
    assert.ok(long.length <= files.length / 10, `over 200 lines: ${long.map(file => file.name).join(', ')}`)
  })

  test('only config reads the environment, only the clock the time, only smtp sends mail', () => {
    const uses = (pattern: RegExp, allowed: readonly string[]) =>
      files.filter(name => !allowed.includes(name) && pattern.test(source.get(name) ?? ''))
    assert.deepEqual(uses(/process\.env\b/, ['kernel/config/config.ts']), [])
    assert.deepEqual(uses(/\bDate\.now\(\)|new Date\(\)/, ['kernel/values/clock.ts']), [])
    assert.deepEqual(uses(/'nodemailer'/, ['kernel/http-out/smtp.ts']), [])
    assert.deepEqual(
      uses(/\bfetch\(|from 'node:https'|request\(.*https?:|from 'undici'/, [
        'kernel/http-out/outbound-http.ts',
        // Asks only the bucket that the operator has chosen.
        'media/store/bucket-store.ts',
      ]),
      [],
    )
  })
})

const MAX_COLUMNS = 110
/** Type assertions other than `as const`. Lower this when one is removed. */
const MAX_CASTS = 56

describe('code of src', () => {
  const trees = files.map(name =>
    ts.createSourceFile(name, source.get(name) ?? '', ts.ScriptTarget.Latest, true),
  )

  test('no function is over 70 lines', () => {
    const long = trees.flatMap(tree =>
      listNodes(tree)
        .filter(node => ts.isFunctionLike(node) && countLines(tree, node) > 70)
        .map(node => `${tree.fileName}: ${nameOf(node)}`),
    )
    assert.deepEqual(long, [])
  })

  test('no line is over 110 columns, except for texts, patterns, HTML and SQL', () => {
    const wide = trees.flatMap(tree => {
      const texts = listNodes(tree).filter(
        node => ts.isStringLiteral(node) || ts.isTemplateLiteral(node) || ts.isRegularExpressionLiteral(node),
      )
      return tree.text
        .split('\n')
        .flatMap((line, i) => (line.length > MAX_COLUMNS ? [{ line, i }] : []))
        .filter(({ i }) => {
          const at = tree.getPositionOfLineAndCharacter(i, MAX_COLUMNS)
          return !texts.some(node => node.getStart() <= at && at <= node.end)
        })
        .map(({ i }) => `${tree.fileName}:${i + 1}`)
    })
    assert.deepEqual(wide, [])
  })

  test('no two files export the same name', () => {
    const names = trees.flatMap(tree => [...new Set(listExports(tree))])
    const doubles = names.filter((name, i) => names.indexOf(name) !== i)
    assert.deepEqual(doubles, [])
  })

  test('types are narrowed, not asserted', () => {
    const casts = trees.flatMap(tree =>
      listNodes(tree).filter(node => ts.isAssertionExpression(node) && !ts.isConstTypeReference(node.type)),
    )
    assert.ok(casts.length <= MAX_CASTS, `${casts.length} type assertions`)
  })
})

/** Domain folders whose exported functions are the operations of a door. */
const OPERATION_ROOMS = /^(accounts|webhooks|passports\/(access|sync|units|write))\//
const DOORS = ['api', 'cli', 'console', 'site']
/** Functions that only read or check, and those for the life cycle of a process. */
const NOT_AN_OPERATION =
  /^(are|authenticate|can|check|count|find|flush|get|has|is|list|read|require|stop)(?![a-z])/

/** Operations change something for a caller: check → write → announce → return. */
describe('operations: the functions that a folder exports', () => {
  const imported = new Set(
    files
      .filter(name => DOORS.includes(roomOf(name)))
      .flatMap(name => listImportedNames(source.get(name) ?? '', dirname(name))),
  )
  const operations = files
    .filter(name => OPERATION_ROOMS.test(name))
    .flatMap(name => {
      const tree = ts.createSourceFile(name, source.get(name) ?? '', ts.ScriptTarget.Latest, true)
      return listExportedFunctions(tree)
        .filter(({ operation }) => imported.has(`${name} ${operation}`) && !NOT_AN_OPERATION.test(operation))
        .filter(({ node }) => node.type?.getText().startsWith('Promise<'))
        .map(one => ({ ...one, tree }))
    })

  test('are found by this test', () => {
    const names = operations.map(({ operation }) => operation)
    for (const operation of [
      'createPassport',
      'updatePassport',
      'setStatus',
      'issueUnits',
      'syncModel',
      'addWebhook',
    ])
      assert.ok(names.includes(operation), operation)
  })

  test('take the context first', () => {
    const wrong = operations.filter(({ node }) => !/^ctx: /.test(node.parameters[0]?.getText() ?? ''))
    assert.deepEqual(wrong.map(namePlace), [])
  })

  test('have at most 40 lines', () => {
    const long = operations.filter(({ tree, node }) => countLines(tree, node) > 40)
    assert.deepEqual(long.map(namePlace), [])
  })

  test('have a docstring', () => {
    const bare = operations.filter(({ statement }) => ts.getJSDocCommentsAndTags(statement).length === 0)
    assert.deepEqual(bare.map(namePlace), [])
  })
})

type ExportedFunction = {
  operation: string
  node: ts.FunctionDeclaration | ts.ArrowFunction
  statement: ts.Node
}

const namePlace = ({ tree, operation }: { tree: ts.SourceFile; operation: string }) =>
  `${tree.fileName}: ${operation}`

function listExportedFunctions(tree: ts.SourceFile): ExportedFunction[] {
  const exported = listExports(tree)
  return tree.statements.flatMap((statement): ExportedFunction[] => {
    if (ts.isFunctionDeclaration(statement)) {
      const operation = statement.name?.text ?? ''
      return exported.includes(operation) ? [{ operation, node: statement, statement }] : []
    }
    if (!ts.isVariableStatement(statement)) return []
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      initializer && ts.isArrowFunction(initializer) && exported.includes(name.getText())
        ? [{ operation: name.getText(), node: initializer, statement }]
        : [],
    )
  })
}

/** The imported names of a file in `folder`, each prefixed with its source file. */
function listImportedNames(text: string, folder: string): string[] {
  const imports = Array.from(text.matchAll(/import \{([^}]*)\} from '(\.[^']+)'/g))
  return imports.flatMap(([, names = '', path = '']) =>
    names.split(',').map(one => `${join(folder, path)} ${one.trim().split(' as ')[0]}`),
  )
}

function listNodes(node: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = []
  const visit = (child: ts.Node) => {
    nodes.push(child)
    ts.forEachChild(child, visit)
  }
  visit(node)
  return nodes
}

function countLines(tree: ts.SourceFile, node: ts.Node): number {
  const lineOf = (position: number) => tree.getLineAndCharacterOfPosition(position).line
  return lineOf(node.end) - lineOf(node.getStart(tree)) + 1
}

/** A function's own name, or that of the variable or member it is assigned to. */
function nameOf(node: ts.Node): string {
  const named = [node, node.parent].find(one => ts.isFunctionLike(one) || ts.isVariableDeclaration(one))
  return (named && ts.getNameOfDeclaration(named)?.getText()) ?? 'a function without a name'
}

function listExports(tree: ts.SourceFile): string[] {
  return tree.statements.flatMap(statement => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement
      return exportClause && ts.isNamedExports(exportClause)
        ? exportClause.elements.map(one => one.name.text)
        : ['*']
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(modifier => modifier.kind === ts.SyntaxKind.ExportKeyword)
    if (!isExported) return []
    if (!ts.isVariableStatement(statement)) {
      const name = ts.isDeclarationStatement(statement) ? statement.name : undefined
      return name === undefined ? [] : [name.getText()]
    }
    return statement.declarationList.declarations.map(one => one.name.getText())
  })
}

/** Its function serves only servers from before this migration. */
const GUARD_OF_OLD_SERVERS = '0031_gtin_claims.sql'
/** The newest migration when a function was last changed, and the SHA-256 of the files of all functions. */
const FUNCTIONS = {
  migration: 89,
  sha256: '1f8028f15d2cf11fc6fb64c1c10c91774ea6a3422b768ae40f63ab961d22e292',
}

describe('migrations of the database', () => {
  test('come with each change of a function, so that no server of the version before puts the old text back', () => {
    const folder = join(SRC, '../migrations')
    const names = readdirSync(join(folder, 'functions')).sort()
    const hash = createHash('sha256')
    for (const name of names) hash.update(readFileSync(join(folder, 'functions', name)))
    const numbers = readdirSync(folder).flatMap(name => Number(name.slice(0, 4)) || [])
    const advice =
      'Add a migration, if only with a comment that gives the reason, and write its number and the new SHA-256 into FUNCTIONS.'
    assert.equal(hash.digest('hex'), FUNCTIONS.sha256, advice)
    assert.ok(numbers.includes(FUNCTIONS.migration), advice)
  })

  test('have no function, because functions/ has the present text of each', () => {
    const folder = join(SRC, '../migrations')
    const names = readdirSync(folder).filter(name => name.endsWith('.sql') && name !== GUARD_OF_OLD_SERVERS)
    const wrong = names.filter(name =>
      /create (or replace )?function/i.test(readFileSync(join(folder, name), 'utf8')),
    )
    assert.deepEqual(wrong, [])
  })

  test('have unique numbers', () => {
    const numbers = readdirSync(join(SRC, '../migrations')).map(name => name.slice(0, 4))
    assert.deepEqual(
      numbers.filter((number, i) => numbers.indexOf(number) !== i),
      [],
    )
  })
})

describe('tables of the database', () => {
  test('only its owner names a table in SQL', () => {
    const wrong: string[] = []
    for (const [owner, tables] of Object.entries(TABLES)) {
      const pattern = new RegExp(
        `\\b(?:from|join|into|update|only)\\s+(${tables.join('|')})\\b(?!\\s*\\()`,
        'g',
      )
      for (const name of files) {
        if (roomOf(name) === owner) continue
        for (const sql of sqlOf(source.get(name) ?? '')) {
          for (const [, table] of sql.matchAll(pattern))
            wrong.push(`${name} names ${table}, which ${owner} owns`)
        }
      }
    }
    assert.deepEqual(wrong, [])
  })

  test('only these files read the home of an account, because its models may be on more shards', () => {
    const pattern = /\ba\.shard\b|\bshard\b[^;]*\bfrom account\b|\bset shard\b/
    const found = files.filter(name => sqlOf(source.get(name) ?? '').some(sql => pattern.test(sql)))
    // Each of them reads `account.shards` too, or concerns only what is at home.
    assert.deepEqual(found.sort(), [
      'accounts/account/account-shard.ts',
      'accounts/account/audit.ts',
      'accounts/account/export-rows.ts',
      'accounts/account/registry-settings.ts',
      'accounts/issuer/issuer.ts',
      'accounts/placement/move-account.ts',
      'accounts/placement/restored-shards.ts',
    ])
  })

  test('a statement lists the columns that it returns, so that it survives a column added by a newer version', () => {
    const tables = Object.values(TABLES).flat().join('|')
    const all = [
      new RegExp(`^\\s*select \\* from (?:${tables})\\b`),
      new RegExp(`^\\s*select (\\w+)\\.\\* from (?:${tables}) \\1\\b`),
      /\breturning (?:\w+\.)?\*\s*$/,
    ]
    const wrong = files.flatMap(name =>
      sqlOf(source.get(name) ?? '')
        .filter(sql => all.some(pattern => pattern.test(sql)))
        .map(sql => `${name}: ${sql.trim()}`),
    )
    assert.deepEqual(wrong, [])
  })

  test('every table of the migrations has an owner', () => {
    const folder = join(import.meta.dirname, '../migrations')
    const names = readdirSync(folder).filter(name => name.endsWith('.sql'))
    const created = names.flatMap(name =>
      Array.from(
        readFileSync(join(folder, name), 'utf8').matchAll(/create table (?:if not exists )?(\w+)/g),
        ([, table]) => table ?? '',
      ),
    )
    const owned = Object.values(TABLES).flat()
    assert.deepEqual(
      created.filter(table => !owned.includes(table)),
      [],
    )
  })
})

/** The texts of the tagged templates that are statements. */
const sqlOf = (text: string): string[] =>
  Array.from(text.matchAll(/sql(?:<[^`]*?>)?`([^`]*)`/g), ([, sql]) => sql ?? '')
