/** A loopback mail server that stores what it receives: as much of RFC 5321 as one sender needs. */
import { createServer, type Socket } from 'node:net'
import type { SmtpServer } from '../src/kernel/config/environment-reader.ts'

export type ReceivedLetter = { from: string; to: string; subject: string; head: string; text: string }

export type MailReceiver = {
  server: SmtpServer
  /** The e-mails since the last call. */
  take: () => ReceivedLetter[]
  /** Rejects the next e-mails with these replies, one each. */
  refuseNext: (...answers: string[]) => void
  /** The number of rejected e-mails. */
  refused: () => number
  close: () => Promise<void>
}

export async function startMailReceiver(): Promise<MailReceiver> {
  let letters: ReceivedLetter[] = []
  const refusals: string[] = []
  let refused = 0
  const sockets = new Set<Socket>()
  const listener = createServer(socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    converse(socket, letter => {
      const refusal = refusals.shift()
      if (refusal === undefined) letters.push(letter)
      else refused++
      return refusal
    })
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const from = 'Carnet <carnet@mail.example>'
  return {
    server: { host: '127.0.0.1', port, secure: false, user: undefined, password: undefined, from },
    take() {
      const taken = letters
      letters = []
      return taken
    },
    refuseNext: (...answers) => refusals.push(...answers),
    refused: () => refused,
    close: () =>
      new Promise(resolve => {
        listener.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function converse(socket: Socket, take: (letter: ReceivedLetter) => string | undefined): void {
  let rest = ''
  let data: string[] | undefined
  let from = ''
  let to = ''
  const say = (line: string) => socket.write(`${line}\r\n`)
  const hear = (line: string) => {
    if (data !== undefined) {
      if (line !== '.') data.push(line.replace(/^\./, ''))
      else {
        say(take(read(from, to, data.join('\r\n'))) ?? '250 taken')
        data = undefined
      }
      return
    }
    const [, path] = /^(?:MAIL FROM|RCPT TO):<([^>]*)>/i.exec(line) ?? []
    if (/^MAIL/i.test(line)) from = path ?? ''
    if (/^RCPT/i.test(line)) to = path ?? ''
    if (/^DATA/i.test(line)) data = []
    if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
    else say(/^DATA/i.test(line) ? '354 go on' : '250 well')
  }
  say('220 receiver.example ESMTP')
  socket.setEncoding('latin1')
  socket.on('data', chunk => {
    const lines = (rest + chunk).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) hear(line)
  })
}

/** Decodes headers and text: encoded words (RFC 2047) and transfer encodings (RFC 2045). */
function read(from: string, to: string, raw: string): ReceivedLetter {
  const [folded = '', ...body] = raw.split('\r\n\r\n')
  const head = folded.replace(/\r\n[ \t]+/g, ' ')
  const encoded = body.join('\r\n\r\n')
  const how = /^Content-Transfer-Encoding: *(\S+)/im.exec(head)?.[1]?.toLowerCase()
  const bytes =
    how === 'base64'
      ? Buffer.from(encoded, 'base64')
      : Buffer.from(how === 'quoted-printable' ? unquote(encoded.replace(/=\r\n/g, '')) : encoded, 'latin1')
  const subject = /^Subject: *(.*)$/im.exec(head)?.[1] ?? ''
  return { from, to, head, subject: words(subject), text: bytes.toString('utf8').replaceAll('\r\n', '\n') }
}

const unquote = (text: string) =>
  text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

const words = (text: string) =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, how: string, word: string) =>
      how.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : Buffer.from(unquote(word.replaceAll('_', ' ')), 'latin1').toString('utf8'),
    )
