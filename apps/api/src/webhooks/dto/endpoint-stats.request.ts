import { OneOfField } from '../../http/input/fields.js';

/** Time ranges for the statistics. */
export const statsWindows = ['1h', '24h', '7d', '30d'] as const;
export type StatsWindow = (typeof statsWindows)[number];

export class EndpointStatsQuery {
  @OneOfField('Time range, ending now. Default: 24h', statsWindows) window?: StatsWindow;
}
