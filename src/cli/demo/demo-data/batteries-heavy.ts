/** Demo batteries that stay where they are built in: storage and starting. */
import { ISVATTEN, MONTCALAR } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'

export const STORAGE_RACK: DemoPassport = {
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

export const STARTER_BATTERY: DemoPassport = {
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
