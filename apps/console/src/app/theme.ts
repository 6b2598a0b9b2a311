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
  '#d9dde5',
  '#b9c0cc',
  '#9ba4b4',
  '#6d7686',
  '#343b48',
  '#272d38',
  '#1a1e26',
  '#15181f',
  '#0f1115',
  '#0b0d11',
];

const sans = "Geist, 'Geist fallback', system-ui, sans-serif";

export const theme = createTheme({
  colors: { accent, dark },
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 6 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: sans,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.84375rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  // All distances are multiples of 4 px.
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '0.25rem', sm: '0.375rem', md: '0.5rem', lg: '0.75rem', xl: '1rem' },
  shadows: {
    xs: '0 1px 2px rgb(16 24 40 / 5%)',
    sm: '0 1px 2px rgb(16 24 40 / 6%), 0 1px 1px rgb(16 24 40 / 4%)',
    md: '0 4px 12px -2px rgb(16 24 40 / 10%), 0 2px 4px -1px rgb(16 24 40 / 5%)',
    lg: '0 12px 32px -8px rgb(16 24 40 / 18%), 0 4px 8px -2px rgb(16 24 40 / 6%)',
    xl: '0 24px 64px -12px rgb(16 24 40 / 26%), 0 8px 16px -8px rgb(16 24 40 / 10%)',
  },
  headings: {
    fontFamily: sans,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: 'var(--type-title)', lineHeight: '1.25' },
      h2: { fontSize: 'var(--type-section)', lineHeight: '1.4' },
      h3: { fontSize: 'var(--mantine-font-size-sm)', lineHeight: '1.4' },
    },
  },
  components: {
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    Anchor: { defaultProps: { size: 'sm' } },
    Text: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: { centered: true, radius: 'lg', shadow: 'xl', overlayProps: { backgroundOpacity: 0.4 } },
    },
    // Modals and drawers are based on Paper, but have their own padding. With Paper's padding, scrolled content would
    // be visible above their headings.
    ModalContent: { defaultProps: { p: 0 } },
    DrawerContent: { defaultProps: { p: 0, withBorder: false } },
    Paper: { defaultProps: { withBorder: true, p: 'md', shadow: 'xs', radius: 'lg' } },
    // With the default radius, checkboxes would be circles.
    Checkbox: { defaultProps: { radius: 'xs' } },
    SegmentedControl: { defaultProps: { withItemsBorders: false } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true } },
  },
});

/** CSS variables that apply the badge tones to alerts and to light and outlined buttons (app/theme.css). */
const colorVariables = Object.fromEntries(
  Object.entries({ accent: 'info', red: 'bad', yellow: 'warn', green: 'good' }).flatMap(([color, tone]) => [
    [`--mantine-color-${color}-light`, `var(--${tone}-background)`],
    [`--mantine-color-${color}-light-color`, `var(--${tone})`],
    [`--mantine-color-${color}-outline`, `var(--${tone})`],
  ]),
);

/** Replaces the Mantine colors that have a contrast of less than 4.5:1 with their background. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#22262f',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-dimmed': '#5b6472',
    '--mantine-color-placeholder': '#6b7385',
    '--mantine-color-error': '#c02b2b',
    '--mantine-color-anchor': 'var(--mantine-color-accent-6)',
    '--mantine-color-gray-light': 'var(--calm-background)',
    ...colorVariables,
  },
  dark: {
    '--mantine-color-text': '#d9dde5',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-dimmed': '#9ba4b4',
    '--mantine-color-placeholder': '#8b95a6',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': 'var(--mantine-color-accent-3)',
    '--mantine-color-gray-light': 'var(--calm-background)',
    ...colorVariables,
  },
});
