import { OneOfField } from '../../http/fields.js';

/** How far back statistics may reach. */
export const statsWindows = ['1h', '24h', '7d', '30d'] as const;
export type StatsWindow = (typeof statsWindows)[number];

export class EndpointStatsQuery {
  @OneOfField('How far back; 24h unless told', statsWindows) window?: StatsWindow;
}
