/** A demo battery of an electric car: the longest battery page. */
import { ARDOISE } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'

export const TRACTION_PACK: DemoPassport = {
  category: 'battery',
  data: {
    productName: 'Ardoise AT-77, batterie de traction',
    sku: 'ARD-AT77-352',
    brandName: 'Ardoise',
    gtin: '9521001302593',
    commodityCode: '85076000',
    economicOperator: ARDOISE,
    languages: ['fr', 'en', 'de', 'it', 'es'],
    batteryCategory: 'ev',
    cellChemistry: 'nmc',
    weightKg: 448,
    countryOfManufacture: 'FR',
    manufacturingDate: '2026-05',
    ratedCapacity: 218,
    energyWh: 76736,
    nominalVoltage: 352,
    expectedLifetimeCycles: 1800,
    carbonFootprint: 61.3,
    carbonFootprintClass: 'B',
    carbonFootprintStudyUrl: 'https://etudes.ardoise-traction.example/at77/empreinte-2026.pdf',
    carbonFootprintBreakdown: [
      { stage: 'raw_material', value: 38.9 },
      { stage: 'main_production', value: 17.2 },
      { stage: 'distribution', value: 1.9 },
      { stage: 'recycling', value: 3.3 },
    ],
    recycledContent: [
      { material: 'cobalt', percentage: 16 },
      { material: 'lithium', percentage: 6 },
      { material: 'nickel', percentage: 6 },
    ],
    hazardousSubstances: [
      { name: 'Lithium hexafluorophosphate', casNumber: '21324-40-3', concentrationRange: '1–2 %' },
      { name: 'Ethyl methyl carbonate', casNumber: '623-53-0', concentrationRange: '4–6 %' },
      { name: '1,3-Propanesultone', casNumber: '1120-71-4', concentrationRange: '< 0.1 %' },
      { name: 'Nickel (as mixed oxide)', casNumber: '7440-02-0', concentrationRange: '10–14 %' },
    ],
    safetyInformation: {
      fr: 'Haute tension : 352 V continu. Seul un technicien habilité ouvre le pack. Avant toute intervention, tirer la prise de service orange sous le siège arrière et attendre 10 minutes. Après un choc ou une immersion, garer le véhicule dehors à 15 m de toute construction. En cas d’incendie : eau en grande quantité, des heures durant, une reprise de feu étant possible.',
      en: 'High voltage: 352 V DC. Only a qualified technician may open the pack. Before any work pull the orange service plug under the rear seat and wait 10 minutes. After a crash or flooding, park the vehicle outdoors 15 m from any building. In a fire use a great deal of water, for hours: it may re-ignite.',
      de: 'Hochvolt: 352 V Gleichspannung. Nur Fachkundige dürfen das Paket öffnen. Vor jeder Arbeit den orangefarbenen Servicestecker unter der Rückbank ziehen und 10 Minuten warten. Nach Unfall oder Überflutung das Fahrzeug im Freien 15 m von Gebäuden abstellen. Bei Brand viel Wasser, über Stunden: Rückzündung ist möglich.',
      it: 'Alta tensione: 352 V in continua. Solo un tecnico abilitato può aprire il pacco. Prima di ogni intervento estrarre la spina di servizio arancione sotto il sedile posteriore e attendere 10 minuti. Dopo un urto o un allagamento, parcheggiare all’aperto a 15 m da edifici. In caso di incendio: molta acqua, per ore, perché può riaccendersi.',
      es: 'Alta tensión: 352 V en continua. Solo un técnico cualificado puede abrir el paquete. Antes de intervenir, retirar el conector de servicio naranja bajo el asiento trasero y esperar 10 minutos. Tras un choque o inundación, dejar el vehículo al aire libre a 15 m de edificios. En caso de incendio: mucha agua, durante horas, pues puede reavivarse.',
    },
    dueDiligenceUrl: 'https://etudes.ardoise-traction.example/approvisionnement/vigilance-2026.pdf',
    endOfLife: {
      recyclingInstructions: {
        fr: 'Votre garage dépose le pack et nous le renvoie sans frais. Au-dessus de 70 % de santé, il repart en stockage stationnaire ; en dessous, les douze modules (vis M8, aucune colle) sont démontés et les cellules traitées par hydrométallurgie.',
        en: 'Your garage removes the pack and returns it to us free of charge. Above 70 % health it goes on as stationary storage; below that the twelve modules (M8 bolts, no glue) are taken out and the cells are treated by hydrometallurgy.',
        de: 'Die Werkstatt baut das Paket aus und schickt es kostenlos zurück. Über 70 % Zustand dient es als Speicher weiter; darunter werden die zwölf Module (M8-Schrauben, kein Kleber) ausgebaut und die Zellen hydrometallurgisch aufbereitet.',
      },
      disposalInstructions: {
        fr: 'Ne jamais déposer soi-même ni abandonner le véhicule avec sa batterie : centre VHU agréé uniquement. Pack endommagé : transport en caisse P908, demandez-la nous.',
        en: 'Never remove it yourself or abandon the vehicle with its battery: authorised treatment facilities only. A damaged pack travels in a P908 box; ask us for one.',
        de: 'Nie selbst ausbauen und das Fahrzeug nicht mit Batterie zurücklassen: nur zu anerkannten Demontagebetrieben. Beschädigte Pakete reisen in der P908-Kiste; wir stellen sie.',
      },
    },
    complianceDocuments: [
      { type: 'EU declaration of conformity', url: 'https://documents.ardoise-traction.example/at77/ue.pdf' },
      {
        type: 'Type approval certificate UN R100',
        url: 'https://documents.ardoise-traction.example/at77/r100.pdf',
      },
    ],
  },
  items: [
    { serial: 'AT77-26-000412', data: { stateOfHealth: 99.2, manufacturingDate: '2026-05-18' } },
    { serial: 'AT77-26-000413', data: { stateOfHealth: 96.8, manufacturingDate: '2026-05-18' } },
  ],
  corrections: [
    {
      note: 'Verified footprint study replaces the provisional one; class unchanged.',
      change_type: 'correction',
      data: {
        carbonFootprint: 60.7,
        carbonFootprintBreakdown: [
          { stage: 'raw_material', value: 38.9 },
          { stage: 'main_production', value: 16.6 },
          { stage: 'distribution', value: 1.9 },
          { stage: 'recycling', value: 3.3 },
        ],
      },
    },
  ],
}
