import { ApiProperty } from '@nestjs/swagger';

export class LivenessResponse {
  @ApiProperty({ enum: ['ok'] }) status!: 'ok';
}

export class ReadinessResponse {
  @ApiProperty({ enum: ['ready', 'degraded', 'unavailable'] }) status!: 'ready' | 'degraded' | 'unavailable';
  @ApiProperty({ enum: ['up', 'down'] }) database!: 'up' | 'down';
  @ApiProperty({ enum: ['up', 'down', 'not configured'] }) redis!: 'up' | 'down' | 'not configured';

  @ApiProperty({
    enum: ['outdated'],
    required: false,
    description: 'Present if this version of Node.js no longer receives security updates',
  })
  node?: 'outdated';
}
