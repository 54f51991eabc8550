/** Signs in to a server's console like a browser: by e-mail and password, then with a cookie. */
import { createPerson } from '../src/accounts/people/people.ts'
import { setPassword } from '../src/accounts/people/set-password.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import type { BenchDatabase, Server, Tenant } from './environment.ts'

const PASSWORD = 'eleven herons over the lake'

export type Visit = {
  email: string
  cookie: string
  /** Submits a form and returns the address of the redirect. */
  post: (path: string, body: FormData | URLSearchParams) => Promise<string>
}

/** Signs in a new owner of the account; `n` distinguishes several owners. */
export async function signIn(
  hall: BenchDatabase,
  server: Server,
  { accountId }: Tenant,
  n = 0,
): Promise<Visit> {
  const operator = { sql: hall.sql, clock: systemClock }
  const email = `owner${accountId}-${n}@bench.example`
  const { token } = await createPerson(operator, { accountId, email, role: 'owner' })
  await setPassword(operator, { token, password: PASSWORD })
  let cookie = ''
  const send = async (path: string, body: FormData | URLSearchParams) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin', cookie },
      body,
    })
    if (answer.status !== 303)
      throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`)
    return answer
  }
  const signedIn = await send('/console/sign-in', new URLSearchParams({ email, password: PASSWORD }))
  cookie = String(signedIn.headers.getSetCookie()[0]).split(';')[0] ?? ''
  return { email, cookie, post: async (path, body) => (await send(path, body)).headers.get('location') ?? '' }
}
