import { Injectable } from '@nestjs/common';
import {
  addCounts,
  bucketsOf,
  readCounts,
  type Bucket,
  type Figures,
  type OverviewRange,
} from '@gatehouse/domain';
import { FiguresRepository, type OverviewFigures } from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import type { OverviewQuery } from './dto/overview.request.js';

/** How attempts went in a range, all in all and bucket by bucket. */
export interface Overview extends Omit<OverviewFigures, 'series'> {
  range: OverviewRange;
  totals: Figures;
  /** Every bucket of the range, oldest first, also those without an attempt. */
  series: (Bucket & { figures: Figures })[];
}

@Injectable()
export class OverviewService {
  constructor(private readonly figures: FiguresRepository) {}

  /** Of the whole house, or of what one project has told its endpoints. Of a project that is none: nothing. */
  async read({ range = '24h', projectId }: OverviewQuery): Promise<Overview> {
    const buckets = bucketsOf(range, now().getTime() / 1_000);
    const { series, ...rest } = await this.figures.read(projectId ?? null, buckets);
    const filled = buckets.map((bucket) => ({
      ...bucket,
      counts: addCounts(...series.filter(({ at }) => at === bucket.at).map(({ counts }) => counts)),
    }));
    return {
      ...rest,
      range,
      totals: readCounts(addCounts(...filled.map(({ counts }) => counts))),
      series: filled.map(({ counts, ...bucket }) => ({ ...bucket, figures: readCounts(counts) })),
    };
  }
}
