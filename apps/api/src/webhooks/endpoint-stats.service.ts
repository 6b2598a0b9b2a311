import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import type { WebhookEndpoint } from '@gatehouse/domain';
import {
  EndpointStatsRepository,
  WebhookEndpointsRepository,
  type EndpointStats,
} from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import type { EndpointStatsQuery, StatsWindow } from './dto/endpoint-stats.request.js';

const HOUR_MS = 3_600_000;
const windowMs: Record<StatsWindow, number> = {
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
};

export interface EndpointStatsResult {
  endpoint: WebhookEndpoint;
  window: StatsWindow;
  /** Start of the window. */
  start: Date;
  stats: EndpointStats;
}

@Injectable()
export class EndpointStatsService {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly stats: EndpointStatsRepository,
  ) {}

  /** @throws GatehouseError `not_found` */
  async get(
    { accessScope }: ManagementCaller,
    id: string,
    query: EndpointStatsQuery,
  ): Promise<EndpointStatsResult> {
    const endpoint = await this.endpoints.get(accessScope, id);
    const window = query.window ?? '24h';
    const start = new Date(now().getTime() - windowMs[window]);
    return { endpoint, window, start, stats: await this.stats.getSince(id, start) };
  }
}
