/** The words of the developer's pages in English; the others have the same keys. */
import type { UrlFault } from '../../kernel/http-out/outbound-url.ts'
import type { DisabledReason, EndpointStatus } from '../../webhooks/endpoint.ts'
import type { EventType } from '../../webhooks/insert-events.ts'

type Facts = { name: string; address: string; reason: string }

/** Why a delivery failed, by its status or by its outcome; facts that are not known are ''. */
export type Why = {
  gone: string
  redirect: (status: number) => string
  status: (status: number) => string
  outcomes: Readonly<Record<string, (facts: Facts) => string>>
}

export const en = {
  developer: 'Developer',
  lead: 'For programs that work with this account: shops, ERP systems, scripts of your own.',
  keysWhat: (count: string) => `${count} in use`,
  keysLink: 'API keys',
  webhooks: 'Webhooks',
  webhooksWhat: (count: string, off: number) =>
    off === 0 ? `${count} set up` : `${count} set up, ${off} switched off`,
  docsLink: 'API reference',
  docsWhat: 'Every call with examples, fields, webhooks; to be tried out',
  webhooksLead: (attempts: string, hours: string) =>
    `When something happens to a passport, Carnet sends a signed message to an address of yours. It tries up to ${attempts} times within about ${hours} hours; after that, the message can be sent again by hand.`,
  webhooksDocs: 'How messages look and how to check them',
  ownersOnly: 'Only owners add, change and remove webhooks.',
  none: 'There are no webhooks yet.',
  add: 'Add a webhook',
  addLead: 'The secret that signs its messages is shown once, on the next page.',
  change: 'Change',
  changeTitle: 'Change this webhook',
  save: 'Save',
  addSubmit: 'Add the webhook',
  cancel: 'Leave it as it is',
  back: 'Cancel',

  url: 'Address',
  urlHint: 'Begins with https:// and can be reached from the internet.',
  description: 'Description',
  descriptionHint: 'What it is for, such as “Shop stock”. May be empty.',
  events: 'Events',
  eventsHint: 'None chosen means all of them, also those that come later.',
  allEvents: 'all events',
  eventNames: {
    'product.created': 'a passport was created',
    'product.updated': 'a passport was changed',
    'product.archived': 'a passport was archived',
    'product.restored': 'a passport was restored',
    'scan.milestone': 'a passport reached a round number of scans',
    'scan.clone_suspected': 'a code seems to have been copied',
  } satisfies Record<EventType, string> as Readonly<Record<string, string>>,

  state: 'State',
  states: { active: 'active', paused: 'paused', disabled: 'switched off' } satisfies Record<
    EndpointStatus,
    string
  >,
  failing: 'failing',
  failingSince: 'Failing since',
  reasons: {
    gone: 'It answered 410 Gone, which means that it wants nothing any more.',
    failing: 'It only failed for five days.',
  } satisfies Record<DisabledReason, string>,
  offLead: (reason: string) =>
    `This webhook was switched off. ${reason} Events since then are not kept for it. Put right what was wrong, then switch it on again.`,
  pausedLead: 'It is paused. Events wait for it, for 30 days at most, and go out when it goes on.',
  failingLead: (since: string) =>
    `It has only failed since ${since}. Each event is tried six times over eight and a half hours; after five days of failures the webhook is switched off.`,
  leftInPeace: (until: string) =>
    `Because it hangs, it is left in peace until ${until}. A test that is received, or sending again, ends that.`,
  created: 'Added',
  lastDelivery: 'Last delivery',
  never: 'none in 30 days',
  pause: 'Pause',
  resume: 'Go on',
  switchOn: 'Switch on again',
  test: 'Send a test',
  testHint: 'A test event named webhook.test goes out at once; the result is shown here.',
  testTitle: 'The test',

  secret: 'Secret',
  secretLead: 'It signs every message, so that your program can tell them from forged ones.',
  rotate: 'Replace the secret',
  rotateTitle: 'Replace the secret?',
  rotateLead:
    'You get a new secret. For 24 hours messages are signed with both, so that nothing is lost while you put it in place.',
  rotateAgain:
    'Secrets are being changed already. Made anew, the newest one that is not in use yet is dropped.',
  rotateSubmit: 'Make the new secret',
  overlap: (until: string) =>
    `Until ${until} the old secret signs as well: webhook-signature carries both, X-Service-Signature the old one until you say that the new one is in place.`,
  activated: (until: string) =>
    `The new secret signs X-Service-Signature. Until ${until} webhook-signature carries both.`,
  activate: 'The new secret is in place',
  shownTitle: 'The secret of your webhook',
  shownLead: 'Copy it now and keep it safe. It cannot be shown again, only replaced.',
  shownRotated: (until: string) =>
    `Put it into your program beside the old one, which signs as well until ${until}. Then say on the page of the webhook that it is in place.`,
  shownDone: 'I have kept it, to the webhook',

  remove: 'Remove',
  removeTitle: 'Remove this webhook?',
  removeLead: 'It gets nothing any more, and what waits for it is dropped. This cannot be undone.',
  removeSubmit: 'Remove the webhook',
  keep: 'Keep it',

  log: 'Deliveries',
  logLead: 'Every attempt of the last 30 days, the newest first.',
  logNone: 'Nothing was sent yet.',
  older: 'Older',
  newest: 'Newest',
  ms: (n: string) => `${n} ms`,
  attempt: (n: number) => `attempt ${n}`,
  next: (time: string) => `next attempt ${time}`,
  noNext: 'given up',
  answer: 'The answer began with',
  details: (event: string, time: string) => `of ${event}, ${time}`,
  more: 'Details',
  messageId: 'webhook-id',
  resend: 'Send again',
  resent: 'It is on its way again.',
  resentHeld: 'It waits, and goes out when this webhook goes on.',
  nothingToResend: 'That was a test, or its event is older than 30 days: there is nothing to send again.',
  replay: 'Send failed ones again',
  replayLead: 'All events that were given up since then and have not been delivered after that.',
  replaySince: 'Since (UTC)',
  replaySubmit: 'Send them again',
  replayed: (n: number, text: string) =>
    n === 0
      ? 'There was nothing to send again.'
      : n === 1
        ? 'One event is on its way again.'
        : `${text} events are on their way again.`,
  /** For one or more. */
  replayedHeld: (n: number, text: string) =>
    n === 1
      ? 'One event waits, and goes out when this webhook goes on.'
      : `${text} events wait, and go out when this webhook goes on.`,
  timeWrong: 'Give a day and a time, such as 2026-11-21T09:00.',

  delivered: 'delivered',
  answered: (status: number) => `answered ${status}`,
  outcomes: {
    address_refused: 'the address may not be called',
    dns: 'the name leads to no address',
    connect_timeout: 'no connection within 5 seconds',
    connection_refused: 'the connection was refused',
    unreachable: 'there is no way to that address',
    tls: 'no secure connection',
    connection_closed: 'the connection ended before an answer',
    timeout: 'no answer within 15 seconds',
    protocol: 'the answer was not valid HTTP',
    stopped: 'Carnet was stopped before an answer',
  } as Readonly<Record<string, string>>,

  /** Undefined where the sentences are as they are kept. */
  why: undefined as Why | undefined,

  urlFaults: {
    length: () => 'The address is too long: at most 2,048 characters.',
    scheme: () => 'The address must begin with https://.',
    characters: () => 'The address has spaces, backslashes or invisible characters in it.',
    credentials: () => 'The address must not have a user name or password in it.',
    invalid: () => 'That is not a valid address.',
    fragment: () => 'The address must not have a fragment (what follows #).',
    spelling: () => 'The host must be a name, or an IP address in its usual spelling.',
    this_machine: host => `${host} is the machine that Carnet runs on. It is not called.`,
    forbidden: host => `${host} is not a public address. It is not called.`,
  } satisfies Record<UrlFault['name'], (host: string) => string> as Readonly<
    Record<UrlFault['name'], (host: string) => string>
  >,
  tooMany: (most: number) => `An account has at most ${most} webhooks. Remove one that is not used.`,

  homeOff: (url: string) => `The webhook ${url} was switched off.`,
  homeOffLink: 'See why, and switch it on',
}

export type DeveloperTexts = typeof en
