/**
 * A healthy webhook endpoint: counts the requests to /hook. GET returns how many there were, how many
 * distinct, and when the last came. Prints the port.
 */
import { createServer } from 'node:http'

let count = 0
let lastAt = 0
const ids = new Set<string>()

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ count, distinct: ids.size, lastAt }))
    return
  }
  request.resume()
  request.on('end', () => {
    if (request.url === '/hook') {
      count++
      lastAt = performance.timeOrigin + performance.now()
      ids.add(String(request.headers['webhook-id']))
    }
    response.writeHead(204).end()
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address ? address.port : 0)
})
