#!/usr/bin/env node
import { launch } from '../scripts/launch.mjs'

launch('src/main.ts', ...process.argv.slice(2))
