import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { ImportsModule } from './imports.module.js';
import { ImportsOperatorController } from './imports.operator.controller.js';

@Module({ imports: [HttpModule, ImportsModule], controllers: [ImportsOperatorController] })
export class ImportsOperatorModule {}
