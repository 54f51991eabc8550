/**
 * The limit of deliveries: undici in a loop, always the same bytes, without database or signature. POST
 * starts it. Prints the port.
 */
import { createServer } from 'node:http'
import { Agent } from 'undici'

type Wish = { url: string; count: number; connections: number; headers: Record<string, string>; body: string }

async function shoot({ url, count, connections, headers, body }: Wish): Promise<number> {
  const agent = new Agent({ connections })
  const { origin, pathname } = new URL(url)
  let left = count
  const loop = async () => {
    while (left-- > 0) {
      const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body })
      await answer.body.dump()
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, loop))
  const seconds = (performance.now() - began) / 1000
  await agent.close()
  return count / seconds
}

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', chunk => {
    text += chunk
  })
  request.on('end', () => {
    shoot(JSON.parse(text) as Wish).then(rate => response.end(String(rate)))
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address ? address.port : 0)
})
