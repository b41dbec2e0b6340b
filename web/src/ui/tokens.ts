/**
 * The colours of both themes as CSS variables. `tokens.test.ts` checks that all text is readable
 * (AA).
 */

type Name = `--${string}`;
type Colours = Record<Name, string>;

/** Each colour: in the light theme, and in the dark one. */
const both: Record<Name, readonly [light: string, dark: string]> = {
  // Surfaces, from the page up.
  '--bg': ['#f6f8f6', '#101614'],
  '--surface': ['#ffffff', '#151d1a'],
  '--sunken': ['#edf1ee', '#0b100e'],
  '--raised': ['#ffffff', '#1d2723'],
  '--hover': ['#f0f4f1', '#1b2521'],
  '--open': ['#e2f0ec', '#173029'],
  // Lines: between items, around items, and around controls (3:1).
  '--line': ['#e3e8e4', '#222d29'],
  '--line-2': ['#c9d2cc', '#3a4842'],
  '--ctl': ['#818d86', '#66746d'],
  // Text: main, secondary, and least prominent.
  '--ink': ['#15201b', '#e4ece8'],
  '--ink-2': ['#46534c', '#b2bfb9'],
  '--ink-3': ['#5c6962', '#8e9d96'],
  '--accent': ['#0f5c52', '#6fcbba'],
  '--accent-solid': ['#0f5c52', '#187264'],
  '--on-accent': ['#ffffff', '#ffffff'],
  '--accent-soft': ['#e0efeb', '#16302a'],
  '--accent-line': ['#a5cfc6', '#2c6156'],
  // The background of values and hits.
  '--fill': ['#e4efec', '#192b26'],
  '--fill-hi': ['#c9e2db', '#24473e'],
  '--hit': ['#ffe9a3', '#5c4a0d'],
  '--hit-1': ['#c9e7ff', '#16486e'],
  '--hit-2': ['#d3f1c2', '#2c5420'],
  '--hit-3': ['#ffd9e4', '#6d2c42'],
  '--hit-4': ['#e3dafd', '#483a7c'],
  // Text in the colour of a severity.
  '--crit': ['#94124f', '#ff8cc4'],
  '--err': ['#b3261e', '#ff8f85'],
  '--warn': ['#855100', '#eebd5e'],
  '--notice': ['#1c5a9e', '#83bdf5'],
  '--info': ['#4a5650', '#a9b7b1'],
  '--debug': ['#5c6962', '#8e9d96'],
  '--good': ['#1a7048', '#63cf98'],
  // The background of text in the colour of a severity.
  '--crit-soft': ['#f9e6ef', '#341827'],
  '--err-soft': ['#fcebe9', '#331b19'],
  '--warn-soft': ['#fbf2dc', '#2c2514'],
  '--notice-soft': ['#e6eff9', '#16263a'],
  '--good-soft': ['#e2f3e9', '#14301f'],
  // Bars: a quieter set of colours, which is never used for text.
  '--b-crit': ['#94124f', '#d95c9b'],
  '--b-err': ['#cf4a40', '#db6156'],
  '--b-warn': ['#dca54a', '#b98b3c'],
  '--b-notice': ['#6b9bd2', '#4f83bb'],
  '--b-info': ['#8dbab0', '#3f7c6f'],
  '--b-debug': ['#bccac3', '#4d5f58'],
  '--ghost': ['#5c6962', '#a9b7b1'],
  // The colours of values by their kind.
  '--v-num': ['#1c5a9e', '#83bdf5'],
  '--v-ip': ['#7b3494', '#d3a0e0'],
  '--v-name': ['#0f5c52', '#6fcbba'],
  '--v-path': ['#855100', '#eebd5e'],
  '--v-id': ['#4c5952', '#a3b1ab'],
  // The series of charts, in one family of colours; the last one is for all others.
  '--q1': ['#0e5c52', '#70cfbf'],
  '--q2': ['#b98328', '#d8aa55'],
  '--q3': ['#396eb0', '#70a3e2'],
  '--q4': ['#7b5e8c', '#ab88b6'],
  '--q5': ['#459883', '#2e8a82'],
  '--q6': ['#7694a6', '#757f63'],
  // The colours of the query, and of charts with many series.
  '--query-quoted': ['#1a7048', '#63cf98'],
  '--query-pattern': ['#8a3a8f', '#d9a0e0'],
  '--bar-1': ['#228778', '#3fa494'],
  '--bar-2': ['#4a84c4', '#5c97d4'],
  '--bar-3': ['#c8841a', '#d3a044'],
  '--bar-4': ['#8f5bb0', '#a97fc9'],
  '--bar-5': ['#b8574b', '#cf7a6d'],
  '--bar-6': ['#6f8f2f', '#8fae4d'],
  '--flow': ['#b7d5cd', '#2b4f46'],
  '--flow-on': ['#228778', '#57b4a4'],
};

export const tokens: { light: Colours; dark: Colours } = {
  light: coloursAt(0),
  dark: coloursAt(1),
};

/**
 * Other names of the same colours: those that Mantine uses, and those that state the purpose of a
 * colour.
 */
export const aliases: Record<Name, Name> = {
  '--mantine-color-body': '--bg',
  '--mantine-color-text': '--ink',
  '--mantine-color-dimmed': '--ink-3',
  '--mantine-color-placeholder': '--ink-3',
  '--mantine-color-error': '--err',
  '--mantine-color-anchor': '--accent',
  '--mantine-color-default-border': '--line-2',
  '--severity-critical': '--crit',
  '--severity-error': '--err',
  '--severity-warning': '--warn',
  '--severity-notice': '--notice',
  '--severity-info': '--info',
  '--severity-debug': '--debug',
  '--query-field': '--accent',
  '--query-sign': '--ink-2',
  '--query-number': '--notice',
  '--query-keyword': '--warn',
  '--bar-critical': '--b-crit',
  '--bar-error': '--b-err',
  '--bar-warning': '--b-warn',
  '--bar-notice': '--b-notice',
  '--bar-info': '--b-info',
  '--bar-debug': '--b-debug',
  '--bar-other': '--b-debug',
};

/** All variables of one theme, in the form that the page gets. */
export function variablesOf(scheme: 'light' | 'dark'): Colours {
  const same: Colours = {};
  for (const [name, of] of Object.entries(aliases)) same[name as Name] = `var(${of})`;
  return { ...tokens[scheme], ...same };
}

function coloursAt(theme: 0 | 1): Colours {
  return Object.fromEntries(Object.entries(both).map(([name, values]) => [name, values[theme]]));
}
