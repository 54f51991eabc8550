/** The cookie that tells a browser in which a person has signed in before from one in which somebody guesses. */
import { createKnownDevices, DEVICE_LIFETIME_MS } from '../../accounts/people/known-devices.ts'
import type { ConsoleSetup } from '../page/route.ts'

type Setup = Pick<ConsoleSetup, 'secretKey' | 'clock' | 'addresses'>

const nameFor = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? '__Host-carnet-device' : 'carnet-device'

function valueIn({ addresses }: Setup, header: string | undefined): string | undefined {
  const name = nameFor(addresses.publicUrl)
  return new RegExp(`(?:^|;)\\s*${name}=([\\w.~-]{1,400})\\s*(?:;|$)`).exec(header ?? '')?.[1]
}

/** The id of the browser's mark for a person, if the `Cookie` header holds one. */
export const findDevice = (setup: Setup, header: string | undefined, email: string): string | undefined =>
  createKnownDevices(setup.secretKey).find(valueIn(setup, header), email, setup.clock.now())

/** The `Set-Cookie` line after a sign-in. */
export function deviceCookie(setup: Setup, header: string | undefined, email: string): string {
  const { publicUrl } = setup.addresses
  const value = createKnownDevices(setup.secretKey).add(valueIn(setup, header), email, setup.clock.now())
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const age = DEVICE_LIFETIME_MS / 1000
  return `${nameFor(publicUrl)}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`
}
