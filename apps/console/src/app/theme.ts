import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

/** The accent color: a blue that is recognizable in links but not distracting in daily use. */
const accent: MantineColorsTuple = [
  '#eef2fd',
  '#dbe3f8',
  '#b6c5f0',
  '#8ea5e8',
  '#6c89e1',
  '#4f70d4',
  '#3451b2',
  '#2b449a',
  '#233981',
  '#1b2d68',
];

const dark: MantineColorsTuple = [
  '#d6dae2',
  '#b4bbc8',
  '#98a1b2',
  '#6c7688',
  '#3d4554',
  '#2d3442',
  '#212734',
  '#161b25',
  '#11151d',
  '#0c0f15',
];

export const theme = createTheme({
  colors: { accent, dark },
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 6 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.84375rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  components: {
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    Anchor: { defaultProps: { size: 'sm' } },
    Text: { defaultProps: { size: 'sm' } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45 } } },
    // These are based on Paper and have their own padding. With the padding of Paper, scrolled content would
    // be visible above their heading.
    ModalContent: { defaultProps: { p: 0 } },
    DrawerContent: { defaultProps: { p: 0, withBorder: false } },
    Paper: { defaultProps: { withBorder: true, p: 'md' } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true } },
  },
});

/** Variables that give alerts, and light and outlined buttons, the tones of badges (app/theme.css). */
const colorVariables = Object.fromEntries(
  Object.entries({ accent: 'info', red: 'bad', yellow: 'warn', green: 'good' }).flatMap(([color, tone]) => [
    [`--mantine-color-${color}-light`, `var(--${tone}-background)`],
    [`--mantine-color-${color}-light-color`, `var(--${tone})`],
    [`--mantine-color-${color}-outline`, `var(--${tone})`],
  ]),
);

/** Returns replacements for Mantine's colors whose contrast with their background is less than 4.5:1. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#586072',
    '--mantine-color-placeholder': '#6b7385',
    '--mantine-color-error': '#c02b2b',
    '--mantine-color-anchor': 'var(--mantine-color-accent-6)',
    '--mantine-color-gray-light': 'var(--calm-background)',
    ...colorVariables,
  },
  dark: {
    '--mantine-color-dimmed': '#a3acbb',
    '--mantine-color-placeholder': '#8b95a6',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': 'var(--mantine-color-accent-3)',
    '--mantine-color-gray-light': 'var(--calm-background)',
    ...colorVariables,
  },
});
