/** A minimal static web server for tests: files, `index.html`, and a redirect to the slash after a folder's name. */
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

/** As web servers know them. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.json': 'application/json',
  '.jsonld': 'application/ld+json',
  '.svg': 'image/svg+xml',
}

export async function serveFolder(dir: string) {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname)
    try {
      const isFolder = (await stat(join(dir, path))).isDirectory()
      if (isFolder && !path.endsWith('/'))
        return response.writeHead(301, { location: `${encodeURI(path)}/` }).end()
      const file = join(dir, path, isFolder ? 'index.html' : '')
      const type = TYPES[extname(file)] ?? 'application/octet-stream'
      response.writeHead(200, { 'content-type': type }).end(await readFile(file))
    } catch {
      response.writeHead(404).end()
    }
  }
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    async get(path: string) {
      const answer = await fetch(new URL(path, base))
      const { status, url, headers } = answer
      return { status, url, type: headers.get('content-type') ?? '', text: await answer.text() }
    },
    close: () => server.close(),
  }
}
