/**
 * A webhook receiver that remembers the products it was notified of and rejects requests without a valid
 * signature.
 */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'

export class Receiver {
  /** Ids of the products for which an event arrived. */
  readonly told = new Set<string>()
  /** The highest version of which an event arrived, by product. */
  readonly versions = new Map<string, number>()
  forged = 0
  private secret = ''
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const signature = `sha256=${createHmac('sha256', this.secret).update(body).digest('hex')}`
      if (request.headers['x-service-signature'] !== signature) {
        this.forged++
        response.writeHead(401).end()
        return
      }
      const { data } = JSON.parse(body) as { data: Record<string, string> & { version_no?: number } }
      const id = data.product_id ?? data.id ?? ''
      this.told.add(id)
      this.versions.set(id, Math.max(this.versions.get(id) ?? 0, data.version_no ?? 0))
      response.writeHead(204).end()
    })
  })

  /** Starts the receiver and returns its address. */
  async open(): Promise<string> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve))
    const { port } = this.server.address() as { port: number }
    return `http://127.0.0.1:${port}/`
  }

  expect(secret: string): void {
    this.secret = secret
  }

  close(): void {
    this.server.close()
  }
}
