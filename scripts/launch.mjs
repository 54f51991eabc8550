// Every npm script starts here, with any Node: installs missing packages, then starts the pinned Node from
// node_modules, which runs TypeScript directly. Only the started program writes to stdout.
import { spawn, spawnSync } from 'node:child_process'
import {
  accessSync,
  existsSync,
  constants as files,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { constants, homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const pinnedNode = `${root}node_modules/node/bin/node`
/** npm's own list of installed packages, which it writes last. */
const installedList = `${root}node_modules/.package-lock.json`
/** Contains the id of the installing process: two concurrent installs would delete each other's files. */
const lock = `${root}.carnet-installing`

const OURS = {
  // glibc keeps the memory that each compressing thread has used. Two arenas instead of sixteen are enough.
  MALLOC_ARENA_MAX: '2',
  // Node's compile cache, which saves half of the start-up time. Ignored if the folder is not writable.
  NODE_COMPILE_CACHE: `${root}node_modules/.cache/compiled`,
}

/** The loader's exit code for a missing library, which it has already named. */
const NOT_LOADED = 127

const PARENT_CHECK_MS = 500
const LOCK_CHECK_MS = 200

/** Flags that collect garbage before the heap grows: 240 MB under load instead of 400, at the same speed. */
function nodeFlags() {
  const { config } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  return ['--disable-warning=ExperimentalWarning', ...config.nodeFlags.split(' ')]
}

/** Whether the packages that the lockfile lists are installed, by any npm command. */
function isInstalled(withTools) {
  if (!existsSync(pinnedNode) || !existsSync(installedList)) return false
  const there = packagesOf(installedList)
  return Object.entries(packagesOf(`${root}package-lock.json`)).every(
    ([path, { integrity, optional, dev }]) =>
      path === '' || (path in there ? there[path].integrity === integrity : optional || (dev && !withTools)),
  )
}

const packagesOf = file => JSON.parse(readFileSync(file, 'utf8')).packages

/**
 * Whether this process now holds the lock; false if another live process holds it. Removes the lock of a dead
 * process.
 */
function takesLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') {
      process.stderr.write(
        `What is missing cannot be installed into ${root} (${error.code}). Nothing was started.\n`,
      )
      process.exit(1)
    }
  }
  if (!isHeld()) rmSync(lock, { force: true })
  return false
}

function isHeld() {
  try {
    // The file is empty for a moment between its creation and its first write.
    return process.kill(Number(readFileSync(lock, 'utf8') || process.pid), 0)
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

function installWhatIsMissing(withTools) {
  if (isInstalled(withTools)) return
  for (let waited = 0; !takesLock(); waited++) {
    if (waited === 0) process.stderr.write(`Waiting for another npm script to install (${lock}) …\n`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_CHECK_MS)
  }
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release)
  if (!isInstalled(withTools)) install(withTools)
  process.off('exit', release)
  release()
}

/**
 * npm's cache, if this user may write it. The home of a service's user often is not there: then a folder that
 * is deleted afterwards.
 */
function chooseCache() {
  const usual = process.env.npm_config_cache || join(homedir(), '.npm')
  try {
    mkdirSync(usual, { recursive: true })
    accessSync(usual, files.W_OK)
    return { args: [], remove: () => {} }
  } catch {
    const folder = mkdtempSync(join(tmpdir(), 'carnet-npm-'))
    return { args: ['--cache', folder], remove: () => rmSync(folder, { recursive: true, force: true }) }
  }
}

/** Without the tools of development, unless they are needed or were there before. */
function install(withTools) {
  const tools = withTools || existsSync(`${root}node_modules/typescript`)
  process.stderr.write('Installing what is missing (npm ci). This takes some minutes at most …\n')
  const npm = process.env.npm_execpath
  const cache = chooseCache()
  const omitted = tools ? [] : ['--omit=dev']
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...omitted, ...cache.args]
  const options = { cwd: root, stdio: ['ignore', 2, 2] }
  const done = npm
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  cache.remove()
  if (done.status === 0) process.stderr.write('Installed. Starting …\n')
  else {
    process.stderr.write('npm ci failed; its message is above. Nothing was started.\n')
    process.exit(1)
  }
}

/**
 * Says which library Node lacks. npm could not run the packages' install scripts with this Node either, so
 * the next start installs again.
 */
function tellOfLibrary() {
  process.stderr.write('Node could not be loaded. On a small Debian or Ubuntu: apt-get install libatomic1\n')
  try {
    rmSync(installedList)
  } catch {
    process.stderr.write(
      'Once it is there, run npm ci again: what needed Node while installing is missing.\n',
    )
  }
}

/** `launch('src/main.ts', 'demo')`, or `launch('--bin', 'biome', …)` for a tool from node_modules. */
export function launch(...args) {
  installWhatIsMissing(!args[0].startsWith('src/'))
  const [command, rest] =
    args[0] === '--bin'
      ? [`${root}node_modules/.bin/${args[1]}`, args.slice(2)]
      : [pinnedNode, [...nodeFlags(), `${root}${args[0]}`, ...args.slice(1)]]
  const env = { ...OURS, ...process.env }
  const child = spawn(command, rest, { stdio: 'inherit', env })
  // On Ctrl-C the terminal signals the whole group, so the child gets the signal twice; it ignores the
  // second.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A signal to npm alone ends npm and its shell; the child must not keep running unnoticed.
  const parent = process.ppid
  setInterval(() => process.ppid === parent || child.kill('SIGTERM'), PARENT_CHECK_MS).unref()
  child.on('error', error => {
    process.stderr.write(`${command} could not be started: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (code === NOT_LOADED && command === pinnedNode) tellOfLibrary()
    process.exit(signal ? 128 + (constants.signals[signal] ?? 0) : (code ?? 1))
  })
}

if (
  process.argv[1] &&
  import.meta.url.endsWith('/scripts/launch.mjs') &&
  process.argv[1].endsWith('launch.mjs')
) {
  launch(...process.argv.slice(2))
}
