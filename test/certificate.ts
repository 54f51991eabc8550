/** A certificate for tests, made by OpenSSL. */
import { execFileSync } from 'node:child_process'

/** Signed by itself, and valid for a day. `pem` has the private key, too. */
export function makeCertificate(name: string): { cert: string; pem: string } {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '-']
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const pem = execFileSync('openssl', ['req', '-x509', ...key, '-out', '-', '-days', '1', ...names], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [cert = ''] = /-----BEGIN CERTIFICATE-----.*-----END CERTIFICATE-----/s.exec(pem) ?? []
  return { cert, pem }
}
