/** Draws the pictures of the demo's products, as files in assets/demo/pictures. Run it after changing one. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'

const WIDTH = 960
const HEIGHT = 720
const FOLDER = join(import.meta.dirname, '../assets/demo/pictures')

/** `ground`: the two colours of wall and floor. `shapes`: SVG in a view of 400 by 300. */
type Drawing = { ground: readonly [wall: string, floor: string]; shapes: string }

const WARM = ['#f1ece4', '#e3dbcf'] as const
const COOL = ['#e9eef1', '#d7dfe4'] as const

const shadow = (x: number, y: number, width: number) =>
  `<ellipse cx="${x}" cy="${y}" rx="${width}" ry="${width / 12}" fill="#000" opacity=".13"/>`
const box = (x: number, y: number, width: number, height: number, fill: string, round = 4) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${round}" fill="${fill}"/>`
const path = (d: string, fill: string, more = '') => `<path d="${d}" fill="${fill}" ${more}/>`
const line = (d: string, stroke: string, width = 2) =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`

const DRAWINGS: Readonly<Record<string, Drawing>> = {
  't-shirt': {
    ground: WARM,
    shapes: [
      shadow(200, 262, 95),
      path(
        'M150 62 L96 92 L116 136 L140 126 L138 258 L262 258 L260 126 L284 136 L304 92 L250 62 Q200 92 150 62Z',
        '#fbf8f0',
      ),
      path('M150 62 Q200 92 250 62 L240 60 Q200 82 160 60Z', '#e6dfd0'),
      line('M140 126 L142 150 M260 126 L258 150 M138 250 L262 250', '#ddd5c5', 1.5),
    ].join(''),
  },
  'base-layer': {
    ground: COOL,
    shapes: [
      shadow(200, 266, 90),
      path(
        'M156 52 L118 70 L88 214 L116 222 L142 122 L142 260 L258 260 L258 122 L284 222 L312 214 L282 70 L244 52 Q200 74 156 52Z',
        '#3f5666',
      ),
      path('M156 52 Q200 74 244 52 L238 46 Q200 62 162 46Z', '#324654'),
      line(
        'M91 202 L118 210 M309 202 L282 210 M142 252 L258 252 M170 66 L146 122 M230 66 L254 122',
        '#536d7e',
        1.5,
      ),
    ].join(''),
  },
  coat: {
    ground: WARM,
    shapes: [
      shadow(200, 276, 96),
      path(
        'M158 40 L122 58 L100 190 L124 196 L140 128 L128 270 L272 270 L260 128 L276 196 L300 190 L278 58 L242 40 L200 60Z',
        '#6f6b66',
      ),
      path('M158 40 L200 128 L242 40 L228 36 L200 58 L172 36Z', '#55524e'),
      path(
        'M158 40 L178 96 L200 128 L184 134 L150 86Z M242 40 L222 96 L200 128 L216 134 L250 86Z',
        '#7d7973',
      ),
      line('M200 128 L200 268 M146 190 L172 190 M228 190 L254 190', '#55524e'),
      ...[150, 182, 214].map(y => `<circle cx="208" cy="${y}" r="4" fill="#3d3b38"/>`),
    ].join(''),
  },
  'bed-linen': {
    ground: WARM,
    shapes: [
      shadow(200, 252, 150),
      box(60, 110, 280, 20, '#a88763', 6),
      box(64, 126, 272, 120, '#8f7254'),
      path('M56 150 Q200 128 344 150 L352 244 Q200 262 48 244Z', '#cfd6d4'),
      path('M56 150 Q200 128 344 150 L346 172 Q200 150 54 172Z', '#dfe5e3'),
      path('M92 100 Q140 84 186 102 Q192 134 184 146 Q138 136 94 146 Q86 124 92 100Z', '#eef1ef'),
      path('M214 102 Q260 84 308 100 Q314 124 306 146 Q262 136 216 146 Q208 134 214 102Z', '#eef1ef'),
      line('M110 170 Q104 210 112 246 M200 160 Q196 204 204 254 M292 170 Q286 210 294 246', '#bcc5c2', 1.5),
    ].join(''),
  },
  'rain-jacket': {
    ground: COOL,
    shapes: [
      shadow(200, 266, 96),
      path(
        'M160 66 L120 84 L92 206 L122 216 L142 140 L138 260 L262 260 L258 140 L278 216 L308 206 L280 84 L240 66Z',
        '#1f6f78',
      ),
      path('M160 66 Q160 30 200 28 Q240 30 240 66 Q200 92 160 66Z', '#195a61'),
      path('M172 62 Q176 40 200 40 Q224 40 228 62 Q200 78 172 62Z', '#0f3f45'),
      line('M200 76 L200 260', '#0f3f45', 3),
      line('M150 190 L178 206 M250 190 L222 206 M146 120 Q200 134 254 120', '#2c8a94'),
    ].join(''),
  },
  socks: {
    ground: WARM,
    shapes: [
      shadow(200, 262, 110),
      path('M128 52 L178 52 L176 176 Q206 208 236 224 Q248 244 226 254 Q160 252 128 206Z', '#c9584c'),
      path('M222 44 L272 44 L270 168 Q300 200 330 216 Q342 236 320 246 Q254 244 222 198Z', '#d4685b'),
      path('M128 52 L178 52 L178 74 L128 74Z M222 44 L272 44 L272 66 L222 66Z', '#f3e9dc'),
      path(
        'M128 200 Q140 188 156 200 L150 230 Q134 220 128 206Z M222 192 Q234 180 250 192 L244 222 Q228 212 222 198Z',
        '#f3e9dc',
      ),
      line('M128 100 L178 100 M128 110 L178 110 M222 92 L272 92 M222 102 L272 102', '#f3e9dc', 3),
    ].join(''),
  },
  'e-bike-battery': {
    ground: COOL,
    shapes: [
      shadow(200, 216, 160),
      path(
        'M56 130 Q56 106 82 106 L318 100 Q346 100 346 128 L346 176 Q346 204 318 204 L82 204 Q56 204 56 180Z',
        '#26292d',
      ),
      path('M56 138 L346 132 L346 128 Q346 100 318 100 L82 106 Q56 106 56 130Z', '#3a3f45'),
      box(288, 146, 40, 34, '#15171a'),
      ...[84, 98, 112, 126, 140].map((x, i) => box(x, 160, 8, 8, i < 4 ? '#7bd389' : '#4a5057', 2)),
      line('M180 164 L262 164', '#565c63', 6),
    ].join(''),
  },
  'traction-battery': {
    ground: COOL,
    shapes: [
      shadow(200, 228, 170),
      path('M40 150 L110 96 L360 96 L300 150Z', '#8d969d'),
      path('M40 150 L300 150 L300 214 L40 214Z', '#6c757c'),
      path('M300 150 L360 96 L360 158 L300 214Z', '#545c62'),
      line(
        'M62 142 L116 104 M106 142 L160 104 M150 142 L204 104 M194 142 L248 104 M238 142 L292 104',
        '#747d84',
        3,
      ),
      box(56, 172, 52, 22, '#e58a2b'),
      line('M128 166 L284 166 M128 198 L284 198', '#5b646a', 3),
    ].join(''),
  },
  'battery-rack': {
    ground: COOL,
    shapes: [
      shadow(200, 276, 80),
      box(134, 24, 132, 248, '#d9dee1', 6),
      box(142, 32, 116, 232, '#2e3338', 3),
      ...Array.from({ length: 8 }, (_, i) => {
        const y = 38 + i * 28
        return (
          box(148, y, 104, 23, '#454c53', 3) +
          box(154, y + 8, 34, 6, '#5b636b', 2) +
          box(236, y + 9, 8, 4, '#7bd389', 2)
        )
      }),
    ].join(''),
  },
  'starter-battery': {
    ground: WARM,
    shapes: [
      shadow(200, 240, 130),
      box(88, 110, 224, 126, '#23262b', 6),
      box(80, 92, 240, 34, '#17191d', 6),
      box(112, 72, 30, 22, '#9aa0a6', 3),
      box(258, 72, 30, 22, '#9aa0a6', 3),
      path('M119 78 h16 v4 h-16Z M125 72 h4 v16 h-4Z', '#fff'),
      path('M265 82 h16 v4 h-16Z', '#fff'),
      box(110, 148, 180, 56, '#c23b34', 3),
      box(126, 164, 92, 10, '#fff', 2),
      box(126, 182, 56, 6, '#f0b9b6', 2),
    ].join(''),
  },
  'tool-battery': {
    ground: WARM,
    shapes: [
      shadow(200, 238, 120),
      path(
        'M104 128 Q104 114 118 114 L282 114 Q296 114 296 128 L304 222 Q304 232 294 232 L106 232 Q96 232 96 222Z',
        '#2b2e33',
      ),
      path('M120 114 L132 74 L268 74 L280 114Z', '#1c1f23'),
      box(146, 84, 20, 22, '#c4a350', 2),
      box(190, 84, 20, 22, '#c4a350', 2),
      box(234, 84, 20, 22, '#c4a350', 2),
      box(96, 168, 208, 36, '#e0a41f', 0),
      ...[256, 268, 280].map(x => box(x, 182, 7, 7, '#2b2e33', 2)),
    ].join(''),
  },
  'aa-cell': {
    ground: WARM,
    shapes: [
      shadow(200, 200, 140),
      box(320, 136, 14, 34, '#b9bec3', 3),
      box(66, 112, 256, 82, '#e9ecee', 12),
      box(66, 112, 170, 82, '#2f7d5b', 12),
      box(210, 112, 30, 82, '#2f7d5b', 0),
      box(92, 138, 92, 12, '#fff', 3),
      box(92, 160, 58, 8, '#a9d3bf', 3),
      box(66, 118, 256, 10, '#fff" opacity=".25', 5),
    ].join(''),
  },
  table: {
    ground: WARM,
    shapes: [
      shadow(200, 252, 160),
      path('M76 132 L324 132 L352 154 L48 154Z', '#c69a63'),
      box(48, 154, 304, 12, '#a97f4c', 2),
      path('M62 166 L76 166 L70 250 L60 250Z M324 166 L338 166 L340 250 L330 250Z', '#94703f'),
      path('M104 166 L114 166 L110 232 L102 232Z M286 166 L296 166 L298 232 L290 232Z', '#7e5f36'),
      line('M92 142 L300 142 M84 148 L240 148', '#b98c55', 1.5),
    ].join(''),
  },
  sofa: {
    ground: WARM,
    shapes: [
      shadow(200, 250, 165),
      box(60, 104, 280, 100, '#5d6b4a', 18),
      box(36, 132, 46, 96, '#6c7b57', 18),
      box(318, 132, 46, 96, '#6c7b57', 18),
      ...[80, 160, 240].map(x => box(x, 168, 80, 44, '#75855f', 10) + box(x + 2, 112, 76, 62, '#66754f', 12)),
      box(60, 206, 280, 22, '#566343', 6),
      path('M66 228 h12 l-3 20 h-6Z M322 228 h12 l-3 20 h-6Z', '#6b4d30'),
    ].join(''),
  },
  shelf: {
    ground: COOL,
    shapes: [
      shadow(200, 272, 84),
      box(128, 30, 144, 240, '#b8905f', 3),
      ...[38, 84, 130, 176, 222].map(y => box(136, y, 128, 40, '#e6d3b5', 0)),
      box(146, 50, 12, 28, '#44606f', 1) +
        box(160, 46, 10, 32, '#c06a4a', 1) +
        box(172, 52, 14, 26, '#7d8b6a', 1),
      box(226, 100, 26, 24, '#8c8f92', 6) + box(148, 150, 54, 20, '#f4efe6', 3),
      box(214, 188, 12, 28, '#5a5a7a', 1) + box(228, 192, 16, 24, '#b99a3e', 1),
      `<circle cx="166" cy="244" r="16" fill="#9c5f49"/>`,
    ].join(''),
  },
  armchair: {
    ground: WARM,
    shapes: [
      shadow(200, 262, 100),
      path('M122 168 Q112 58 200 56 Q288 58 278 168 L262 176 Q266 84 200 82 Q134 84 138 176Z', '#b07c42'),
      line(
        'M150 168 Q150 98 200 92 Q250 98 250 168 M168 170 Q168 112 200 106 Q232 112 232 170 M186 172 L188 118 M214 172 L212 118',
        '#c6955b',
        3,
      ),
      path('M112 166 Q200 150 288 166 L284 190 Q200 204 116 190Z', '#c6955b'),
      path('M126 164 Q200 148 274 164 Q272 180 200 182 Q128 180 126 164Z', '#efe6d6'),
      line('M126 192 L112 258 M274 192 L288 258 M160 198 L156 244 M240 198 L244 244', '#9b6c38', 7),
    ].join(''),
  },
  'office-chair': {
    ground: COOL,
    shapes: [
      shadow(200, 274, 84),
      path('M148 38 Q200 24 252 38 L246 142 Q200 152 154 142Z', '#3a4046'),
      line(
        'M158 54 Q200 44 242 54 M158 74 Q200 64 242 74 M158 94 Q200 84 242 94 M158 114 Q200 104 242 114',
        '#565e66',
        2,
      ),
      path('M132 162 Q200 148 268 162 Q272 184 200 188 Q128 184 132 162Z', '#2c3136'),
      line('M122 112 L122 152 M278 112 L278 152 M112 112 L140 112 M260 112 L288 112', '#22262a', 6),
      box(194, 186, 12, 48, '#8d949a', 2),
      line('M200 234 L140 262 M200 234 L260 262 M200 234 L200 268', '#5d646a', 8),
      ...[140, 200, 260].map(x => `<circle cx="${x}" cy="${x === 200 ? 271 : 266}" r="6" fill="#22262a"/>`),
    ].join(''),
  },
  stool: {
    ground: WARM,
    shapes: [
      shadow(200, 248, 92),
      path('M122 92 L278 92 L264 240 Q200 254 136 240Z', '#b98a58'),
      `<ellipse cx="200" cy="92" rx="78" ry="20" fill="#cfa473"/>`,
      ...[
        [150, 130],
        [184, 120],
        [226, 136],
        [250, 118],
        [160, 176],
        [206, 168],
        [240, 184],
        [176, 214],
        [222, 220],
        [146, 204],
        [198, 96],
        [168, 88],
        [232, 92],
      ].map(([x, y]) => `<ellipse cx="${x}" cy="${y}" rx="5" ry="2.4" fill="#8a6238" opacity=".55"/>`),
    ].join(''),
  },
}

const render = ({ ground: [wall, floor], shapes }: Drawing) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 400 300"><rect width="400" height="300" fill="${wall}"/><rect y="226" width="400" height="74" fill="${floor}"/>${shapes}</svg>`

mkdirSync(FOLDER, { recursive: true })
for (const [name, drawing] of Object.entries(DRAWINGS)) {
  await sharp(Buffer.from(render(drawing)))
    .webp({ quality: 82, effort: 6 })
    .toFile(join(FOLDER, `${name}.webp`))
}
console.log(`${Object.keys(DRAWINGS).length} pictures are in assets/demo/pictures.`)
