/** Examples of the reference page. */

export const EXAMPLE_REPORT = {
  product_id: '01m7ywm3p9eknbw8v1r6za7d4s',
  level: 'model',
  rules_version: '2026-11-27',
  acts: [
    {
      act: 'eu.battery.passport',
      title: 'Battery passport',
      status: 'in_force',
      duty: 'passport',
      applies: true,
      scope: 'industrial',
      due: '2027-02-18',
      due_days: [
        {
          on: '2027-02-18',
          for: 'Batteries placed on the market or put into service from that day',
          source: ['BR 77(1)'],
          applies: true,
        },
      ],
      days_left: 88,
      as_of: '2027-02-18',
      met: 13,
      total: 32,
      percent: 40,
      ready: false,
      whole: true,
      counts: { partial: 2, missing: 17, check: 4, unit: 22, not_yet: 7 },
      advised: [],
      rules: [
        {
          id: 'batt.14',
          nr: 14,
          outcome: 'missing',
          severity: 'required',
          title: 'Extinguishing agent',
          question: 'With what may a fire of it be put out?',
          source: ['BR VI A(9)', 'guidance 1.0 (14)'],
          level: 'model',
          audience: ['public', 'legitimate_interest', 'authority'],
          paths: ['extinguishingAgents'],
          edit_url:
            'https://passports.example.com/console/products/01m7ywm3p9eknbw8v1r6za7d4s/edit#extinguishingAgents',
        },
      ],
    },
  ],
  notes: [],
}

export const EXAMPLE_SETTINGS = {
  acts: ['fr.agec.textile'],
  parameters: { small_undertaking: true },
  gate: { acts: [], on: 'off' },
}

export const EXAMPLE_SUMS = {
  acts: [
    {
      act: 'eu.battery.passport',
      in_scope: 1_204,
      ready: 310,
      incomplete: 894,
      undetermined: 12,
      nothing_asked: 0,
      by_rule: { 'batt.14': { missing: 880, partial: 0, check: 0 } },
      computed_at: '2026-11-22T10:00:00.000Z',
    },
  ],
  pending: 0,
}
