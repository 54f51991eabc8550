/** The invented companies of the demo account: GLNs of GS1's example range (952), addresses on `.example` hosts. */

export const SAARIKUU = {
  role: 'manufacturer',
  legalName: 'Saarikuu Neulomo Oy',
  address: 'Langankehrääjäntie 4, 33210 Tampere',
  country: 'FI',
  contactEmail: 'tuotetuki@saarikuu.example',
  operatorId: '9521000010000',
  eori: 'FI9520001-4',
}

export const TALLYBROOK = {
  role: 'importer',
  legalName: 'Tallybrook Cotton Company Ltd',
  address: 'Unit 3, Weir Yard, Kilkenny R95 X0X0',
  country: 'IE',
  contactEmail: 'hello@tallybrook.example',
  operatorId: '9521000020009',
  eori: 'IE9520002TB',
}

export const CARDOFINO = {
  role: 'manufacturer',
  legalName: 'Lanificio Cardofino S.r.l.',
  address: 'Via dei Garzatori 18, 59100 Prato PO',
  country: 'IT',
  contactEmail: 'assistenza@cardofino.example',
  operatorId: '9521000030008',
  eori: 'IT95200030008',
}

export const LIN_DE_BRUME = {
  role: 'manufacturer',
  legalName: 'Lin de Brume SAS',
  address: '7 chemin du Rouissage, 76560 Doudeville',
  country: 'FR',
  contactEmail: 'atelier@lindebrume.example',
  operatorId: '9521000040007',
  eori: 'FR95200004000017',
}

export const WETTERLOHE = {
  role: 'manufacturer',
  legalName: 'Wetterlohe Outdoor GmbH',
  address: 'Am Regenbach 12, 87527 Sonthofen',
  country: 'DE',
  contactEmail: 'service@wetterlohe.example',
  operatorId: '9521000050006',
  eori: 'DE952000500060001',
}

export const TALWIND = {
  role: 'manufacturer',
  legalName: 'Talwind Energietechnik GmbH',
  address: 'Speicherweg 31, 79108 Freiburg im Breisgau',
  country: 'DE',
  contactEmail: 'akku@talwind.example',
  operatorId: '9521000070004',
  eori: 'DE952000700040001',
}

export const ARDOISE = {
  role: 'manufacturer',
  legalName: 'Ardoise Traction SAS',
  address: '140 rue des Fendeurs, 49800 Trélazé',
  country: 'FR',
  contactEmail: 'batteries@ardoise-traction.example',
  operatorId: '9521000080003',
  eori: 'FR95200008000013',
}

export const ISVATTEN = {
  role: 'manufacturer',
  legalName: 'Isvatten Energilager AB',
  address: 'Kraftverksvägen 9, 931 57 Skellefteå',
  country: 'SE',
  contactEmail: 'service@isvatten.example',
  operatorId: '9521000090002',
  eori: 'SE9520009000',
}

export const MONTCALAR = {
  role: 'manufacturer',
  legalName: 'Baterías Montcalar S.A.',
  address: 'Polígono Las Encinas, parcela 22, 50197 Zaragoza',
  country: 'ES',
  contactEmail: 'calidad@montcalar.example',
  operatorId: '9521000100008',
  eori: 'ESA95200100',
}

export const WERKMEER = {
  role: 'importer',
  legalName: 'Werkmeer Gereedschap B.V.',
  address: 'Smederijkade 58, 7411 AB Deventer',
  country: 'NL',
  contactEmail: 'service@werkmeer.example',
  operatorId: '9521000110007',
  eori: 'NL952001100',
}

export const SKOVLIDE = {
  role: 'manufacturer',
  legalName: 'Skovlide Snedkeri A/S',
  address: 'Egestammen 2, 8600 Silkeborg',
  country: 'DK',
  contactEmail: 'kontakt@skovlide.example',
  operatorId: '9521000130005',
  eori: 'DK95200130',
}

export const LARCHMERE = {
  role: 'manufacturer',
  legalName: 'Larchmere Upholstery DAC',
  address: '4 Tannery Lane, Navan, Co. Meath C15 X0X0',
  country: 'IE',
  contactEmail: 'care@larchmere.example',
  operatorId: '9521000140004',
  eori: 'IE9520014LM',
}

export const DESKARNIA = {
  role: 'manufacturer',
  legalName: 'Deskarnia Sp. z o.o.',
  address: 'ul. Stolarska Boczna 15, 63-600 Kępno',
  country: 'PL',
  contactEmail: 'serwis@deskarnia.example',
  operatorId: '9521000150003',
  eori: 'PL952001500000000',
}

export const KALAMOTI = {
  role: 'importer',
  legalName: 'Καλαμωτή Έπιπλα Ι.Κ.Ε.',
  address: 'Οδός Ψαθοποιών 27, 546 27 Θεσσαλονίκη',
  country: 'GR',
  contactEmail: 'info@kalamoti.example',
  operatorId: '9521000160002',
  eori: 'GR952001600',
}

export const LOTRECHT = {
  role: 'manufacturer',
  legalName: 'Lotrecht Sitzmöbel GmbH',
  address: 'Drehkreuzgasse 6, 8020 Graz',
  country: 'AT',
  contactEmail: 'ersatzteile@lotrecht.example',
  operatorId: '9521000170001',
  eori: 'ATEOS9520001700',
}
