import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';

/** The parameter of the URL, and of the API, that requests the previous period. */
export const comparison = { name: 'compare', value: 'previous' } as const;

interface CompareSwitchProps {
  isCompared: boolean;
  /** @param value the value of the parameter of the URL; "" removes it */
  onChange: (value: string) => void;
}

/** Renders the switch that compares metrics with those of the previous period. */
export function CompareSwitch({ isCompared, onChange }: CompareSwitchProps): ReactNode {
  return (
    <Switch
      size="xs"
      label="Compare with previous period"
      checked={isCompared}
      onChange={(event) => onChange(event.currentTarget.checked ? comparison.value : '')}
    />
  );
}
