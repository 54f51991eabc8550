/** Preloaded in a server: shifts its clock by the milliseconds in CLOCK_FILE, from one moment to the next. */
import { readFileSync } from 'node:fs'

const path = process.env.CLOCK_FILE ?? ''
const RealDate = Date
let off = 0

setInterval(() => {
  try {
    off = Number(readFileSync(path, 'utf8'))
  } catch {
    // The file does not exist yet.
  }
}, 50).unref()

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + off] : args, newTarget),
  apply: () => new RealDate(RealDate.now() + off).toString(),
  get: (target, name) =>
    name === 'now' ? () => RealDate.now() + off : (Reflect.get(target, name) as unknown),
})
