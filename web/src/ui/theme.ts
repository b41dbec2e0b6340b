/** The console's look: one type scale, a 4 px grid, and the colours of both themes as CSS variables. */
import { type CSSVariablesResolver, type MantineColorsTuple, createTheme } from '@mantine/core';

const pine: MantineColorsTuple = [
  '#e9f6f3',
  '#d3ebe6',
  '#a9d8cf',
  '#7cc5b8',
  '#57b4a4',
  '#3fa494',
  '#228778',
  '#157063',
  '#0f5c52',
  '#0a4640',
];

/** Neutrals with a little green in them, from text on dark (0) to below the page (9). */
const slate: MantineColorsTuple = [
  '#dde5e2',
  '#b9c5c0',
  '#94a39d',
  '#6f7e78',
  '#43534d',
  '#28332f',
  '#1b2421',
  '#121917',
  '#0d1311',
  '#080c0b',
];

const gray: MantineColorsTuple = [
  '#f7f8f6',
  '#f0f2ef',
  '#e5e8e4',
  '#d7dcd7',
  '#c3cac4',
  '#9aa39d',
  '#6f7973',
  '#59635d',
  '#363f3a',
  '#1b221e',
];

const mono =
  'ui-monospace, SFMono-Regular, "SF Mono", Menlo, "Cascadia Mono", "DejaVu Sans Mono", Consolas, monospace';

type Tokens = Record<`--${string}`, string>;

/** The console's own colours. Text colours are checked for AA contrast by theme.test.ts. */
export const tokens: { light: Tokens; dark: Tokens } = {
  light: {
    '--mantine-color-body': '#f7f8f6',
    '--mantine-color-text': '#1b221e',
    '--mantine-color-dimmed': '#59635d',
    '--mantine-color-placeholder': '#5f6963',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#0f5c52',
    '--mantine-color-default-border': '#c3cac4',
    '--panel': '#ffffff',
    '--rail': '#eef1ed',
    '--line': '#dde1dc',
    '--hover': '#f0f4f1',
    '--open': '#e8f2ef',
    '--accent': '#0f5c52',
    '--hit': '#ffe9a3',
    '--good': '#1a7048',
    '--caution': '#875400',
    '--caution-back': '#fdf4dc',
    '--bad': '#b3261e',
    '--bad-back': '#fdecea',
    '--added-back': '#e4f5ea',
    '--severity-critical': '#9c1458',
    '--severity-error': '#b3261e',
    '--severity-warning': '#875400',
    '--severity-notice': '#1c5a9e',
    '--severity-info': '#4a5650',
    '--severity-debug': '#5f6963',
    '--series-1': '#0c5f55',
    '--series-2': '#bd8415',
    '--series-3': '#036bf5',
    '--series-4': '#5c1c18',
    '--series-5': '#a474b6',
    '--series-6': '#2e9a55',
    '--series-7': '#732d7f',
    '--series-other': '#879089',
    '--value-bar': '#dcece8',
  },
  dark: {
    '--mantine-color-body': '#121917',
    '--mantine-color-text': '#dde5e2',
    '--mantine-color-dimmed': '#94a39d',
    '--mantine-color-placeholder': '#8d9c96',
    '--mantine-color-error': '#ff8f85',
    '--mantine-color-anchor': '#6cc9b8',
    '--mantine-color-default-border': '#3a4842',
    '--panel': '#18211e',
    '--rail': '#0f1513',
    '--line': '#2b3733',
    '--hover': '#1f2a26',
    '--open': '#1b302b',
    '--accent': '#6cc9b8',
    '--hit': '#5c4a0d',
    '--good': '#63cf98',
    '--caution': '#eebd5e',
    '--caution-back': '#2d2613',
    '--bad': '#ff8f85',
    '--bad-back': '#361c1a',
    '--added-back': '#16301f',
    '--severity-critical': '#ff8cc4',
    '--severity-error': '#ff8f85',
    '--severity-warning': '#eebd5e',
    '--severity-notice': '#83bdf5',
    '--severity-info': '#a9b7b1',
    '--severity-debug': '#8d9c96',
    '--series-1': '#5cc4b2',
    '--series-2': '#ead041',
    '--series-3': '#297af8',
    '--series-4': '#b46c47',
    '--series-5': '#c7f3a0',
    '--series-6': '#e23ac4',
    '--series-7': '#a1a3ff',
    '--series-other': '#75837d',
    '--value-bar': '#1d3b34',
  },
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({ variables: {}, ...tokens });

const readable = { fontSize: '13px' };
const small = { fontSize: '12px', lineHeight: '16px' };

export const theme = createTheme({
  colors: { pine, dark: slate, gray },
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 7 },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: mono,
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '28px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '2px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  defaultRadius: 'sm',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  focusRing: 'auto',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 28 } },
    Button: { defaultProps: { size: 'xs' }, styles: { label: { fontWeight: 500 } } },
    Checkbox: { defaultProps: { size: 'xs' }, styles: { label: readable } },
    InputWrapper: { styles: { description: small, error: small } },
    ModalRoot: { defaultProps: { centered: true, transitionProps: { duration: 100 } } },
    Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 80 } } },
    NativeSelect: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    Popover: { defaultProps: { shadow: 'md', transitionProps: { duration: 80 } } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Switch: { defaultProps: { size: 'xs' }, styles: { label: readable, description: small } },
    Textarea: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Tooltip: { defaultProps: { openDelay: 400 } },
  },
});
