/** The console's look: one type scale, a 4 px grid, three heights of controls. Its colours are in tokens.ts. */
import { type CSSVariablesResolver, type MantineColorsTuple, createTheme } from '@mantine/core';
import { variablesOf } from './tokens';

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

const sans = '"IBM Plex Sans", "Noto Sans", system-ui, -apple-system, "Segoe UI", sans-serif';
const mono =
  '"IBM Plex Mono", "Noto Sans Mono", ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: sizes,
  light: variablesOf('light'),
  dark: variablesOf('dark'),
});

/**
 * Sizes of text: reading (13), scanning (12), titles (15) and main figures (20); controls have
 * three heights.
 */
const sizes = {
  '--t-meta': '12px',
  '--t-read': '13px',
  '--t-title': '15px',
  '--t-answer': '20px',
  '--c-s': '24px',
  '--c-m': '32px',
  '--c-l': '40px',
  '--r-s': '4px',
  '--r-m': '6px',
  '--r-l': '10px',
};

const readable = { fontSize: '13px' };
const small = { fontSize: '12px', lineHeight: '16px' };

export const theme = createTheme({
  colors: { pine, dark: slate, gray },
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 7 },
  fontFamily: sans,
  fontFamilyMonospace: mono,
  fontSizes: { xs: '12px', sm: '13px', md: '13px', lg: '15px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '20px', xl: '28px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '2px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  defaultRadius: 'sm',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '15px', lineHeight: '20px' },
      h3: { fontSize: '13px', lineHeight: '20px' },
    },
  },
  focusRing: 'auto',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 28 } },
    Button: {
      defaultProps: { size: 'xs', variant: 'default' },
      styles: { label: { fontWeight: 500 } },
    },
    Checkbox: { defaultProps: { size: 'xs' }, styles: { label: readable } },
    // Forms ask for what they need alone: a star at every field would say nothing.
    InputWrapper: {
      defaultProps: { withAsterisk: false },
      styles: { description: small, error: small },
    },
    ModalRoot: { defaultProps: { centered: true, transitionProps: { duration: 100 } } },
    Menu: {
      defaultProps: {
        shadow: 'md',
        transitionProps: { duration: 80 },
        // The placeholder is not a menu item, and a menu may contain nothing else.
        withInitialFocusPlaceholder: false,
      },
    },
    NativeSelect: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    Popover: { defaultProps: { shadow: 'md', transitionProps: { duration: 80 } } },
    SegmentedControl: {
      defaultProps: { size: 'xs', withItemsBorders: false, radius: 'md' },
      styles: { root: { background: 'var(--sunken)' }, label: { fontWeight: 500 } },
    },
    Switch: { defaultProps: { size: 'xs' }, styles: { label: readable, description: small } },
    Textarea: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    // The tooltip is placed next to the element that it explains, and so in the same landmark of the page.
    Tooltip: { defaultProps: { openDelay: 400, withinPortal: false, floatingStrategy: 'fixed' } },
  },
});
