import { Module } from '@nestjs/common';
import { PasskeyCeremoniesService } from './passkey-ceremonies.service.js';

@Module({ providers: [PasskeyCeremoniesService], exports: [PasskeyCeremoniesService] })
export class PasskeysModule {}
