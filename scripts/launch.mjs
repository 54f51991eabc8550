// Every npm script starts here, on whatever Node runs npm: it installs what is missing, then hands over to the
// pinned Node from node_modules, which runs the TypeScript source as it is. Nothing goes to stdout but the program's own.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const pinnedNode = `${root}node_modules/node/bin/node`
/** npm's own list of what is there, which it writes last. */
const installedList = `${root}node_modules/.package-lock.json`
/** Holds the id of the process that installs: two at once would take away each other's files. */
const lock = `${root}.carnet-installing`

const OURS = {
  // glibc keeps what each compressing thread has once used; two pools instead of sixteen are enough.
  MALLOC_ARENA_MAX: '2',
  // What Node made of each source file: half of a start's time is spent on that. Unused where it cannot be written.
  NODE_COMPILE_CACHE: `${root}node_modules/.cache/compiled`,
}

/** What the system's loader ends with when a library is missing; it has said which. */
const NOT_LOADED = 127

const PARENT_CHECK_MS = 500
const LOCK_CHECK_MS = 200

/** A heap that collects before it grows: 240 MB under load instead of 400, at the same speed. */
function nodeFlags() {
  const { config } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  return ['--disable-warning=ExperimentalWarning', ...config.nodeFlags.split(' ')]
}

/** Whether npm has put in place what the lockfile names, however it was called. */
function isInstalled(withTools) {
  if (!existsSync(pinnedNode) || !existsSync(installedList)) return false
  const there = packagesOf(installedList)
  return Object.entries(packagesOf(`${root}package-lock.json`)).every(
    ([path, { integrity, optional, dev }]) =>
      path === '' || (path in there ? there[path].integrity === integrity : optional || (dev && !withTools)),
  )
}

const packagesOf = file => JSON.parse(readFileSync(file, 'utf8')).packages

/** Whether the lock is ours now; otherwise somebody who is alive has it. One whose holder has died is taken away. */
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
    // Between its making and its writing the file is empty for a moment.
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
  if (!isInstalled(withTools)) install()
  process.off('exit', release)
  release()
}

function install() {
  process.stderr.write('Installing what is missing (npm ci) …\n')
  const npm = process.env.npm_execpath
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const options = { cwd: root, stdio: ['ignore', 2, 2] }
  const done = npm
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  if (done.status !== 0) {
    process.stderr.write('npm ci failed; its message is above. Nothing was started.\n')
    process.exit(1)
  }
}

/** npm runs the packages' own scripts with that Node, too, and leaves out what failed: the next start installs anew. */
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
  // A terminal sends Ctrl-C to the whole group, so that the child gets it twice, and takes it for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A signal to npm alone ends npm and its shell; what they started must not live on unseen.
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
