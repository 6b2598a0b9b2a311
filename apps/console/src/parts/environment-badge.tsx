import type { ReactNode } from 'react';
import { Badge, type Tone } from './status-badge';

/** What a project is for, as the API calls it and as it is called here. */
export const environmentLabels: Record<string, string> = {
  development: 'Development',
  staging: 'Staging',
  production: 'Production',
};

const tones: Record<string, Tone> = { production: 'info', staging: 'warn' };

export function EnvironmentBadge({ environment }: { environment: string }): ReactNode {
  return <Badge tone={tones[environment] ?? 'calm'}>{environmentLabels[environment] ?? environment}</Badge>;
}
