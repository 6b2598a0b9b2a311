import { ApiProperty } from '@nestjs/swagger';
import { readinessStatuses, type ReadinessStatus } from '@gatehouse/persistence';

export class LivenessResponse {
  @ApiProperty({ enum: ['ok'] }) status!: 'ok';
}

export class ReadinessResponse {
  @ApiProperty({ enum: readinessStatuses }) status!: ReadinessStatus;
}
