import type { ReactNode } from 'react';
import { Badge, type Tone } from '../components/status-badge';

/** Labels for the environments, by their names in the API. */
export const environmentLabels: Record<string, string> = {
  development: 'Development',
  staging: 'Staging',
  production: 'Production',
};

const tones: Record<string, Tone> = { production: 'info', staging: 'warn' };

export function EnvironmentBadge({ environment }: { environment: string }): ReactNode {
  return <Badge tone={tones[environment] ?? 'calm'}>{environmentLabels[environment] ?? environment}</Badge>;
}
