/**
 * The colours of both themes as CSS variables. `tokens.test.ts` checks that all text is readable
 * (AA).
 */

type Name = `--${string}`;
type Colours = Record<Name, string>;

export const tokens: { light: Colours; dark: Colours } = {
  light: {
    // Surfaces, from the page up.
    '--bg': '#f6f8f6',
    '--surface': '#ffffff',
    '--sunken': '#edf1ee',
    '--raised': '#ffffff',
    '--hover': '#f0f4f1',
    '--open': '#e2f0ec',
    // Lines: between items, around items, and around controls (3:1).
    '--line': '#e3e8e4',
    '--line-2': '#c9d2cc',
    '--ctl': '#818d86',
    // Text: main, secondary, and least prominent.
    '--ink': '#15201b',
    '--ink-2': '#46534c',
    '--ink-3': '#5c6962',
    '--accent': '#0f5c52',
    '--accent-solid': '#0f5c52',
    '--on-accent': '#ffffff',
    '--accent-soft': '#e0efeb',
    '--accent-line': '#a5cfc6',
    // The background of values and hits.
    '--fill': '#e4efec',
    '--fill-hi': '#c9e2db',
    '--hit': '#ffe9a3',
    '--hit-1': '#c9e7ff',
    '--hit-2': '#d3f1c2',
    '--hit-3': '#ffd9e4',
    '--hit-4': '#e3dafd',
    // Text in the colour of a severity.
    '--crit': '#94124f',
    '--err': '#b3261e',
    '--warn': '#855100',
    '--notice': '#1c5a9e',
    '--info': '#4a5650',
    '--debug': '#5c6962',
    '--good': '#1a7048',
    // The background of text in the colour of a severity.
    '--crit-soft': '#f9e6ef',
    '--err-soft': '#fcebe9',
    '--warn-soft': '#fbf2dc',
    '--notice-soft': '#e6eff9',
    '--good-soft': '#e2f3e9',
    // Bars: a quieter set of colours, which is never used for text.
    '--b-crit': '#94124f',
    '--b-err': '#cf4a40',
    '--b-warn': '#dca54a',
    '--b-notice': '#6b9bd2',
    '--b-info': '#8dbab0',
    '--b-debug': '#bccac3',
    '--ghost': '#5c6962',
    // The colours of values by their kind.
    '--v-num': '#1c5a9e',
    '--v-ip': '#7b3494',
    '--v-name': '#0f5c52',
    '--v-path': '#855100',
    '--v-id': '#4c5952',
    // The series of charts, in one family of colours; the last one is for all others.
    '--q1': '#0e5c52',
    '--q2': '#b98328',
    '--q3': '#396eb0',
    '--q4': '#7b5e8c',
    '--q5': '#459883',
    '--q6': '#7694a6',
    // The colours of the query, and of charts with many series.
    '--query-quoted': '#1a7048',
    '--query-pattern': '#8a3a8f',
    '--bar-1': '#228778',
    '--bar-2': '#4a84c4',
    '--bar-3': '#c8841a',
    '--bar-4': '#8f5bb0',
    '--bar-5': '#b8574b',
    '--bar-6': '#6f8f2f',
    '--flow': '#b7d5cd',
    '--flow-on': '#228778',
  },
  dark: {
    // Surfaces, from the page up.
    '--bg': '#101614',
    '--surface': '#151d1a',
    '--sunken': '#0b100e',
    '--raised': '#1d2723',
    '--hover': '#1b2521',
    '--open': '#173029',
    // Lines: between items, around items, and around controls (3:1).
    '--line': '#222d29',
    '--line-2': '#3a4842',
    '--ctl': '#66746d',
    // Text: main, secondary, and least prominent.
    '--ink': '#e4ece8',
    '--ink-2': '#b2bfb9',
    '--ink-3': '#8e9d96',
    '--accent': '#6fcbba',
    '--accent-solid': '#187264',
    '--on-accent': '#ffffff',
    '--accent-soft': '#16302a',
    '--accent-line': '#2c6156',
    // The background of values and hits.
    '--fill': '#192b26',
    '--fill-hi': '#24473e',
    '--hit': '#5c4a0d',
    '--hit-1': '#16486e',
    '--hit-2': '#2c5420',
    '--hit-3': '#6d2c42',
    '--hit-4': '#483a7c',
    // Text in the colour of a severity.
    '--crit': '#ff8cc4',
    '--err': '#ff8f85',
    '--warn': '#eebd5e',
    '--notice': '#83bdf5',
    '--info': '#a9b7b1',
    '--debug': '#8e9d96',
    '--good': '#63cf98',
    // The background of text in the colour of a severity.
    '--crit-soft': '#341827',
    '--err-soft': '#331b19',
    '--warn-soft': '#2c2514',
    '--notice-soft': '#16263a',
    '--good-soft': '#14301f',
    // Bars: a quieter set of colours, which is never used for text.
    '--b-crit': '#d95c9b',
    '--b-err': '#db6156',
    '--b-warn': '#b98b3c',
    '--b-notice': '#4f83bb',
    '--b-info': '#3f7c6f',
    '--b-debug': '#4d5f58',
    '--ghost': '#a9b7b1',
    // The colours of values by their kind.
    '--v-num': '#83bdf5',
    '--v-ip': '#d3a0e0',
    '--v-name': '#6fcbba',
    '--v-path': '#eebd5e',
    '--v-id': '#a3b1ab',
    // The series of charts, in one family of colours; the last one is for all others.
    '--q1': '#70cfbf',
    '--q2': '#d8aa55',
    '--q3': '#70a3e2',
    '--q4': '#ab88b6',
    '--q5': '#2e8a82',
    '--q6': '#757f63',
    // The colours of the query, and of charts with many series.
    '--query-quoted': '#63cf98',
    '--query-pattern': '#d9a0e0',
    '--bar-1': '#3fa494',
    '--bar-2': '#5c97d4',
    '--bar-3': '#d3a044',
    '--bar-4': '#a97fc9',
    '--bar-5': '#cf7a6d',
    '--bar-6': '#8fae4d',
    '--flow': '#2b4f46',
    '--flow-on': '#57b4a4',
  },
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
