/** Examples of the reference page. */

export const EXAMPLE_DRAFT_ROW = {
  id: '01m7ywk3v8q2c5n6x7z9b1d4fg',
  product_id: null,
  category: 'battery',
  level: 'model',
  change_type: null,
  passport_url: 'https://carnet.example/p/01m7ywk3v8q2c5n6x7z9b1d4fg',
  product_name: null,
  sku: null,
  note: null,
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
  refused: 1,
  readiness: { product_id: null, level: 'model', rules_version: '2026-11-22', acts: [], notes: [] },
}

const { refused: _, readiness, ...row } = EXAMPLE_DRAFT_ROW

export const EXAMPLE_DRAFT = {
  ...row,
  data: { batteryCategory: 'lmt', weightKg: 2.6 },
  details: [
    {
      field: 'productName',
      pointer: '/data/productName',
      code: 'required',
      message: 'productName is missing.',
    },
  ],
  readiness,
}
