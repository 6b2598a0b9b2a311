'use client';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { fill, useTexts } from '../use-texts.js';

/** A section in the account settings. */
export function Section({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="gh-section" aria-labelledby={id} tabIndex={-1}>
      <div>
        <h2 id={id}>{title}</h2>
        {text ? <p className="gh-hint">{text}</p> : null}
      </div>
      <div className="gh-content">{children}</div>
    </section>
  );
}

/** A list of rows. @param empty the text to show if there are none */
export function Rows({ empty, children }: { empty?: string; children: ReactNode[] }) {
  const list = useRef<HTMLUListElement>(null);
  const count = children.length;
  const previous = useRef(count);
  useEffect(() => {
    // The focused button was in a row that has been removed.
    if (count < previous.current && document.activeElement === document.body)
      list.current?.closest('section')?.focus();
    previous.current = count;
  }, [count]);
  return (
    <ul className="gh-rows" ref={list}>
      {count > 0 ? children : <li className="gh-hint">{empty}</li>}
    </ul>
  );
}

/** A row in a list. @param children the buttons */
export const Row = ({
  title,
  badge,
  text,
  children,
}: {
  title: string;
  badge?: string | false;
  text?: string;
  children?: ReactNode;
}) => (
  <li className="gh-row">
    <div>
      {title} {badge ? <span className="gh-badge">{badge}</span> : null}
      {text ? <p className="gh-hint">{text}</p> : null}
    </div>
    {children}
  </li>
);

/** Returns a function that inserts a date into a text. @param withTime true to include the time */
export function useDateText(withTime = false): (text: string, date: string) => string {
  const format = new Intl.DateTimeFormat(useTexts().language, {
    dateStyle: 'medium',
    ...(withTime && { timeStyle: 'short' }),
  });
  return (text, date) => fill(text, { date: format.format(new Date(date)) });
}

/**
 * Returns a function that describes when a factor, passkey or identity was last used or, if it was never used, added.
 */
export function useUsage(): (item: { createdAt: string; lastUsedAt: string | null }) => string {
  const texts = useTexts();
  const dateText = useDateText();
  return ({ createdAt, lastUsedAt }) =>
    lastUsedAt ? dateText(texts.lastUsed, lastUsedAt) : dateText(texts.added, createdAt);
}
