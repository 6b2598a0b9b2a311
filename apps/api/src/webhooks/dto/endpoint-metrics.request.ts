import { overviewRanges, type OverviewRange } from '@gatehouse/domain';
import { OneOfField } from '../../http/input/fields.js';
import { CompareField } from './metrics.fields.js';

export class EndpointMetricsQuery {
  @OneOfField('Time range, ending now. Default: 24h', overviewRanges) range?: OverviewRange;
  @CompareField() compare?: 'previous';
}
