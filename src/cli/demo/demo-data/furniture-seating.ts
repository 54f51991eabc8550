/** Demo furniture for the living room. */
import { KALAMOTI, LARCHMERE } from './companies.ts'
import type { DemoPassport } from './demo-passport.ts'

export const SOFA: DemoPassport = {
  category: 'furniture',
  data: {
    productName: 'Boyne Three-Seat Sofa',
    sku: 'LM-BOYNE-3-MOSS',
    brandName: 'Larchmere',
    gtin: '9521001404815',
    commodityCode: '94016100',
    economicOperator: LARCHMERE,
    languages: ['en', 'ga', 'fr', 'de'],
    materialComposition: [
      { material: 'wood', percentage: 34 },
      { material: 'foam', percentage: 27 },
      { material: 'textile', percentage: 19 },
      { material: 'engineeredWood', percentage: 11 },
      { material: 'metal', percentage: 8 },
      { material: 'plastic', percentage: 1 },
    ],
    woodCertification: { scheme: 'fsc', country: 'LV' },
    dimensions: { width: 214, depth: 96, height: 83, weightKg: 72 },
    countryOfManufacture: 'IE',
    careInstructions: {
      en: 'Vacuum weekly with the soft brush and turn the seat cushions. Blot spills at once with a white cloth and cold water. Covers come off: close the zips and wash them at 30 °C inside out, line dry, and refit while slightly damp. Do not steam or bleach: both weaken the flame-retardant finish.',
      ga: 'Folúsghlan gach seachtain leis an scuab bhog agus iompaigh na cúisíní. Triomaigh doirteadh láithreach le héadach bán agus uisce fuar. Bain na clúdaigh: dún na sipeanna agus nigh iad ag 30 °C taobh istigh amuigh, agus triomaigh ar líne. Ná húsáid gal ná tuarthóir.',
      fr: 'Aspirer chaque semaine avec la brosse douce et retourner les assises. Tamponner aussitôt les taches avec un linge blanc et de l’eau froide. Housses amovibles : fermer les zips, laver à 30 °C à l’envers, sécher sur fil et remettre légèrement humides. Ni vapeur ni javel : elles affaiblissent le traitement ignifuge.',
      de: 'Wöchentlich mit weicher Bürste absaugen und die Sitzkissen wenden. Verschüttetes sofort mit weißem Tuch und kaltem Wasser abtupfen. Bezüge abnehmbar: Reißverschlüsse schließen, bei 30 °C auf links waschen, aufhängen und leicht feucht wieder aufziehen. Kein Dampf, keine Bleiche: Beides schwächt den Flammschutz.',
    },
    assemblyInstructions: {
      en: 'Tip the sofa on its back with a helper. Screw in the four oak feet by hand until the washer touches the frame, then set it down on all four feet at once. Hook the back cushions on their tabs. If it does not pass the door, both arms come off with three bolts each (5 mm key, under the seat cloth).',
      fr: 'À deux, coucher le canapé sur le dos. Visser à la main les quatre pieds en chêne jusqu’au contact de la rondelle, puis le reposer d’un coup sur ses quatre pieds. Accrocher les dossiers. S’il ne passe pas la porte, les accoudoirs se démontent : trois vis chacun (clé de 5, sous la toile d’assise).',
    },
    repair: {
      repairable: true,
      sparePartsAvailable: true,
      instructions: {
        en: 'Sagging seat: unzip the cushion and replace the foam core; order it by the code on the white label. Broken spring: unclip the black cloth underneath, unhook the serpentine spring from its two clips and hook in a new one with pliers and eye protection. Every cover, foot and spring is sold singly for 15 years.',
        fr: 'Assise affaissée : ouvrir le zip et changer la mousse, référence sur l’étiquette blanche. Ressort cassé : dégrafer la toile noire dessous, décrocher le ressort de ses deux clips et accrocher le neuf à la pince, avec des lunettes. Housses, pieds et ressorts se vendent à l’unité pendant 15 ans.',
        de: 'Durchgesessen: Reißverschluss öffnen und den Schaumkern tauschen, Nummer auf dem weißen Etikett. Feder gebrochen: schwarzes Tuch unten lösen, Wellenfeder aus den zwei Klammern haken, neue mit Zange und Schutzbrille einhängen. Bezüge, Füße und Federn gibt es 15 Jahre einzeln.',
      },
      sparePartsUrl: 'https://parts.larchmere.example/boyne',
    },
    warrantyMonths: 60,
    substancesOfConcern: [
      {
        name: 'Tris(2-chloro-1-methylethyl) phosphate (TCPP)',
        casNumber: '13674-84-5',
        note: 'Flame retardant in the seat foam, 4–7 % of the foam.',
      },
      {
        name: 'Diantimony trioxide',
        casNumber: '1309-64-4',
        note: 'Synergist in the back-coating of the cover, 1–3 % of the textile.',
      },
      {
        name: 'Melamine',
        casNumber: '108-78-1',
        note: 'Flame retardant in the seat foam, 8–12 % of the foam.',
      },
    ],
    flameRetardants: 'present',
    packaging: 'partiallyRecyclable',
    endOfLife: {
      recyclingInstructions: {
        en: 'First choice: sell or donate it with its fire label attached, without which charities may not take it. To take it apart: covers off by the zips, foam out, feet off, black cloth and springs out. Frame to wood, springs to metal; foam and covers stay separate because of the flame retardants.',
        fr: 'D’abord le vendre ou le donner avec son étiquette de tenue au feu. Pour le démonter : housses par les zips, mousses, pieds, toile noire et ressorts. Bois et métal en déchèterie ; mousses et housses à part, à cause des retardateurs de flamme.',
        de: 'Zuerst verkaufen oder verschenken, mit dem Brandschutzetikett. Zum Zerlegen: Bezüge am Reißverschluss abziehen, Schaum heraus, Füße ab, schwarzes Tuch und Federn heraus. Gestell zum Holz, Federn zum Metall; Schaum und Bezüge wegen der Flammschutzmittel getrennt halten.',
      },
      disposalInstructions: {
        en: 'Book a bulky waste collection and say “upholstered seating”: foam and covers contain flame retardants and must be burnt at high temperature, never shredded, landfilled or lit at home.',
        fr: 'Demander l’enlèvement des encombrants en précisant « siège rembourré » : mousse et housses ignifugées doivent être incinérées à haute température, jamais broyées, enfouies ni brûlées chez soi.',
        de: 'Sperrmüll anmelden und „Polstermöbel“ angeben: Schaum und Bezüge mit Flammschutz müssen bei hoher Temperatur verbrannt werden, nie geschreddert, deponiert oder selbst verbrannt.',
      },
    },
    complianceDocuments: [
      {
        type: 'Ignitability test report EN 1021-1/-2',
        url: 'https://docs.larchmere.example/boyne/en1021.pdf',
      },
      {
        type: 'Strength and durability test report EN 12520',
        url: 'https://docs.larchmere.example/boyne/en12520.pdf',
      },
    ],
  },
  batches: [
    { lot: 'BOY-26-W22' },
    { lot: 'BOY-26-W38', data: { countryOfManufacture: 'PL', warrantyMonths: 72 } },
  ],
}

export const RATTAN_CHAIR: DemoPassport = {
  category: 'furniture',
  data: {
    productName: 'Πολυθρόνα μπαμπού ρατάν Θέρμη',
    sku: 'KAL-THERMI-01',
    brandName: 'Καλαμωτή',
    gtin: '9521001405553',
    commodityCode: '94015300',
    economicOperator: KALAMOTI,
    languages: ['el', 'en', 'fr', 'it'],
    materialComposition: [
      { material: 'rattan', percentage: 84 },
      { material: 'textile', percentage: 9 },
      { material: 'foam', percentage: 5 },
      { material: 'metal', percentage: 2 },
    ],
    woodCertification: { scheme: 'none', country: 'ID' },
    dimensions: { width: 68, depth: 71, height: 82, weightKg: 6.4 },
    countryOfManufacture: 'ID',
    careInstructions: {
      el: 'Καθαρίζετε τη σκόνη με μαλακή βούρτσα και μετά με ελαφρά υγρό πανί. Μία φορά τον χρόνο ψεκάστε λίγο νερό στην πλέξη και αφήστε τη να στεγνώσει στη σκιά: το ρατάν μένει ελαστικό. Όχι έξω στη βροχή ή στον δυνατό ήλιο. Το κάλυμμα του μαξιλαριού πλένεται στους 30 °C.',
      en: 'Dust with a soft brush, then with a slightly damp cloth. Once a year mist the weave with a little water and let it dry in the shade: rattan stays supple. Do not leave it out in rain or strong sun. The cushion cover washes at 30 °C.',
      fr: 'Dépoussiérer à la brosse douce, puis au chiffon à peine humide. Une fois par an, vaporiser un peu d’eau sur le tressage et laisser sécher à l’ombre : le rotin reste souple. Ne pas laisser sous la pluie ni en plein soleil. Housse du coussin lavable à 30 °C.',
      it: 'Spolverare con una spazzola morbida, poi con un panno appena umido. Una volta l’anno nebulizzare un po’ d’acqua sull’intreccio e lasciare asciugare all’ombra: il rattan resta elastico. Non lasciarla sotto la pioggia o al sole forte. La fodera del cuscino si lava a 30 °C.',
    },
    repair: {
      repairable: true,
      sparePartsAvailable: true,
      instructions: {
        el: 'Αν λυθεί ένα δέσιμο: μουλιάστε τη λωρίδα ρατάν του σακουλιού 20 λεπτά σε χλιαρό νερό, τυλίξτε τη σφιχτά πάνω από το παλιό δέσιμο, περάστε την άκρη από κάτω και αφήστε τη να στεγνώσει μία μέρα: σφίγγει μόνη της. Πατάκια και μαξιλάρι παραγγέλνονται χωριστά.',
        en: 'If a binding comes loose: soak the rattan strip from the pouch for 20 minutes in lukewarm water, wind it tightly over the old binding, tuck the end under and let it dry for a day: it tightens by itself. Feet and cushion can be ordered separately.',
        it: 'Se una legatura si allenta: ammollare la striscia di rattan del sacchetto 20 minuti in acqua tiepida, avvolgerla stretta sulla vecchia legatura, infilare il capo sotto e lasciare asciugare un giorno: si stringe da sola. Piedini e cuscino si ordinano a parte.',
      },
      sparePartsUrl: 'https://kalamoti.example/antallaktika/thermi',
    },
    warrantyMonths: 24,
    flameRetardants: 'unknown',
    packaging: 'recyclable',
    endOfLife: {
      recyclingInstructions: {
        el: 'Βγάλτε το μαξιλάρι, ξεβιδώστε τις 6 βίδες και τα μεταλλικά πατάκια. Το ρατάν πηγαίνει στα κλαδέματα ή στο πράσινο σημείο ως ξύλο, οι βίδες στα μέταλλα, το καθαρό κάλυμμα στον κάδο ρούχων.',
        en: 'Take off the cushion, undo the 6 screws and the metal feet. The rattan goes to green waste or to the recycling centre as wood, the screws to metal, the clean cover to a textile bank.',
        fr: 'Retirer le coussin, dévisser les 6 vis et les patins en métal. Le rotin va aux déchets verts ou en déchèterie avec le bois, les vis au métal, la housse propre en borne textile.',
      },
      disposalInstructions: {
        el: 'Ο αφρός του μαξιλαριού πηγαίνει στα σύμμικτα. Μην αφήνετε την καρέκλα δίπλα στον κάδο: καλέστε τον δήμο για ογκώδη.',
        en: 'The cushion foam goes into residual waste. Do not leave the chair beside the bin: call the municipality for bulky waste.',
      },
    },
    complianceDocuments: [
      { type: 'Test report EN 12520 (seating)', url: 'https://eggrafa.kalamoti.example/thermi/en12520.pdf' },
    ],
  },
  corrections: [
    {
      note: 'Name: the chair is rattan, not bamboo.',
      change_type: 'correction',
      data: { productName: 'Πολυθρόνα ρατάν Θέρμη' },
    },
    {
      note: 'Cushion supplier confirmed: no flame retardants.',
      change_type: 'change',
      data: { flameRetardants: 'absent' },
    },
  ],
}
