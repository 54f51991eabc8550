/** Loaded before a server: its clock is off by as many milliseconds as the file CLOCK_FILE says, from one moment to the next. */
import { readFileSync } from 'node:fs'

const path = process.env.CLOCK_FILE ?? ''
const RealDate = Date
let off = 0

setInterval(() => {
  try {
    off = Number(readFileSync(path, 'utf8'))
  } catch {
    // Nobody has moved it yet.
  }
}, 50).unref()

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + off] : args, newTarget),
  apply: () => new RealDate(RealDate.now() + off).toString(),
  get: (target, name) =>
    name === 'now' ? () => RealDate.now() + off : (Reflect.get(target, name) as unknown),
})
