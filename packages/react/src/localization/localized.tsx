'use client';
import { useMemo, type ReactNode } from 'react';
import { useGatehouse } from '../gatehouse-context.js';
import { TextsContext } from '../use-texts.js';
import { en } from './en.js';

/**
 * Provides a component with the texts in the provider's language. Modules import it last: bundlers then place the
 * English texts near another language's texts, and gzip finds their common keys.
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
