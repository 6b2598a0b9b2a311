import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './untrusted-text.module.css';
import { showInvisible, splitInvisible } from './visible-text';
import { isWebUrl } from './is-web-url';

interface UntrustedTextProps {
  text: string | null | undefined;
  /** Truncates the text to one line with "…" and shows the full text in the tooltip. */
  oneLine?: boolean;
  /** Untrusted text for the tooltip, in place of the full text. */
  tooltip?: string | null;
  mono?: boolean;
  fallback?: string;
}

/**
 * Renders untrusted text, such as an email address, a name, an error or a response. It is never rendered as markup, and
 * invisible characters are shown as codes.
 */
export function UntrustedText({
  text,
  oneLine,
  tooltip,
  mono,
  fallback = '–',
}: UntrustedTextProps): ReactNode {
  if (text === null || text === undefined || text === '') return fallback;
  const title = tooltip ?? (oneLine ? text : undefined);
  const names = [classes.text, oneLine && classes.line, mono && classes.mono].filter(Boolean).join(' ');
  // Right-to-left text must not change the text direction around it (bdi).
  return (
    <bdi className={names} title={title && showInvisible(title)}>
      <VisibleText text={text} />
    </bdi>
  );
}

/** Renders text with its invisible characters as codes, for example characters that reverse the text direction. */
export function VisibleText({ text }: { text: string }): ReactNode {
  return splitInvisible(text).map((part, index) =>
    part.isCode ? (
      // Parts have no ID, and their order does not change.
      <span key={index} className={classes.code} title="Invisible character">
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
}

/**
 * Renders an untrusted URL: as a link if it is http or https, otherwise as text (requirement CO-03). The
 * console never fetches it.
 */
export function UntrustedUrl({ text, oneLine }: { text: string; oneLine?: boolean }): ReactNode {
  if (!isWebUrl(text)) return <UntrustedText text={text} oneLine={oneLine} mono />;
  return (
    <Anchor href={text} target="_blank" rel="noopener noreferrer" inherit>
      <UntrustedText text={text} oneLine={oneLine} mono />
    </Anchor>
  );
}
