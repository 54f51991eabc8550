/** Demo batteries one carries in a hand; the heavy ones are beside it. */
import { STARTER_BATTERY, STORAGE_RACK } from './batteries-heavy.ts'
import { TRACTION_PACK } from './batteries-traction.ts'
import { TALWIND, WERKMEER } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'

const E_BIKE_BATTERY: DemoPassport = {
  category: 'battery',
  data: {
    productName: 'Talwind K630 E-Bike-Akku',
    sku: 'TW-K630-36',
    brandName: 'Talwind',
    gtin: '9521001302227',
    commodityCode: '85076000',
    economicOperator: TALWIND,
    languages: ['de', 'en', 'fr', 'nl'],
    batteryCategory: 'lmt',
    cellChemistry: 'nmc',
    weightKg: 3.4,
    countryOfManufacture: 'DE',
    manufacturingDate: '2026',
    ratedCapacity: 17.5,
    energyWh: 630,
    nominalVoltage: 36,
    expectedLifetimeCycles: 1000,
    carbonFootprint: 78.6,
    carbonFootprintClass: 'C',
    carbonFootprintStudyUrl: 'https://studien.talwind.example/k630/carbon-footprint-2026.pdf',
    carbonFootprintBreakdown: [
      { stage: 'raw_material', value: 47.3 },
      { stage: 'main_production', value: 24.1 },
      { stage: 'distribution', value: 3.4 },
      { stage: 'recycling', value: 3.8 },
    ],
    recycledContent: [
      { material: 'cobalt', percentage: 12 },
      { material: 'nickel', percentage: 4 },
      { material: 'lithium', percentage: 3 },
    ],
    hazardousSubstances: [
      { name: 'Lithium hexafluorophosphate', casNumber: '21324-40-3', concentrationRange: '1–2 %' },
      { name: 'Ethylene carbonate', casNumber: '96-49-1', concentrationRange: '3–5 %' },
      { name: 'Cobalt (as mixed oxide)', casNumber: '7440-48-4', concentrationRange: '2–4 %' },
    ],
    safetyInformation: {
      de: 'Nur mit dem Talwind-Ladegerät und unter Aufsicht auf nicht brennbarer Fläche laden, zwischen 5 und 35 °C. Nach einem Sturz nicht laden: 24 Stunden im Freien beobachten, dann prüfen lassen. Wird der Akku heiß, bläht er sich auf oder riecht er süßlich: Abstand halten, ins Freie bringen, nur wenn das gefahrlos geht, und 112 rufen. Mit viel Wasser kühlen. Nie öffnen.',
      en: 'Charge only with the Talwind charger, attended, on a surface that does not burn, between 5 and 35 °C. After a fall do not charge: watch it outdoors for 24 hours, then have it checked. If it gets hot, swells or smells sweet: keep away, take it outside only if that is safe, and call 112. Cool with plenty of water. Never open it.',
      fr: 'Charger uniquement avec le chargeur Talwind, sous surveillance, sur une surface incombustible, entre 5 et 35 °C. Après une chute, ne pas charger : l’observer 24 heures à l’extérieur, puis la faire contrôler. Si elle chauffe, gonfle ou dégage une odeur sucrée : s’éloigner, ne la sortir que sans danger et appeler le 112. Refroidir à grande eau. Ne jamais ouvrir.',
      nl: 'Laad alleen met de Talwind-lader, onder toezicht, op een onbrandbare ondergrond, tussen 5 en 35 °C. Na een val niet laden: houd hem 24 uur buiten in de gaten en laat hem dan nakijken. Wordt de accu heet, zwelt hij op of ruikt hij zoet: houd afstand, breng hem alleen naar buiten als dat veilig kan en bel 112. Koel met veel water. Nooit openen.',
    },
    dueDiligenceUrl: 'https://lieferkette.talwind.example/2026/sorgfaltspflichten.pdf',
    endOfLife: {
      recyclingInstructions: {
        de: 'Mit dem Schlüssel aus dem Rahmen nehmen, Kontakte mit der Schutzkappe oder Klebeband abdecken und bei jedem Fahrradhändler abgeben, der solche Akkus verkauft: Die Rücknahme ist kostenlos, auch ohne Neukauf. Unter 70 % Restkapazität prüfen wir zuerst, ob er als Hausspeicher weiterdienen kann.',
        en: 'Unlock it from the frame, cover the contacts with the cap or tape and hand it to any bicycle dealer who sells such batteries: take-back is free, with no purchase needed. Below 70 % capacity we first check whether it can go on as home storage.',
        fr: 'La déverrouiller du cadre, couvrir les contacts avec le capuchon ou du ruban adhésif et la remettre à tout vendeur de telles batteries : la reprise est gratuite, sans achat. Sous 70 % de capacité, nous vérifions d’abord si elle peut servir au stockage domestique.',
        nl: 'Haal hem met de sleutel uit het frame, dek de contacten af met het kapje of tape en lever hem in bij een fietsenwinkel die zulke accu’s verkoopt: inname is gratis, ook zonder aankoop. Onder 70 % capaciteit bekijken we eerst of hij als thuisopslag verder kan.',
      },
      disposalInstructions: {
        de: 'Nie in Hausmüll, gelbe Tonne oder Altmetall. Einen beschädigten Akku nicht verschicken und nicht in die Sammelbox legen: anrufen, wir holen ihn im Sicherheitsbehälter ab.',
        en: 'Never in household waste, packaging or scrap metal bins. Do not post a damaged battery or put it into a collection box: call us and we collect it in a safety container.',
        fr: 'Jamais dans les ordures, les emballages ou la ferraille. Ne pas expédier une batterie abîmée ni la mettre dans un bac de collecte : appelez-nous, nous l’enlevons dans un conteneur sécurisé.',
        nl: 'Nooit bij het huisvuil, verpakkingsafval of oud ijzer. Verstuur een beschadigde accu niet en doe hem niet in een inzamelbox: bel ons, wij halen hem op in een veiligheidsvat.',
      },
    },
    complianceDocuments: [
      { type: 'EU declaration of conformity', url: 'https://docs.talwind.example/k630/eu-doc.pdf' },
      { type: 'UN 38.3 test summary', url: 'https://docs.talwind.example/k630/un383.pdf' },
      { type: 'Test report EN 50604-1', url: 'https://docs.talwind.example/k630/en50604.pdf' },
    ],
  },
  batches: [
    {
      lot: 'K630-2604A',
      data: { manufacturingDate: '2026-04' },
      items: [
        { serial: 'TW26040001', data: { stateOfHealth: 97.4, manufacturingDate: '2026-04-13' } },
        { serial: 'TW26040002', data: { stateOfHealth: 98.1, manufacturingDate: '2026-04-13' } },
        { serial: 'TW26040003', data: { stateOfHealth: 88.6, manufacturingDate: '2026-04-14' } },
      ],
    },
    {
      lot: 'K630-2609B',
      data: { manufacturingDate: '2026-09', countryOfManufacture: 'CZ' },
      items: [{ serial: 'TW26090001', data: { stateOfHealth: 100 } }],
    },
  ],
  leavesUnitsOutdated: true,
  corrections: [
    {
      note: 'Cells with more recovered lithium from October 2026 on.',
      change_type: 'change',
      data: {
        recycledContent: [
          { material: 'cobalt', percentage: 14 },
          { material: 'nickel', percentage: 6 },
          { material: 'lithium', percentage: 6 },
        ],
      },
    },
    {
      note: 'Weight on the data sheet was without the handle.',
      change_type: 'correction',
      data: { weightKg: 3.55 },
    },
  ],
}

const TOOL_PACK: DemoPassport = {
  category: 'battery',
  data: {
    productName: 'Werkmeer 18V accupack 5,0 Ah',
    sku: 'WM-ACC18-50',
    brandName: 'Werkmeer',
    gtin: '952010042177',
    commodityCode: '85076000',
    economicOperator: WERKMEER,
    languages: ['nl', 'de', 'fr', 'en'],
    batteryCategory: 'portable',
    cellChemistry: 'nca',
    weightKg: 0.64,
    countryOfManufacture: 'MY',
    manufacturingDate: '2026-02',
    ratedCapacity: 5,
    energyWh: 90,
    nominalVoltage: 18,
    expectedLifetimeCycles: 600,
    carbonFootprint: 92.1,
    hazardousSubstances: [
      { name: 'Dimethyl carbonate', casNumber: '616-38-6', concentrationRange: '4–7 %' },
      { name: 'Nickel (as mixed oxide)', casNumber: '7440-02-0', concentrationRange: '12–16 %' },
      { name: 'Lithium hexafluorophosphate', casNumber: '21324-40-3', concentrationRange: '1–2 %' },
    ],
    safetyInformation: {
      nl: 'Houd de contacten vrij van schroeven, sleutels en spaanders: kortsluiting kan brand geven. Bewaar het pack los van de machine, droog en half geladen (twee lampjes). Gebruik het niet meer na een val van meer dan 2 meter, bij een barst of als het tijdens laden warmer wordt dan handwarm.',
      de: 'Kontakte von Schrauben, Schlüsseln und Spänen fernhalten: Ein Kurzschluss kann einen Brand auslösen. Getrennt von der Maschine, trocken und halb geladen (zwei Leuchten) lagern. Nach einem Sturz aus mehr als 2 Metern, bei Rissen oder wenn es beim Laden mehr als handwarm wird, nicht mehr benutzen.',
      fr: 'Tenir les contacts à l’écart des vis, clés et copeaux : un court-circuit peut causer un incendie. Ranger le pack hors de la machine, au sec et à demi chargé (deux voyants). Ne plus l’utiliser après une chute de plus de 2 mètres, en cas de fissure ou s’il devient plus que tiède en charge.',
      en: 'Keep the contacts clear of screws, keys and swarf: a short circuit can start a fire. Store the pack off the machine, dry and half charged (two lights). Stop using it after a fall from more than 2 metres, when it is cracked, or if it gets more than hand-warm while charging.',
    },
    endOfLife: {
      recyclingInstructions: {
        nl: 'Ontlaad tot de machine stopt, plak de contacten af en lever het pack in bij de bouwmarkt of de milieustraat. Vier schroeven (T10) sluiten de kast: een erkende hersteller kan cellen en printplaat los vervangen.',
        de: 'Entladen, bis die Maschine stoppt, Kontakte abkleben und im Baumarkt oder am Wertstoffhof abgeben. Vier Schrauben (T10) halten das Gehäuse: Eine Fachwerkstatt kann Zellen und Platine einzeln tauschen.',
        fr: 'Décharger jusqu’à l’arrêt de la machine, isoler les contacts et déposer le pack en magasin de bricolage ou en déchèterie. Quatre vis (T10) ferment le boîtier : un réparateur agréé peut remplacer cellules et carte séparément.',
      },
      disposalInstructions: {
        nl: 'Niet bij het restafval. Lekt of rookt het pack: leg het buiten op steen of zand, raak het niet met blote handen aan en bel de milieustraat.',
        de: 'Nicht in den Restmüll. Läuft das Pack aus oder raucht es: im Freien auf Stein oder Sand legen, nicht mit bloßen Händen anfassen und den Wertstoffhof anrufen.',
        fr: 'Pas dans les ordures ménagères. Si le pack fuit ou fume : le poser dehors sur de la pierre ou du sable, ne pas le toucher à mains nues et appeler la déchèterie.',
      },
    },
    complianceDocuments: [
      { type: 'EU declaration of conformity', url: 'https://docs.werkmeer.example/acc18-50/eu-doc.pdf' },
      { type: 'UN 38.3 test summary', url: 'https://docs.werkmeer.example/acc18-50/un383.pdf' },
    ],
  },
  batches: [
    { lot: 'MY2602/11' },
    { lot: 'MY2607/03', data: { manufacturingDate: '2026-07', weightKg: 0.63 } },
  ],
}

/** The required core and nothing else: the shortest battery page. */
const RECHARGEABLE_CELL: DemoPassport = {
  category: 'battery',
  data: {
    productName: 'Nabíjecí článek AA 2500',
    sku: 'BAT-AA-2500',
    brandName: 'Baterka',
    economicOperator: {
      role: 'distributor',
      legalName: 'Baterka Obchod s.r.o.',
      address: 'Článková 11, 602 00 Brno',
      country: 'CZ',
      contactEmail: 'info@baterka.example',
    },
    languages: ['cs'],
    batteryCategory: 'portable',
    cellChemistry: 'nimh',
    weightKg: 0.03,
    countryOfManufacture: 'JP',
    manufacturingDate: '2025',
    ratedCapacity: 2.5,
    endOfLife: {
      recyclingInstructions: { cs: 'Vhoďte do sběrné nádoby na baterie v obchodě nebo ve sběrném dvoře.' },
      disposalInstructions: { cs: 'Nepatří do směsného odpadu. Nevhazujte do ohně.' },
    },
  },
}

export const BATTERIES: readonly DemoPassport[] = [
  E_BIKE_BATTERY,
  TRACTION_PACK,
  STORAGE_RACK,
  STARTER_BATTERY,
  TOOL_PACK,
  RECHARGEABLE_CELL,
]
