/** The limit of `lcp`: a page with one picture and nothing else, by a bare `node:http` server. Prints the port. */
import { createServer } from 'node:http'

const settings = JSON.parse(process.argv[2] ?? '{}') as { page: string; picture: string }
const picture = Buffer.from(settings.picture, 'base64')

const server = createServer((request, response) => {
  const isPicture = request.url?.endsWith('.avif') === true
  response.setHeader('content-type', isPicture ? 'image/avif' : 'text/html; charset=utf-8')
  response.end(isPicture ? picture : settings.page)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address ? address.port : 0)
})
