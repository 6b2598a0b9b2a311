import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';

/** The URL and API parameter that requests the previous period. */
export const comparison = { name: 'compare', value: 'previous' } as const;

interface CompareSwitchProps {
  isCompared: boolean;
  /** @param value the URL parameter's value; "" removes it */
  onChange: (value: string) => void;
}

/** Renders the switch that compares metrics with the previous period. */
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
