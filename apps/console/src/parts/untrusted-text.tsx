import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './untrusted-text.module.css';
import { isWebUrl } from './is-web-url';

interface UntrustedTextProps {
  text: string | null | undefined;
  /** One line that ends in "…", with the whole in the tooltip. */
  oneLine?: boolean;
  mono?: boolean;
  fallback?: string;
}

/** Text that a stranger wrote: an e-mail, a name, an error, an answer. It is shown as it is, and is never markup. */
export function UntrustedText({ text, oneLine, mono, fallback = '–' }: UntrustedTextProps): ReactNode {
  if (text === null || text === undefined || text === '') return fallback;
  const names = [classes.text, oneLine && classes.line, mono && classes.mono].filter(Boolean).join(' ');
  // Whoever writes right to left must not turn what stands around it (bdi).
  return (
    <bdi className={names} title={oneLine ? text : undefined}>
      {text}
    </bdi>
  );
}

/** A stranger's URL: to be followed when it is http or https, else only read (requirement CO-03). Nothing fetches it. */
export function UntrustedUrl({ text, oneLine }: { text: string; oneLine?: boolean }): ReactNode {
  if (!isWebUrl(text)) return <UntrustedText text={text} oneLine={oneLine} mono />;
  return (
    <Anchor href={text} target="_blank" rel="noopener noreferrer" inherit>
      <UntrustedText text={text} oneLine={oneLine} mono />
    </Anchor>
  );
}
