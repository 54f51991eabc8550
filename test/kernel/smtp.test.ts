/**
 * Tests e-mails: sent after the response, retried if the server asks, given up if it rejects, and logged if
 * there is no server.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import { readConfig } from '../../src/kernel/config/config.ts'
import { type Email, openMailer } from '../../src/kernel/http-out/smtp.ts'
import { type MailReceiver, startMailReceiver } from '../mail-receiver.ts'
import { problemsOf } from './problems-of.ts'

let receiver: MailReceiver
before(async () => {
  receiver = await startMailReceiver()
})
after(() => receiver.close())

const LINK = 'https://carnet.example/console/set-password?token=abc'
const letter: Email = {
  to: 'ada@nordlicht.example',
  subject: 'Ein neues Passwort für „Nordlicht & Söhne GmbH, Abteilung für lange Namen“',
  text: `Guten Tag,\n\nöffnen Sie ${LINK}\n.\n..ein Punkt\n`,
}

function logged() {
  const lines: Record<string, unknown>[] = []
  const log = pino(
    { level: 'trace', base: null },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  )
  return { log, lines }
}

describe('an e-mail', () => {
  test('arrives as it was written, from the configured sender', async () => {
    const { log, lines } = logged()
    const mail = openMailer(receiver.server, log)
    mail.send(letter)
    mail.send(Promise.resolve(letter))
    mail.send(Promise.resolve(undefined))
    await mail.settled()
    const [got, second, ...more] = receiver.take()
    assert.deepEqual([got?.to, got?.from, got?.subject], [letter.to, 'carnet@mail.example', letter.subject])
    assert.equal(got?.text.trimEnd(), letter.text.trimEnd())
    assert.equal(second?.to, letter.to)
    assert.deepEqual([more, lines], [[], []])
  })

  test('is retried after a temporary error, and not sent after a permanent one', async () => {
    const { log, lines } = logged()
    const mail = openMailer(receiver.server, log, [1, 1])
    receiver.refuseNext('451 greylisted', '421 busy')
    mail.send(letter)
    await mail.settled()
    assert.equal(receiver.take().length, 1)
    assert.equal(lines.filter(line => /trying again/.test(String(line.msg))).length, 2)

    const before = receiver.refused()
    receiver.refuseNext('554 no')
    mail.send(letter)
    await mail.settled()
    assert.equal(receiver.refused(), before + 1)
    assert.deepEqual(receiver.take(), [])
    assert.match(String(lines.at(-1)?.msg), /was not sent/)
    assert.doesNotMatch(JSON.stringify(lines), /token/)
  })

  test('to an unreachable server is tried several times, then logged; a process that stops waits for no further try', async () => {
    const gone = await startMailReceiver()
    await gone.close()
    const { log, lines } = logged()
    const mail = openMailer(gone.server, log, [3_600_000])
    mail.send(letter)
    mail.stop()
    await mail.settled()
    assert.match(String(lines.at(-1)?.msg), /was not sent/)
  })

  test('that cannot be composed is logged and breaks nothing else', async () => {
    const { log, lines } = logged()
    const mail = openMailer(receiver.server, log)
    mail.send(Promise.reject(new Error('the database is away')))
    await mail.settled()
    assert.match(JSON.stringify(lines), /could not be written/)
  })

  test('is not sent without a server, and its content is not logged', async () => {
    const { log, lines } = logged()
    const mail = openMailer(undefined, log)
    assert.equal(mail.hasServer, false)
    mail.send(letter)
    await mail.settled()
    assert.match(String(lines[0]?.msg), /was not sent: no SMTP_URL is set/)
    assert.doesNotMatch(JSON.stringify(lines), /token=|@/)
  })

  test('the password is not sent unencrypted to a remote server', async () => {
    const { log, lines } = logged()
    const { port, from } = receiver.server
    // A name of this machine for which TLS is required.
    const server = { host: '0.0.0.0', port, secure: false, user: 'u', password: 'p', from }
    const mail = openMailer(server, log, [])
    mail.send(letter)
    await mail.settled()
    assert.deepEqual(receiver.take(), [])
    assert.match(String(lines.at(-1)?.reason), /TLS/i)
  })
})

describe('SMTP_URL and MAIL_FROM', () => {
  const MAIL_FROM = 'Carnet <carnet@mail.example>'
  const read = (env: Record<string, string>) => readConfig(env).smtp

  test('are parsed, with the default ports', () => {
    assert.equal(read({}), undefined)
    assert.equal(read({ MAIL_FROM }), undefined)
    assert.deepEqual(read({ SMTP_URL: 'smtp://mail.example', MAIL_FROM }), {
      host: 'mail.example',
      port: 587,
      secure: false,
      user: undefined,
      password: undefined,
      from: MAIL_FROM,
    })
    assert.deepEqual(read({ SMTP_URL: 'smtps://ada%40x:p%2Fw%25@[::1]', MAIL_FROM: 'a@b.example' }), {
      host: '::1',
      port: 465,
      secure: true,
      user: 'ada@x',
      password: 'p/w%',
      from: 'a@b.example',
    })
    assert.equal(read({ SMTP_URL: 'smtp://127.0.0.1:2525', MAIL_FROM })?.port, 2525)
  })

  test('invalid values are reported with the setting’s name, and without the password', () => {
    const wrong = ['http://mail.example', 'smtp://', 'mail.example', 'smtp://u:secret@mail.example/?x=1']
    for (const SMTP_URL of wrong) {
      const [problem, ...more] = problemsOf({ SMTP_URL, MAIL_FROM })
      assert.match(String(problem), /^SMTP_URL must be/)
      assert.deepEqual(more, [])
      assert.doesNotMatch(String(problem), /secret/)
    }
    assert.match(String(problemsOf({ SMTP_URL: 'smtp://mail.example' })[0]), /^MAIL_FROM is required/)
    for (const from of ['nobody', 'a@b <c@d', 'x <y>', 'a b@c.example']) {
      assert.match(
        String(problemsOf({ SMTP_URL: 'smtp://mail.example', MAIL_FROM: from })[0]),
        /^MAIL_FROM is no/,
      )
    }
  })
})
