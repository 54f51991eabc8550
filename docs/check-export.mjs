// Checks an exported account without Carnet: node check-export.mjs FILE
// Needs only Node 20 or newer. docs/backup.md describes the checks, and what they do not prove.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

const sha256 = text => createHash('sha256').update(text).digest('hex')
const ofLines = facts => sha256(facts.map(fact => fact ?? '').join('\n'))
const list = texts => (texts === null ? null : `[${texts.map(text => JSON.stringify(text)).join(', ')}]`)

const contents = new Map()
const faults = []
const counts = {}
const logs = new Map()
let passport
let before = ''
let expected = 0
let end

const readers = {
  content(c) {
    const hash = ofLines([c.owner, c.upto, c.model_upto, list(c.own_fields), c.data])
    if (hash !== c.hash) faults.push(`content ${c.id} was altered`)
    contents.set(c.id, { hash, owner: c.owner })
  },
  passport(p) {
    endPassport()
    passport = p
    expected = 0
    before = ofLines([p.uuid, p.level, p.category, p.model, p.parent, p.lot, p.serial])
    if (p.level !== 'm')
      logs.set(p.uuid, { id: p.id, hash: ofLines(['events', before]), events: 0, shown: 0 })
  },
  version(v) {
    expected++
    const content = contents.get(v.content)
    if (content?.owner !== (passport?.parent ?? passport?.uuid))
      faults.push(`version ${v.version_no} of passport ${passport?.id} has the data of another`)
    const note = v.note === null ? null : JSON.stringify(v.note)
    const facts = [
      v.version_no,
      v.kind,
      v.created_at,
      v.created_by,
      content?.hash,
      v.own,
      note,
      list(v.changed),
    ]
    before = ofLines([before, ...facts])
    if (before !== v.hash || v.passport !== passport?.uuid || v.version_no !== expected)
      faults.push(`version ${v.version_no} of passport ${passport?.id} was altered`)
    before = v.hash
  },
}

// An event counts for its unit; after its events, a unit has the line with the head of its log.
readers.event = e => {
  const log = logs.get(e.passport)
  if (log === undefined)
    return faults.push(`event ${e.number} belongs to no unit of this file: ${e.passport}`)
  log.events++
  if (e.is_public) log.shown++
  const facts = [
    e.number,
    e.kind,
    e.is_day ? e.at.slice(0, 10) : e.at,
    e.stored_at,
    e.actor,
    e.link_id,
    e.is_public ? 'public' : null,
    e.data,
  ]
  const hash = ofLines([log.hash, ...facts])
  if (hash !== e.hash || e.number !== log.events)
    faults.push(`event ${e.number} of passport ${log.id} was altered`)
  log.hash = e.hash
}
readers.unit_life = l => {
  const log = logs.get(l.passport)
  const isWhole = log?.events === l.events && log.shown === l.public_events && log.hash === l.hash
  if (!isWhole) faults.push(`the log of passport ${log?.id ?? l.passport} does not end where its head says`)
  if (log !== undefined) log.isClosed = true
}

function endPassport() {
  if (passport !== undefined && passport.version_no !== expected)
    faults.push(`passport ${passport.id} is at version ${passport.version_no} and has ${expected}`)
}

const digest = createHash('sha256')
let held = ''
const take = text => {
  const line = JSON.parse(text)
  if (line.type === 'end') end = line
  else {
    if (end !== undefined) faults.push('there are lines after the last')
    digest.update(`${text}\n`)
    counts[line.type] = (counts[line.type] ?? 0) + 1
    readers[line.type]?.(line)
  }
}
try {
  for await (const chunk of createReadStream(process.argv[2] ?? '', { encoding: 'utf8' })) {
    const lines = (held + chunk).split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) take(line)
  }
  if (held !== '') faults.push('the last line has no end')
} catch (error) {
  faults.push(`the file cannot be read: ${error.message}`)
}
endPassport()
for (const { id, events, isClosed } of logs.values())
  if (events > 0 && !isClosed) faults.push(`the log of passport ${id} has no head`)
if (end === undefined) faults.push('the last line, with the checksum, is missing')
else {
  if (end.sha256 !== digest.digest('hex')) faults.push('the file does not have the checksum of its last line')
  if (JSON.stringify(end.counts) !== JSON.stringify(counts))
    faults.push('the file does not have the lines that it counts')
}

for (const fault of faults.slice(0, 20)) console.error(fault)
if (faults.length > 0) process.exit(1)
console.log(
  `${counts.passport ?? 0} passports with ${counts.version ?? 0} versions: checksum, counts and hash chains agree.`,
)
console.log(
  'The hashes need no key, so this does not prove who made the file: compare it with an earlier copy.',
)
