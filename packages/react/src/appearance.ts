/** CSS variable values. The variable for `colorPrimary` is `--gh-color-primary`. */
export interface AppearanceVariables {
  /** Main button background. */
  colorPrimary?: string;
  /** Main button text. */
  colorOnPrimary?: string;
  colorText?: string;
  /** Hints and other less important text. */
  colorTextSecondary?: string;
  colorBackground?: string;
  /** Input and secondary button borders. */
  colorBorder?: string;
  /** Errors and buttons that delete something. */
  colorDanger?: string;
  fontFamily?: string;
  fontSize?: string;
  borderRadius?: string;
  /** Distance between a component's border and its content. */
  padding?: string;
}

/** The appearance of the components. */
export interface Appearance {
  /** `auto` follows the customer's system theme. Default: `auto`. */
  theme?: 'auto' | 'light' | 'dark';
  variables?: AppearanceVariables;
}

/** Returns the CSS variables of an appearance as an inline style. */
export const cssVariables = ({ variables = {} }: Appearance): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables as Record<string, string>).map(([name, value]) => [
      `--gh-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      value,
    ]),
  );
