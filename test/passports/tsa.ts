/** A time stamping authority (RFC 3161) for tests: OpenSSL behind a server on this machine. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

const CONFIG = `[tsa]
default_tsa = one
[one]
serial = ./serial
signer_cert = ./tsa.crt
signer_key = ./tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
`

export async function startTsa() {
  const cwd = mkdtempSync(join(tmpdir(), 'carnet-tsa-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd, stdio: 'pipe' })
  writeFileSync(join(cwd, 'tsa.cnf'), CONFIG)
  writeFileSync(join(cwd, 'serial'), '01')
  const subject = (name: string) => ['-subj', `/CN=${name}`, '-days', '30', '-nodes', '-newkey']
  const ca = ['-keyout', 'ca.key', '-out', 'ca.crt']
  openssl('req', '-x509', ...subject('Test CA'), 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', ...ca)
  const issued = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-keyout', 'tsa.key', '-out', 'tsa.crt']
  const purpose = [
    '-addext',
    'extendedKeyUsage=critical,timeStamping',
    '-addext',
    'basicConstraints=CA:FALSE',
  ]
  openssl('req', '-x509', ...subject('Test TSA'), 'rsa:2048', ...issued, ...purpose)
  let isDown = false
  const server = createServer(async (request, response) => {
    const query = await buffer(request)
    if (isDown) return response.writeHead(503).end()
    writeFileSync(join(cwd, 'query'), query)
    openssl('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query', '-out', 'reply')
    response
      .writeHead(200, { 'content-type': 'application/timestamp-reply' })
      .end(readFileSync(join(cwd, 'reply')))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    /** PEM: of the root, and of the authority that it has certified. */
    certificates: {
      ca: readFileSync(join(cwd, 'ca.crt'), 'utf8'),
      tsa: readFileSync(join(cwd, 'tsa.crt'), 'utf8'),
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
    setDown(down: boolean) {
      isDown = down
    },
    /** Throws unless OpenSSL accepts the token over this hash. */
    check(token: Buffer, hash: Buffer) {
      writeFileSync(join(cwd, 'token'), token)
      const files = ['-in', 'token', '-token_in', '-CAfile', 'ca.crt']
      openssl('ts', '-verify', '-digest', hash.toString('hex'), ...files)
    },
    close() {
      server.close()
      rmSync(cwd, { recursive: true, force: true })
    },
  }
}
