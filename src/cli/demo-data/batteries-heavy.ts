/** Demo batteries that need a trolley: traction, storage, starting. */
import { ARDOISE, ISVATTEN, MONTCALAR } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'

const TRACTION_PACK: DemoPassport = {
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
      { type: 'Type approval certificate UN R100', url: 'https://documents.ardoise-traction.example/at77/r100.pdf' },
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

const STORAGE_RACK: DemoPassport = {
  category: 'battery',
  data: {
    productName: 'Isvatten Rack 41, åtta moduler',
    sku: 'ISV-R41-8',
    brandName: 'Isvatten',
    gtin: '19521002400004',
    commodityCode: '85076000',
    economicOperator: ISVATTEN,
    languages: ['sv', 'en', 'fi', 'de'],
    batteryCategory: 'industrial',
    cellChemistry: 'lfp',
    weightKg: 396,
    countryOfManufacture: 'SE',
    manufacturingDate: '2026-03-09',
    ratedCapacity: 100,
    energyWh: 40960,
    nominalVoltage: 409.6,
    expectedLifetimeCycles: 6000,
    carbonFootprint: 54.2,
    carbonFootprintClass: 'A',
    carbonFootprintStudyUrl: 'https://studier.isvatten.example/rack41/klimat.pdf',
    carbonFootprintBreakdown: [
      { stage: 'raw_material', value: 33.8 },
      { stage: 'main_production', value: 15.9 },
      { stage: 'distribution', value: 2.2 },
      { stage: 'recycling', value: 2.3 },
    ],
    recycledContent: [{ material: 'lithium', percentage: 9 }],
    hazardousSubstances: [
      { name: 'Lithium hexafluorophosphate', casNumber: '21324-40-3', concentrationRange: '1–2 %' },
      { name: 'Ethylene carbonate', casNumber: '96-49-1', concentrationRange: '3–5 %' },
    ],
    safetyInformation: {
      sv: 'Installeras av behörig elektriker, förankrat i golv och vägg, minst 30 cm fritt ovanför. Bryt DC-brytaren upptill och vänta 5 minuter innan en modul dras ut; en modul väger 46 kg, lyft alltid två. Vid rök: lämna rummet, stäng dörren, ring 112 och säg ”litiumbatteri, LFP”.',
      en: 'To be installed by a qualified electrician, anchored to floor and wall, with at least 30 cm free above. Open the DC breaker at the top and wait 5 minutes before pulling out a module; a module weighs 46 kg, always lift in pairs. If there is smoke: leave the room, close the door, call 112 and say “lithium battery, LFP”.',
      fi: 'Asennuksen tekee sähköalan ammattilainen: kiinnitys lattiaan ja seinään, yläpuolella vähintään 30 cm tilaa. Avaa ylhäällä oleva DC-katkaisija ja odota 5 minuuttia ennen moduulin vetämistä ulos; moduuli painaa 46 kg, nostakaa aina kahdestaan. Jos näet savua: poistu, sulje ovi, soita 112 ja sano ”litiumakku, LFP”.',
      de: 'Einbau durch Elektrofachkräfte, an Boden und Wand verankert, mindestens 30 cm Luft darüber. Den DC-Schalter oben öffnen und 5 Minuten warten, bevor ein Modul gezogen wird; ein Modul wiegt 46 kg, immer zu zweit heben. Bei Rauch: Raum verlassen, Tür schließen, 112 rufen und „Lithiumbatterie, LFP“ sagen.',
    },
    dueDiligenceUrl: 'https://studier.isvatten.example/leverantorskedja/2026.pdf',
    endOfLife: {
      recyclingInstructions: {
        sv: 'Ring oss när kapaciteten sjunker under 60 %: vi monterar ner, byter svaga moduler och säljer racket vidare, eller tar det till återvinning. Stativ, kablar och moduler skiljs åt med en 13 mm hylsnyckel.',
        en: 'Call us when capacity falls below 60 %: we dismantle it, replace weak modules and resell the rack, or take it for recycling. Frame, cables and modules come apart with a 13 mm socket.',
        fi: 'Soita meille, kun kapasiteetti laskee alle 60 prosentin: puramme telineen, vaihdamme heikot moduulit ja myymme sen eteenpäin tai viemme kierrätykseen. Runko, kaapelit ja moduulit irtoavat 13 mm:n hylsyllä.',
        de: 'Rufen Sie an, wenn die Kapazität unter 60 % sinkt: Wir bauen ab, tauschen schwache Module und verkaufen das Rack weiter oder bringen es zum Recycling. Gestell, Kabel und Module lassen sich mit einer 13er-Nuss trennen.',
      },
      disposalInstructions: {
        sv: 'Får aldrig lämnas som elskrot eller metallskrot. Vi hämtar utan kostnad i Norden; i övriga EU genom vår partner.',
        en: 'Must never be left as electronic or metal scrap. We collect free of charge in the Nordic countries, and through our partner in the rest of the EU.',
        fi: 'Ei koskaan sähkö- tai metalliromuun. Noudamme maksutta Pohjoismaissa, muualla EU:ssa kumppanimme kautta.',
      },
    },
    complianceDocuments: [
      { type: 'EU declaration of conformity', url: 'https://dokument.isvatten.example/rack41/eu.pdf' },
      { type: 'Test report EN IEC 62619', url: 'https://dokument.isvatten.example/rack41/62619.pdf' },
    ],
  },
  batches: [
    {
      lot: 'R41-W10',
      items: [
        { serial: 'R41-0088', data: { stateOfHealth: 99.6 } },
        { serial: 'R41-0089', data: { stateOfHealth: 99.5 } },
      ],
    },
  ],
}

const STARTER_BATTERY: DemoPassport = {
  category: 'battery',
  data: {
    productName: 'Montcalar Arranque EFB 70',
    sku: 'MC-EFB70-L3',
    brandName: 'Montcalar',
    gtin: '9521001303330',
    commodityCode: '85071020',
    economicOperator: MONTCALAR,
    languages: ['es', 'pt', 'fr', 'en'],
    batteryCategory: 'sli',
    cellChemistry: 'lead_acid',
    weightKg: 18.4,
    countryOfManufacture: 'ES',
    manufacturingDate: '2026-06',
    ratedCapacity: 70,
    energyWh: 840,
    nominalVoltage: 12,
    expectedLifetimeCycles: 360,
    carbonFootprint: 21.5,
    carbonFootprintBreakdown: [
      { stage: 'raw_material', value: 15.2 },
      { stage: 'main_production', value: 4.6 },
      { stage: 'distribution', value: 0.6 },
      { stage: 'recycling', value: 1.1 },
    ],
    recycledContent: [{ material: 'lead', percentage: 82 }],
    hazardousSubstances: [
      { name: 'Lead', casNumber: '7439-92-1', concentrationRange: '55–65 %' },
      { name: 'Lead dioxide', casNumber: '1309-60-0', concentrationRange: '15–20 %' },
      { name: 'Sulphuric acid', casNumber: '7664-93-9', concentrationRange: '8–12 %' },
    ],
    safetyInformation: {
      es: 'Contiene ácido: gafas y guantes siempre, y mantenerla de pie. Desconectar primero el polo negativo y conectarlo el último. Cargar con ventilación: desprende hidrógeno, ni chispas ni tabaco cerca. Si el ácido toca piel u ojos, enjuagar 15 minutos con agua y acudir al médico.',
      pt: 'Contém ácido: óculos e luvas sempre, e mantê-la de pé. Desligar primeiro o polo negativo e ligá-lo por último. Carregar com ventilação: liberta hidrogénio, sem faíscas nem tabaco por perto. Se o ácido tocar na pele ou nos olhos, lavar 15 minutos com água e ir ao médico.',
      fr: 'Contient de l’acide : lunettes et gants, et toujours debout. Débrancher le pôle négatif en premier et le rebrancher en dernier. Charger en lieu ventilé : elle dégage de l’hydrogène, ni étincelle ni cigarette. En cas de contact avec la peau ou les yeux, rincer 15 minutes à l’eau et consulter.',
      en: 'Contains acid: always wear goggles and gloves, and keep it upright. Disconnect the negative pole first and connect it last. Charge in a ventilated place: it gives off hydrogen, so no sparks or smoking nearby. If acid touches skin or eyes, rinse with water for 15 minutes and see a doctor.',
    },
    endOfLife: {
      recyclingInstructions: {
        es: 'Entregarla en el taller o la tienda al comprar la nueva, o en un punto limpio: es gratis. Llevarla de pie en una caja de plástico, con los bornes tapados. Se recupera más del 95 % del plomo y la caja de polipropileno.',
        pt: 'Entregar na oficina ou na loja ao comprar a nova, ou num ecocentro: é gratuito. Transportar de pé numa caixa de plástico, com os bornes tapados. Recupera-se mais de 95 % do chumbo e a caixa de polipropileno.',
        en: 'Hand it in at the garage or shop when you buy the new one, or at a recycling centre: it is free. Carry it upright in a plastic box with the terminals covered. More than 95 % of the lead is recovered, and the polypropylene case.',
      },
      disposalInstructions: {
        es: 'Prohibido tirarla a la basura o vaciar el ácido. Si gotea: neutralizar con bicarbonato, ponerla en una cubeta y llamar al punto limpio.',
        pt: 'É proibido deitá-la no lixo ou despejar o ácido. Se pingar: neutralizar com bicarbonato, pô-la numa tina e telefonar ao ecocentro.',
        en: 'It is forbidden to bin it or to pour out the acid. If it drips: neutralise with baking soda, stand it in a tub and call the recycling centre.',
      },
    },
    complianceDocuments: [
      { type: 'EU declaration of conformity', url: 'https://documentos.montcalar.example/efb70/ue.pdf' },
      { type: 'Safety data sheet', url: 'https://documentos.montcalar.example/efb70/fds.pdf' },
    ],
  },
  batches: [{ lot: 'F26-171' }, { lot: 'F26-198', data: { manufacturingDate: '2026-07' } }],
}

export const HEAVY_BATTERIES: readonly DemoPassport[] = [TRACTION_PACK, STORAGE_RACK, STARTER_BATTERY]
