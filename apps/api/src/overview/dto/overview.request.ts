import { overviewRanges, type OverviewRange } from '#domain';
import { OneOfField, ProjectIdField } from '../../http/fields.js';

export class OverviewQuery {
  @OneOfField('How far back; 24h unless told', overviewRanges) range?: OverviewRange;
  @ProjectIdField() projectId?: string;
}
