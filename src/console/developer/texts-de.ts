/** The words of the developer's pages in German. */
import type { DeveloperTexts } from './texts-en.ts'

export const de: DeveloperTexts = {
  developer: 'Entwicklung',
  lead: 'Für Programme, die mit diesem Konto arbeiten: Shops, Warenwirtschaft, eigene Skripte.',
  keysWhat: count => `${count} in Gebrauch`,
  keysLink: 'API-Schlüssel',
  webhooks: 'Webhooks',
  webhooksWhat: (count, off) =>
    off === 0 ? `${count} eingerichtet` : `${count} eingerichtet, ${off} abgeschaltet`,
  docsLink: 'API-Referenz',
  docsWhat: 'Jeder Aufruf mit Beispielen, Feldern, Webhooks; zum Ausprobieren (englisch)',
  webhooksLead: (attempts, hours) =>
    `Wenn mit einem Pass etwas geschieht, schickt Carnet eine unterschriebene Nachricht an eine Adresse von Ihnen. Es versucht das bis zu ${attempts}-mal in etwa ${hours} Stunden; danach lässt sie sich von Hand noch einmal senden.`,
  webhooksDocs: 'Wie Nachrichten aussehen und wie man sie prüft',
  ownersOnly: 'Nur Inhaber legen Webhooks an, ändern und entfernen sie.',
  none: 'Es gibt noch keine Webhooks.',
  add: 'Webhook anlegen',
  addLead:
    'Das Geheimnis, mit dem seine Nachrichten unterschrieben werden, steht einmal auf der nächsten Seite.',
  change: 'Ändern',
  changeTitle: 'Webhook ändern',
  save: 'Speichern',
  addSubmit: 'Webhook anlegen',
  cancel: 'So lassen',
  back: 'Abbrechen',

  url: 'Adresse',
  urlHint: 'Beginnt mit https:// und ist aus dem Internet erreichbar.',
  description: 'Beschreibung',
  descriptionHint: 'Wofür er ist, etwa „Lagerbestand im Shop“. Darf leer bleiben.',
  events: 'Ereignisse',
  eventsHint: 'Ist keines gewählt, sind es alle, auch die, die später dazukommen.',
  allEvents: 'alle Ereignisse',
  eventNames: {
    'product.created': 'ein Pass wurde angelegt',
    'product.updated': 'ein Pass wurde geändert',
    'product.archived': 'ein Pass wurde archiviert',
    'product.restored': 'ein Pass wurde wiederhergestellt',
    'scan.milestone': 'ein Pass hat eine runde Zahl von Scans erreicht',
    'scan.clone_suspected': 'ein Code wurde vermutlich kopiert',
  },

  state: 'Zustand',
  states: { active: 'aktiv', paused: 'angehalten', disabled: 'abgeschaltet' },
  failing: 'gestört',
  failingSince: 'Gestört seit',
  reasons: {
    gone: 'Er hat mit 410 Gone geantwortet, will also nichts mehr bekommen.',
    failing: 'Fünf Tage lang ist nichts angekommen.',
  },
  offLead: reason =>
    `Dieser Webhook wurde abgeschaltet. ${reason} Ereignisse seither sind für ihn nicht aufgehoben. Bitte den Fehler beheben und ihn dann wieder einschalten.`,
  pausedLead:
    'Er ist angehalten. Ereignisse warten auf ihn, höchstens 30 Tage, und gehen hinaus, sobald es weitergeht.',
  failingLead: since =>
    `Seit ${since} ist nichts angekommen. Jedes Ereignis wird in achteinhalb Stunden sechsmal versucht; nach fünf Tagen ohne Erfolg wird der Webhook abgeschaltet.`,
  leftInPeace: until =>
    `Weil er nicht rechtzeitig antwortet, wird bis ${until} nichts versucht. Ein Test, der ankommt, oder erneutes Senden beendet das.`,
  created: 'Angelegt',
  lastDelivery: 'Letzte Zustellung',
  never: 'keine in 30 Tagen',
  pause: 'Anhalten',
  resume: 'Weitermachen',
  switchOn: 'Wieder einschalten',
  test: 'Test senden',
  testHint: 'Ein Testereignis namens webhook.test geht sofort hinaus; das Ergebnis steht dann hier.',
  testTitle: 'Der Test',

  secret: 'Geheimnis',
  secretLead: 'Es unterschreibt jede Nachricht, damit Ihr Programm sie von gefälschten unterscheiden kann.',
  rotate: 'Geheimnis ersetzen',
  rotateTitle: 'Geheimnis ersetzen?',
  rotateLead:
    'Sie erhalten ein neues Geheimnis. 24 Stunden lang werden Nachrichten mit beiden unterschrieben, damit beim Umstellen nichts verloren geht.',
  rotateAgain:
    'Das Geheimnis wird gerade schon gewechselt. Wird wieder eines angelegt, fällt das neueste, das noch nicht eingesetzt ist, weg.',
  rotateSubmit: 'Neues Geheimnis anlegen',
  overlap: until =>
    `Bis ${until} unterschreibt auch das alte Geheimnis: webhook-signature trägt beide, X-Service-Signature das alte, bis Sie sagen, dass das neue eingesetzt ist.`,
  activated: until =>
    `X-Service-Signature ist mit dem neuen Geheimnis gemacht. Bis ${until} trägt webhook-signature beide.`,
  activate: 'Das neue ist eingesetzt',
  shownTitle: 'Das Geheimnis Ihres Webhooks',
  shownLead:
    'Jetzt kopieren und sicher aufbewahren. Es wird nicht noch einmal gezeigt, nur durch ein neues ersetzt.',
  shownRotated: until =>
    `Bitte in Ihrem Programm neben das alte setzen, das bis ${until} auch noch unterschreibt. Danach auf der Seite des Webhooks sagen, dass es eingesetzt ist.`,
  shownDone: 'Ist aufbewahrt, zum Webhook',

  remove: 'Entfernen',
  removeTitle: 'Diesen Webhook entfernen?',
  removeLead:
    'Er bekommt nichts mehr, und was auf ihn wartet, wird verworfen. Das lässt sich nicht zurücknehmen.',
  removeSubmit: 'Webhook entfernen',
  keep: 'Behalten',

  log: 'Zustellungen',
  logLead: 'Jeder Versuch der letzten 30 Tage, der neueste zuerst.',
  logNone: 'Es wurde noch nichts gesendet.',
  older: 'Ältere',
  newest: 'Neueste',
  ms: n => `${n} ms`,
  attempt: n => `Versuch ${n}`,
  next: time => `nächster Versuch ${time}`,
  noNext: 'aufgegeben',
  answer: 'Die Antwort begann mit',
  details: (event, time) => `zu ${event}, ${time}`,
  more: 'Einzelheiten',
  messageId: 'webhook-id',
  resend: 'Noch einmal senden',
  resent: 'Es ist wieder unterwegs.',
  resentHeld: 'Es wartet und geht hinaus, sobald es mit diesem Webhook weitergeht.',
  nothingToResend:
    'Das war ein Test, oder das Ereignis ist älter als 30 Tage: Es gibt nichts noch einmal zu senden.',
  replay: 'Gescheiterte noch einmal senden',
  replayLead: 'Alle Ereignisse, die seitdem aufgegeben und danach nicht zugestellt wurden.',
  replaySince: 'Seit (UTC)',
  replaySubmit: 'Noch einmal senden',
  replayed: (n, text) =>
    n === 0
      ? 'Es gab nichts noch einmal zu senden.'
      : n === 1
        ? 'Ein Ereignis ist wieder unterwegs.'
        : `${text} Ereignisse sind wieder unterwegs.`,
  replayedHeld: (n, text) =>
    n === 1
      ? 'Ein Ereignis wartet und geht hinaus, sobald es mit diesem Webhook weitergeht.'
      : `${text} Ereignisse warten und gehen hinaus, sobald es mit diesem Webhook weitergeht.`,
  timeWrong: 'Bitte Tag und Uhrzeit angeben, etwa 2026-11-21T09:00.',

  delivered: 'zugestellt',
  answered: status => `mit ${status} beantwortet`,
  outcomes: {
    address_refused: 'die Adresse darf nicht angerufen werden',
    dns: 'der Name führt zu keiner Adresse',
    connect_timeout: 'keine Verbindung innerhalb von 5 Sekunden',
    connection_refused: 'die Verbindung wurde abgelehnt',
    unreachable: 'es gibt keinen Weg zu dieser Adresse',
    tls: 'keine sichere Verbindung',
    connection_closed: 'die Verbindung endete vor einer Antwort',
    timeout: 'keine Antwort innerhalb von 15 Sekunden',
    protocol: 'die Antwort war kein gültiges HTTP',
    stopped: 'Carnet wurde vor einer Antwort beendet',
  },

  why: {
    gone: 'Die Antwort war 410 Gone: der Webhook ist abgeschaltet.',
    redirect: status =>
      `Die Antwort war ${status}, eine Weiterleitung, und Weiterleitungen wird nicht gefolgt.`,
    status: status => `Die Antwort war ${status}; nur 2xx gilt als angenommen.`,
    outcomes: {
      address_refused: ({ name, address }) => {
        if (address === '') return 'Verbunden wird nur mit https-Adressen im öffentlichen Netz.'
        const leads = name === '' ? address : `${name} führt zu ${address}`
        return `${leads}, und das ist keine Adresse im öffentlichen Netz: damit wird nicht verbunden.`
      },
      dns: ({ name }) => `Der Name${name && ` ${name}`} führt zu keiner Adresse.`,
      connect_timeout: () => 'Innerhalb von 5 Sekunden kam keine Verbindung zustande.',
      connection_refused: () => 'Die Verbindung wurde abgelehnt.',
      unreachable: () => 'Zu dieser Adresse gibt es keinen Weg.',
      tls: ({ reason }) => `Es kam keine sichere Verbindung zustande${reason && ` (${reason})`}.`,
      connection_closed: ({ reason }) =>
        `Die Verbindung endete, bevor eine Antwort kam${reason && ` (${reason})`}.`,
      timeout: () => 'Innerhalb von 15 Sekunden kam keine Antwort.',
      protocol: () => 'Die Antwort war kein gültiges HTTP.',
      stopped: () => 'Carnet wurde beendet, bevor eine Antwort kam.',
    },
  },

  urlFaults: {
    length: () => 'Die Adresse ist zu lang: höchstens 2.048 Zeichen.',
    scheme: () => 'Die Adresse muss mit https:// beginnen.',
    characters: () => 'In der Adresse stehen Leerzeichen, Backslashes oder unsichtbare Zeichen.',
    credentials: () => 'In der Adresse darf kein Benutzername oder Passwort stehen.',
    invalid: () => 'Das ist keine gültige Adresse.',
    fragment: () => 'Die Adresse darf kein Fragment haben (was nach # steht).',
    spelling: () => 'Der Rechner muss ein Name sein oder eine IP-Adresse in üblicher Schreibweise.',
    this_machine: host => `${host} ist der Rechner, auf dem Carnet läuft. Er wird nicht angerufen.`,
    forbidden: host => `${host} ist keine öffentliche Adresse. Sie wird nicht angerufen.`,
  },
  tooMany: most =>
    `Ein Konto hat höchstens ${most} Webhooks. Bitte einen entfernen, der nicht gebraucht wird.`,

  homeOff: url => `Der Webhook ${url} wurde abgeschaltet.`,
  homeOffLink: 'Warum, und wieder einschalten',
}
