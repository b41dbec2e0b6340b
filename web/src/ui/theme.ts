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
    '--hit-1': '#c9e7ff',
    '--hit-2': '#d3f1c2',
    '--hit-3': '#ffd9e4',
    '--hit-4': '#e3dafd',
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
    '--hit-1': '#16486e',
    '--hit-2': '#2c5420',
    '--hit-3': '#6d2c42',
    '--hit-4': '#483a7c',
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
    Menu: {
      defaultProps: {
        shadow: 'md',
        transitionProps: { duration: 80 },
        // Its placeholder is no item, and a menu may hold nothing else.
        withInitialFocusPlaceholder: false,
      },
    },
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
