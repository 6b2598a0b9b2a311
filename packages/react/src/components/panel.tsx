'use client';
import { useEffect, useRef, type ReactNode } from 'react';
import { cssVariables } from '../appearance.js';
import { useGatehouse } from '../gatehouse-context.js';
import { useTexts } from '../use-texts.js';

/** A component's outermost element, with the language, theme and CSS variables from the provider. */
export function Panel({ className = 'gh-card', children }: { className?: string; children: ReactNode }) {
  const { appearance } = useGatehouse();
  return (
    <div
      className={`gh-root ${className}`}
      lang={useTexts().language}
      data-gh-theme={appearance.theme}
      style={cssVariables(appearance)}
    >
      {children}
    </div>
  );
}

/**
 * A step with a heading.
 * @param hasFocus true to focus the heading, so that screen readers announce a step that replaced another one
 */
export function Step({
  title,
  text,
  hasFocus = false,
  children,
}: {
  title: string;
  text?: ReactNode;
  hasFocus?: boolean;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasFocus) heading.current?.focus();
  }, []);
  return (
    <>
      <h2 className="gh-title" tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {text ? <p className="gh-text">{text}</p> : null}
      {children}
    </>
  );
}

/** A message that screen readers announce when it appears. An error unless `isSuccess` is true. */
export const Alert = ({ isSuccess = false, children }: { isSuccess?: boolean; children: ReactNode }) =>
  children ? (
    <p className={isSuccess ? 'gh-alert gh-success' : 'gh-alert'} role={isSuccess ? 'status' : 'alert'}>
      {children}
    </p>
  ) : null;

/** Gray lines in place of content that is loading. @param lines the number of lines */
export const Skeleton = ({ lines = 3 }: { lines?: number }) => (
  <div className="gh-skeleton" role="status" aria-label={useTexts().loading}>
    {Array.from({ length: lines }, (_, index) => (
      <div key={index} />
    ))}
  </div>
);
