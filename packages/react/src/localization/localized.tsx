'use client';
import { useMemo, type ReactNode } from 'react';
import { useGatehouse } from '../gatehouse-context.js';
import { TextsContext } from '../use-texts.js';
import { en } from './en.js';

/**
 * Provides the localized texts to a component. Modules import it last, so that bundlers place the English texts near
 * another language's texts, and gzip can compress their common keys.
 */
export function Localized({ children }: { children: ReactNode }) {
  const { localization } = useGatehouse();
  const texts = useMemo(
    () => ({
      ...en,
      ...localization,
      errors: { ...en.errors, ...localization.errors },
      reasons: { ...en.reasons, ...localization.reasons },
    }),
    [localization],
  );
  return <TextsContext.Provider value={texts}>{children}</TextsContext.Provider>;
}
