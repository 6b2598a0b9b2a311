/** Returns a UUIDv7 with this time. */
export function exampleId(at: string, tail: string): string {
  const ms = Date.parse(at).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7c1f-9d2b-${tail}`;
}

/** Returns a time on 2 March 2026. All example events occur on this day and concern the same customer. */
export const exampleTime = (time: string): string => `2026-03-02T${time}Z`;

export const exampleOrganizationId = exampleId('2026-01-12T08:00:00.000Z', '5a7d0e31c964');
export const exampleProjectId = exampleId('2026-01-12T08:00:00.004Z', 'c3184f6b92d0');
