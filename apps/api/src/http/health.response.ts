import { ApiProperty } from '@nestjs/swagger';

export class LivenessResponse {
  @ApiProperty({ enum: ['ok'] }) status!: 'ok';
}

export class ReadinessResponse {
  @ApiProperty({ enum: ['ready', 'degraded', 'unavailable'] }) status!: 'ready' | 'degraded' | 'unavailable';
}
