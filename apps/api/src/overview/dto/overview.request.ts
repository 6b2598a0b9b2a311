import { overviewRanges, type OverviewRange } from '@gatehouse/domain';
import { OneOfField, ProjectIdField } from '../../http/input/fields.js';
import { CompareField } from '../../webhooks/dto/metrics.fields.js';

export class OverviewQuery {
  @OneOfField('Time range, ending now. Default: 24h', overviewRanges) range?: OverviewRange;
  @ProjectIdField() projectId?: string;
  @CompareField() compare?: 'previous';
}
