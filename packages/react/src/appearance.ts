/** Values of the CSS variables. The variable of `colorPrimary` is `--gh-color-primary`. */
export interface AppearanceVariables {
  /** Background of the main button. */
  colorPrimary?: string;
  /** Text of the main button. */
  colorOnPrimary?: string;
  colorText?: string;
  /** Hints and other text of less importance. */
  colorTextSecondary?: string;
  colorBackground?: string;
  /** Borders of inputs and secondary buttons. */
  colorBorder?: string;
  /** Errors and buttons that delete something. */
  colorDanger?: string;
  fontFamily?: string;
  fontSize?: string;
  borderRadius?: string;
  /** Distance between the border of a component and its content. */
  padding?: string;
}

/** How the components look. */
export interface Appearance {
  /** `auto` follows the system of the customer. Default: `auto`. */
  theme?: 'auto' | 'light' | 'dark';
  variables?: AppearanceVariables;
}

/** Returns the CSS variables of an appearance, as a style of an element. */
export const cssVariables = ({ variables = {} }: Appearance): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables as Record<string, string>).map(([name, value]) => [
      `--gh-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      value,
    ]),
  );
