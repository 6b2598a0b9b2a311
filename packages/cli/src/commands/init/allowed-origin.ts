import { GatehouseError } from '@gatehouse/server';
import type { Target } from './connection.js';
import type { ManualStep } from './framework.js';

/** Returns true if the project rejects pages on an origin. Without allowed origins, it accepts all origins. */
export function isRejected({ management }: Target, origin: string): boolean {
  const origins = management?.project.settings?.allowedOrigins ?? [];
  return origins.length > 0 && !origins.includes(origin);
}

/**
 * Adds an origin to the project's allowed origins.
 * @returns the step for the developer if Gatehouse rejects the change, otherwise null
 */
export async function allowOrigin(
  { management }: Target,
  origin: string,
  signal: AbortSignal,
): Promise<ManualStep | null> {
  const { client, project } = management!;
  try {
    const current = await client.projects.get(project.id, {}, { signal });
    const allowedOrigins = [...new Set([...current.settings.allowedOrigins, origin])];
    await client.projects.update(project.id, { settings: { allowedOrigins } }, { ifMatch: current, signal });
    return null;
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.status === 503) throw error;
    return {
      subject: `the project ${project.name}`,
      reason: `Gatehouse rejected the change (${error.code})`,
      lines: [`Add ${origin} to the allowed origins, in the console under the settings of the project.`],
    };
  }
}
