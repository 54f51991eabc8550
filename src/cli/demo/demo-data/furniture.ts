/** Demo furniture in oak and cork; seating and office furniture are beside it. */
import { SKOVLIDE } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'
import { BOOKCASE, OFFICE_CHAIR } from './furniture-office.ts'
import { RATTAN_CHAIR, SOFA } from './furniture-seating.ts'

const OAK_TABLE: DemoPassport = {
  category: 'furniture',
  data: {
    productName: 'Langbord Sejs, massiv eg',
    sku: 'SKV-SEJS-220',
    brandName: 'Skovlide',
    gtin: '9521001404440',
    commodityCode: '94036010',
    economicOperator: SKOVLIDE,
    languages: ['da', 'sv', 'en', 'de'],
    materialComposition: [
      { material: 'wood', percentage: 98 },
      { material: 'metal', percentage: 2 },
    ],
    woodCertification: { scheme: 'fsc', country: 'DK' },
    dimensions: { width: 220, depth: 95, height: 74, weightKg: 61.5 },
    countryOfManufacture: 'DK',
    careInstructions: {
      da: 'Tør af med en hårdt opvredet klud og tør efter i årenes retning. To gange om året: vask med sæbespåner (½ dl i 1 liter lunkent vand), lad tørre et døgn og giv et tyndt lag hårdvoksolie. Olievåde klude kan selvantænde: læg dem i vand. Brug bordskåner; hold 40–60 % luftfugtighed.',
      sv: 'Torka med hårt urvriden trasa och eftertorka längs ådringen. Två gånger om året: tvätta med såpspån (½ dl till 1 liter ljummet vatten), låt torka ett dygn och stryk på ett tunt lager hårdvaxolja. Oljiga trasor kan självantända: lägg dem i vatten. Använd underlägg; håll 40–60 % luftfuktighet.',
      en: 'Wipe with a well-wrung cloth and dry along the grain. Twice a year: wash with soap flakes (50 ml in 1 litre of lukewarm water), let dry for a day and apply a thin coat of hard-wax oil. Oily rags can ignite by themselves: put them in water. Use trivets; keep the air at 40–60 % humidity.',
      de: 'Mit gut ausgewrungenem Tuch abwischen und in Faserrichtung trocknen. Zweimal im Jahr: mit Seifenflocken (50 ml auf 1 Liter lauwarmes Wasser) waschen, einen Tag trocknen lassen und dünn Hartwachsöl auftragen. Ölige Lappen können sich selbst entzünden: in Wasser legen. Untersetzer verwenden; Luftfeuchte 40–60 % halten.',
    },
    assemblyInstructions: {
      da: 'To personer, 15 minutter. Læg bordpladen med oversiden ned på et tæppe. Sæt hvert ben i sin taske, bogstav mod bogstav, og spænd de to bolte med den medfølgende 6 mm unbrakonøgle. Vend bordet sammen, og efterspænd efter en måned.',
      en: 'Two people, 15 minutes. Lay the top face down on a blanket. Set each leg into its socket, letter to letter, and tighten the two bolts with the 6 mm hex key supplied. Turn the table over together, and retighten after a month.',
      de: 'Zwei Personen, 15 Minuten. Die Platte mit der Oberseite nach unten auf eine Decke legen. Jedes Bein in seine Tasche setzen, Buchstabe zu Buchstabe, und die zwei Schrauben mit dem beiliegenden 6-mm-Inbus anziehen. Gemeinsam umdrehen, nach einem Monat nachziehen.',
    },
    repair: {
      repairable: true,
      sparePartsAvailable: true,
      instructions: {
        da: 'Ridser: slib let med korn 180 og så 240 i årenes retning, og giv olie. Buler: læg en fugtig klud over og varm kort med strygejern, så fibrene rejser sig. Ben, bolte og bøsninger kan købes enkeltvis i 25 år.',
        en: 'Scratches: sand lightly along the grain with 180 and then 240 grit, and oil. Dents: lay a damp cloth on top and warm it briefly with an iron, so that the fibres rise. Legs, bolts and bushings can be bought singly for 25 years.',
        de: 'Kratzer: leicht in Faserrichtung mit 180er, dann 240er Korn schleifen und ölen. Dellen: feuchtes Tuch auflegen und kurz mit dem Bügeleisen erwärmen, die Fasern richten sich auf. Beine, Schrauben und Buchsen gibt es 25 Jahre einzeln.',
      },
      sparePartsUrl: 'https://reservedele.skovlide.example/sejs',
    },
    warrantyMonths: 120,
    substancesOfConcern: [
      {
        name: 'Butanone oxime',
        casNumber: '96-29-7',
        note: 'Antiskindmiddel i hårdvoksolien; fordampet før levering, under 0,01 %.',
      },
    ],
    flameRetardants: 'absent',
    packaging: 'recyclable',
    endOfLife: {
      recyclingInstructions: {
        da: 'Skru benene af og tag de 8 bolte og bøsninger ud: de er stål. Massivt egetræ kan høvles om: spørg et snedkeri eller os, vi køber plader tilbage. Ellers genbrugspladsen, container til rent træ.',
        sv: 'Skruva av benen och ta ut de 8 bultarna och hylsorna: de är av stål. Massiv ek kan hyvlas om: fråga ett snickeri eller oss, vi köper tillbaka skivor. Annars återvinningscentralen, rent trä.',
        en: 'Unscrew the legs and take out the 8 bolts and bushings: they are steel. Solid oak can be planed again: ask a joiner or us, we buy tops back. Otherwise the recycling centre, clean wood.',
        de: 'Beine abschrauben und die 8 Schrauben und Buchsen herausnehmen: Sie sind aus Stahl. Massive Eiche lässt sich neu hobeln: eine Tischlerei oder uns fragen, wir kaufen Platten zurück. Sonst Wertstoffhof, unbehandeltes Holz.',
      },
      disposalInstructions: {
        da: 'Må ikke brændes i brændeovn på grund af olien. Kun råddent træ går til småt brændbart.',
        en: 'Do not burn it in a stove because of the oil. Only rotten wood goes to burnable waste.',
        de: 'Wegen des Öls nicht im Ofen verbrennen. Nur verfaultes Holz in den Sperrmüll.',
      },
    },
    complianceDocuments: [
      { type: 'Test report EN 12521 (tables)', url: 'https://dokumenter.skovlide.example/sejs/en12521.pdf' },
      { type: 'EUDR due diligence reference', url: 'https://dokumenter.skovlide.example/sejs/eudr.pdf' },
    ],
  },
  items: [
    { serial: 'SEJS-0412' },
    { serial: 'SEJS-0413', data: { dimensions: { width: 260, depth: 95, height: 74, weightKg: 71 } } },
  ],
}

/** The required core and nothing else: the shortest furniture page. */
const CORK_STOOL: DemoPassport = {
  category: 'furniture',
  data: {
    productName: 'Banco de cortiça Rolha',
    sku: 'SOB-ROLHA-45',
    brandName: 'Sobrinha',
    economicOperator: {
      role: 'manufacturer',
      legalName: 'Sobrinha Cortiças, Lda.',
      address: 'Rua do Descortiçamento 14, 7000-001 Évora',
      country: 'PT',
      contactEmail: 'geral@sobrinha.example',
    },
    languages: ['pt'],
    materialComposition: [{ material: 'cork', percentage: 100 }],
    countryOfManufacture: 'PT',
    careInstructions: { pt: 'Aspirar e limpar com um pano húmido e sabão neutro. Secar à sombra.' },
    repair: { repairable: true, sparePartsAvailable: false },
    endOfLife: {
      recyclingInstructions: {
        pt: 'Entregar num ponto de recolha de rolhas ou no ecocentro: volta a ser granulado.',
      },
      disposalInstructions: { pt: 'Em pedaços pequenos, pode ir para o composto.' },
    },
  },
}

export const FURNITURE: readonly DemoPassport[] = [
  OAK_TABLE,
  SOFA,
  BOOKCASE,
  RATTAN_CHAIR,
  OFFICE_CHAIR,
  CORK_STOOL,
]
