/** `picture`: a picture of a public page from memory, compared with a bare server that sends the same bytes. */
import { newProduct } from '../test/harness.ts'
import { makeJpeg } from '../test/media/sample-files.ts'
import type { Bench } from './environment.ts'
import { measureInTurns } from './environment.ts'
import { load, request } from './load.ts'

const CONNECTIONS = 32
const SECONDS = 3

export const pictureRows: Bench = async stage => {
  const hall = await stage.openDatabase('small')
  const { key } = await stage.createTenant(hall)
  const ours = await stage.startServer(hall, 'ours.ts')
  const ask = (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${ours.port}${path}`, init)
  const post = async (path: string, type: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    const answer = await ask(`/api/v1${path}`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return ((await answer.json()) as { data: { id: string } }).data.id
  }
  const media = await post(
    '/media',
    'image/jpeg',
    new Uint8Array(await makeJpeg({ width: 1280, height: 960 })),
  )
  const pictures = [{ media, alt: { en: 'A shirt', de: 'Ein Hemd' } }]
  await post('/products', 'application/json', JSON.stringify(newProduct({ pictures })))
  const path = `/m/${media}/1280.jpg`
  const answer = await ask(path, {})
  if (answer.status !== 200) throw new Error(`the picture answered ${answer.status}`)
  const body = Buffer.from(await answer.arrayBuffer())
  const { connection: _, 'keep-alive': __, date: ___, ...headers } = Object.fromEntries(answer.headers)
  const what = { what: 'bytes', pool: 1, bytes: body.toString('base64'), headers } as const
  const bare = await stage.startServer(hall, 'bare.ts', what)
  const text = request('GET', path, { accept: 'image/jpeg' })
  const shoot = (port: number) => async () =>
    (await load({ port, connections: CONNECTIONS, seconds: SECONDS, next: () => text })).perSecond
  const figures = await measureInTurns({ ours: shoot(ours.port), limit: shoot(bare.port) })
  await Promise.all([ours.stop(), bare.stop()])
  const unit = `requests/s, ${Math.round(body.length / 1000)} kB from memory`
  return [{ row: 'picture', ...figures, ratio: figures.ours / figures.limit, unit }]
}
