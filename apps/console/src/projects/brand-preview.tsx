import { Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { UntrustedText } from '../components/untrusted-text';
import classes from './brand-preview.module.css';

export const DEFAULT_COLOR = '#1d4ed8';

interface BrandPreviewProps {
  name: string;
  hasLogo: boolean;
  color: string | null;
}

/** Renders a preview of a hosted page. The logo is not loaded here, because it comes from a third party. */
export function BrandPreview({ name, hasLogo, color }: BrandPreviewProps): ReactNode {
  const accent = color && /^#[0-9a-f]{6}$/i.test(color) ? color : DEFAULT_COLOR;
  const colors = { '--accent': accent, '--on-accent': textColorOn(accent) } as CSSProperties;
  return (
    <figure aria-label="Preview of a hosted page" style={{ margin: 0 }}>
      <div className={classes.page} style={colors}>
        <div className={classes.card}>
          <p className={classes.brand}>
            {hasLogo && <span className={classes.logo}>Logo</span>}
            <UntrustedText text={name} />
          </p>
          <p className={classes.title}>Confirm your email address</p>
          <p className={classes.text}>Is ada@example.com your email address?</p>
          <div className={classes.button}>Confirm email address</div>
        </div>
      </div>
      <Text component="figcaption" c="dimmed" size="xs" mt={6}>
        Preview of a hosted page{hasLogo && '; the logo is loaded only on the page itself'}.
      </Text>
    </figure>
  );
}

/** Returns black or white, whichever contrasts more with `#rrggbb` (WCAG 2.2, "relative luminance"). */
export function textColorOn(color: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  // Contrast with white, 1.05 / (l + 0.05), compared with the contrast with black, (l + 0.05) / 0.05.
  return (luminance + 0.05) ** 2 <= 1.05 * 0.05 ? '#ffffff' : '#000000';
}
